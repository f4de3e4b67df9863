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

/// Bytes: nine tenths of the memory, and never more than a mesh can address.
double largest_mesh()
{
    return std::min(0.9 * physical_memory(), 32e9);
}

bool fits(const std::array<int, 3>& grid, int order)
{
    if (points_of(grid) * bytes_per_point > largest_mesh()) {
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

/// Usual settings (tolerance 1e-5, 0.12 nm, order 4) have mesh errors of 44 times the tolerance at
/// a cut-off of 1 nm, 144 times at 0.8 nm, which Amber's users choose.
constexpr double errors_a_tolerance = 200;
constexpr double usual_error = errors_a_tolerance * 1e-5;
constexpr double shortest_cutoff = 0.4; // nm; with less, atoms hardly meet within it

/// The key that sets beta, where beta and not the mesh is what is unusual; empty otherwise.
std::string unusual_beta(const Deck& deck, const NonbondedSettings& nonbonded, double spacing,
                         double allowed)
{
    const double usual = ewald_beta_for_tolerance(nonbonded.coulomb_cutoff, 1e-5);
    const bool is_beta = nonbonded.ewald_beta > 1.2 * usual &&
                         mesh_error_in_water(usual, spacing, nonbonded.pme_order) <= allowed;
    return is_beta ? (deck.pme.beta ? "pme.beta" : "pme.tolerance") : "";
}

/// Usual values of the key that sets beta.
std::string usual_splitting(const Deck& deck, const NonbondedSettings& nonbonded)
{
    const auto beta_at = [&](double tolerance) {
        return ewald_beta_for_tolerance(nonbonded.coulomb_cutoff, tolerance);
    };
    return deck.pme.beta
               ? fmt::format("pme.beta = \"{:.3g} /nm\" is usual at this cut-off ({:.3g} to {:.3g} "
                             "/nm; here {:.4g})",
                             beta_at(1e-5), beta_at(1e-4), beta_at(1e-6), nonbonded.ewald_beta)
               : fmt::format("pme.tolerance = 1e-5 is usual (1e-6 to 1e-4; here {:.3g})",
                             deck.pme.tolerance);
}

/// Of what the mesh does not hold, the part that the cut-off drops.
void warn_of_a_cut_sum(const Deck& deck, const NonbondedSettings& nonbonded,
                       Diagnostics& diagnostics)
{
    constexpr double much = 1e-3; // a hundred times the usual
    const double dropped = std::erfc(nonbonded.ewald_beta * nonbonded.coulomb_cutoff);
    if (dropped > much * (1 + 1e-6)) {
        diagnostics.warning(
            {deck.place_of(deck.pme.beta ? "pme.beta" : "pme.tolerance"),
             fmt::format("{} leaves {:.2g} of the Coulomb potential to be dropped at the cut-off",
                         deck.pme.beta ? "pme.beta" : "pme.tolerance", dropped),
             "", usual_splitting(deck, nonbonded)});
    }
}

/// What would bring the error of the mesh below `allowed`.
std::string finer_mesh(const Deck& deck, const Box& box, const NonbondedSettings& nonbonded,
                       double spacing, double error, double allowed)
{
    const int order = nonbonded.pme_order;
    const double usual = ewald_beta_for_tolerance(nonbonded.coulomb_cutoff, 1e-5);
    const bool is_unusual = nonbonded.ewald_beta > 1.2 * usual;
    const double exact =
        spacing * std::pow(allowed / error, 1 / (order + 0.8)); // errors ~ h^(p+0.8)
    const double wanted = std::floor(exact * 1000) / 1000;
    const auto grid = wanted > 0 ? grid_that_fits(box, wanted, order) : std::nullopt;
    std::string out;
    if (grid && wanted >= 0.03) {
        out = deck.gives("pme.grid")
                  ? fmt::format("grid = [{}, {}, {}] would do", (*grid)[0], (*grid)[1], (*grid)[2])
                  : fmt::format("spacing = \"{:.3f} nm\" would do", wanted);
        if (order < 6 && mesh_error_in_water(nonbonded.ewald_beta, spacing, order + 1) <= allowed) {
            out += fmt::format(", or order = {}", order + 1);
        }
    }
    if (is_unusual) {
        out += out.empty() ? "" : "; ";
        out += usual_splitting(deck, nonbonded);
    }
    return out.empty() ? "choose a longer cut-off: 0.9 to 1.2 nm are usual" : out;
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
        warn_of_a_cut_sum(deck, nonbonded, diagnostics);
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
             fmt::format("{}: the PME mesh would need {:.3g} GB for {:.3g} points (a mesh gets "
                         "{:.3g} GB at most on this machine)",
                         key, points * bytes_per_point * 1e-9, points, largest_mesh() * 1e-9),
             "",
             fmt::format("the box is {:.4g} x {:.4g} x {:.4g} nm: {}", edges.x, edges.y, edges.z,
                         smaller_mesh(deck, box, nonbonded, spacing))});
        return;
    }
    const auto& grid = nonbonded.pme_grid;
    const double spacing = std::max({edges.x / grid[0], edges.y / grid[1], edges.z / grid[2]});
    const double error = mesh_error_in_water(nonbonded.ewald_beta, spacing, nonbonded.pme_order);
    if (coulomb_mesh && error > 0.1) {
        if (nonbonded.coulomb_cutoff < shortest_cutoff && !deck.pme.beta) {
            const char* const key = deck.gives("nonbonded.coulomb_cutoff")
                                        ? "nonbonded.coulomb_cutoff"
                                        : "nonbonded.cutoff";
            diagnostics.error(
                {deck.place_of(key),
                 fmt::format("a Coulomb cut-off of {:.4g} nm leaves nearly all to the PME mesh, "
                             "which would need a spacing far below the mesh's {:.4g} nm (at beta "
                             "{:.4g} /nm the relative error of forces is about {:.1g})",
                             nonbonded.coulomb_cutoff, spacing, nonbonded.ewald_beta, error),
                 "", "look at its unit; 0.8 to 1.2 nm are usual"});
            return;
        }
        const std::string beta = unusual_beta(deck, nonbonded, spacing, 0.1);
        diagnostics.error(
            {deck.place_of(beta.empty() ? key_of_mesh(deck) : beta),
             fmt::format("the PME mesh is far too coarse (spacing {:.4g} nm at order {} and beta "
                         "{:.4g} /nm: relative error of forces about {:.1g})",
                         spacing, nonbonded.pme_order, nonbonded.ewald_beta, error),
             "", finer_mesh(deck, box, nonbonded, spacing, error, usual_error)});
        return;
    }
    const double allowed = errors_a_tolerance * deck.pme.tolerance;
    if (coulomb_mesh && error > allowed && !deck.pme.beta) {
        const std::string unusual = unusual_beta(deck, nonbonded, spacing, usual_error);
        diagnostics.warning(
            {deck.place_of(unusual.empty() ? key_of_mesh(deck) : unusual),
             fmt::format(
                 "the PME mesh is coarser than the tolerance deserves (spacing {:.4g} nm at "
                 "order {}: relative error of forces about {:.1e}, tolerance {:.1e})",
                 spacing, nonbonded.pme_order, error, deck.pme.tolerance),
             "", finer_mesh(deck, box, nonbonded, spacing, error, allowed)});
    }
}

} // namespace tessera
