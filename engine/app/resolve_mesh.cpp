#include "engine/app/resolve_mesh.hpp"

#include "engine/app/force_error_estimate.hpp"
#include "engine/base/error.hpp"
#include "engine/plans/pme_plan.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
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

constexpr double bytes_per_point = 40; // meshes of integers and reals, spectrum, influence

double points_of(const std::array<int, 3>& grid)
{
    return static_cast<double>(grid[0]) * grid[1] * grid[2];
}

bool fits(const std::array<int, 3>& grid, int order)
{
    if (points_of(grid) * bytes_per_point > 0.9 * physical_memory()) {
        return false;
    }
    try {
        check_pme_grid(grid, order);
    } catch (const InputError&) {
        return false;
    }
    return true;
}

/// The mesh of a spacing where it fits.
std::optional<std::array<int, 3>> grid_that_fits(const Box& box, double spacing, int order)
{
    try {
        const auto grid = pme_grid_for_spacing(box, spacing, order);
        return fits(grid, order) ? std::optional(grid) : std::nullopt;
    } catch (const InputError&) {
        return std::nullopt;
    }
}

/// A value of the key that would do, or what to change instead.
std::string smaller_mesh(const Deck& deck, const Box& box, const NonbondedSettings& nonbonded,
                         double spacing)
{
    const Vec3 heights = box.heights();
    const double coarsest = std::max({heights.x, heights.y, heights.z});
    for (double wider = spacing; wider < coarsest; wider *= 1.05) {
        const double rounded = std::ceil(wider * 100) / 100;
        const auto grid = grid_that_fits(box, rounded, nonbonded.pme_order);
        if (!grid) {
            continue;
        }
        if (mesh_error_in_water(nonbonded.ewald_beta, rounded, nonbonded.pme_order) > 0.1) {
            break;
        }
        return deck.gives("pme.grid")
                   ? fmt::format("grid = [{}, {}, {}] would do", (*grid)[0], (*grid)[1], (*grid)[2])
                   : fmt::format("spacing = \"{:.4g} nm\" would do", rounded);
    }
    return "no mesh that fits is fine enough: choose a smaller box, or electrostatics = "
           "\"reaction-field\"";
}

} // namespace

void resolve_mesh(const Deck& deck, const Box& box, NonbondedSettings& nonbonded,
                  Diagnostics& diagnostics)
{
    const bool coulomb_mesh = nonbonded.electrostatics == Electrostatics::pme;
    if (nonbonded.has_coulomb_lattice()) {
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
    double points = points_of(nonbonded.pme_grid);
    bool too_large = points > 1e6 && !fits(nonbonded.pme_grid, nonbonded.pme_order);
    if (deck.pme.spacing) {
        points = edges.x * edges.y * edges.z / std::pow(*deck.pme.spacing, 3);
        const auto grid = grid_that_fits(box, *deck.pme.spacing, nonbonded.pme_order);
        too_large = points > 1e6 && !grid;
        if (!too_large) {
            nonbonded.pme_grid = pme_grid_for_spacing(box, *deck.pme.spacing, nonbonded.pme_order);
        }
    }
    if (too_large) { // told before any allocation
        const std::string key = key_of_mesh(deck);
        const double spacing = std::cbrt(edges.x * edges.y * edges.z / points);
        diagnostics.error(
            {deck.place_of(key),
             fmt::format("{}: the PME mesh would need {:.3g} GB for {:.3g} points (this machine "
                         "has {:.3g} GB, a mesh gets 32 GB at most)",
                         key, points * bytes_per_point * 1e-9, points, physical_memory() * 1e-9),
             "",
             fmt::format("the box is {:.4g} x {:.4g} x {:.4g} nm: {}", edges.x, edges.y, edges.z,
                         smaller_mesh(deck, box, nonbonded, spacing))});
        return;
    }
    const auto& grid = nonbonded.pme_grid;
    const double spacing = std::max({edges.x / grid[0], edges.y / grid[1], edges.z / grid[2]});
    const double error = mesh_error_in_water(nonbonded.ewald_beta, spacing, nonbonded.pme_order);
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
