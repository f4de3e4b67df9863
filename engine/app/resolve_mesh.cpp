#include "engine/app/resolve_mesh.hpp"

#include "engine/plans/pme_plan.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <unistd.h>

namespace tessera
{

namespace
{

double physical_memory()
{
    const double pages = static_cast<double>(sysconf(_SC_PHYS_PAGES));
    return pages * static_cast<double>(sysconf(_SC_PAGE_SIZE));
}

std::string key_of_mesh(const Deck& deck)
{
    return deck.gives("pme.grid") ? "pme.grid" : "pme.spacing";
}

} // namespace

double estimated_mesh_error(double beta, double spacing, int order)
{
    const double x = beta * spacing / 0.374;
    return 4.4e-4 * std::pow(0.22, order - 4) * std::pow(x, order + 1.3);
}

void resolve_mesh(const Deck& deck, const Box& box, NonbondedSettings& nonbonded,
                  Diagnostics& diagnostics)
{
    const bool coulomb_mesh = nonbonded.electrostatics == Electrostatics::pme;
    const bool lattice_sum = coulomb_mesh || nonbonded.electrostatics == Electrostatics::ewald;
    if (lattice_sum) {
        nonbonded.ewald_beta =
            deck.pme.beta ? *deck.pme.beta
                          : ewald_beta_for_tolerance(nonbonded.coulomb_cutoff, deck.pme.tolerance);
    }
    if (nonbonded.lj_pme) {
        nonbonded.lj_ewald_beta =
            lj_ewald_beta_for_tolerance(nonbonded.lj_cutoff, deck.pme.lj_tolerance);
    }
    if (!coulomb_mesh && !nonbonded.lj_pme) {
        return;
    }
    const Vec3 edges{norm(box.vectors()[0]), norm(box.vectors()[1]), norm(box.vectors()[2])};
    if (deck.pme.spacing) {
        // told before any allocation: the largest number of points an int can index is far off
        const double points = edges.x * edges.y * edges.z / std::pow(*deck.pme.spacing, 3);
        if (points < 1e14) {
            nonbonded.pme_grid = pme_grid_for_spacing(box, *deck.pme.spacing, nonbonded.pme_order);
        } else {
            nonbonded.pme_grid = {100000, 100000, 100000};
        }
    }
    const auto& grid = nonbonded.pme_grid;
    const double points = static_cast<double>(grid[0]) * grid[1] * grid[2];
    // the mesh in integers, and its transform in complex doubles
    const double bytes = points * (8 + 16);
    if (bytes > 0.9 * physical_memory()) {
        diagnostics.error(
            {deck.place_of(key_of_mesh(deck)),
             fmt::format("the PME mesh would need {:.3g} GB for {:.3g} points (this machine has "
                         "{:.3g} GB)",
                         bytes * 1e-9, points, physical_memory() * 1e-9),
             "",
             fmt::format("the box is {:.4g} x {:.4g} x {:.4g} nm: choose a wider spacing, or a "
                         "smaller box",
                         edges.x, edges.y, edges.z)});
        return;
    }
    const double spacing = std::max({edges.x / grid[0], edges.y / grid[1], edges.z / grid[2]});
    const double error = estimated_mesh_error(nonbonded.ewald_beta, spacing, nonbonded.pme_order);
    if (coulomb_mesh && error > 0.1) {
        diagnostics.error(
            {deck.place_of(key_of_mesh(deck)),
             fmt::format("the PME mesh is far too coarse (spacing {:.4g} nm at order {} and beta "
                         "{:.4g} /nm: relative error of forces about {:.1g})",
                         spacing, nonbonded.pme_order, nonbonded.ewald_beta, error),
             "", "choose a finer spacing: 0.12 nm is usual at order 4"});
        return;
    }
    // usual settings (tolerance 1e-5, 0.12 nm, order 4) have mesh errors 44 times the tolerance
    if (coulomb_mesh && error > 100 * deck.pme.tolerance && !deck.pme.beta) {
        diagnostics.warning(
            {deck.place_of(key_of_mesh(deck)),
             fmt::format(
                 "the PME mesh is coarser than the tolerance deserves (spacing {:.4g} nm at "
                 "order {}: relative error of forces about {:.1e}, tolerance {:.1e})",
                 spacing, nonbonded.pme_order, error, deck.pme.tolerance),
             "", "choose a finer spacing or a higher order"});
    }
}

} // namespace tessera
