#include "engine/cpu/long_range.hpp"

#include "engine/base/error.hpp"
#include "engine/cpu/mesh_c6.hpp"
#include "engine/cpu/position_grid.hpp"
#include "engine/math/constants.hpp"
#include "engine/plans/pme_plan.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tessera
{

namespace
{

void require_positive(double beta, const char* what)
{
    if (!(beta > 0) || !std::isfinite(beta)) {
        throw InputError(
            fmt::format("the splitting parameter of {} is {} /nm. Give a tolerance or a "
                        "positive beta.",
                        what, beta));
    }
}

/// Roots of the dispersion coefficients: one set where types mix geometrically, else the seven of
/// the Lorentz-Berthelot binomial, e sigma^k with e = 2 sqrt(epsilon).
std::vector<std::vector<double>> dispersion_coefficients(const Topology& topology,
                                                         LjCombination combination)
{
    const std::size_t atoms = topology.type.size();
    if (combination == LjCombination::geometric) {
        const std::vector<double> cg = make_mesh_c6(topology.pairs, combination);
        std::vector<double> root(atoms);
        for (std::size_t a = 0; a < atoms; ++a) {
            root[a] = std::sqrt(cg[topology.pairs.at(topology.type[a], topology.type[a])]);
        }
        return {root};
    }
    std::vector<std::vector<double>> sets(7, std::vector<double>(atoms));
    for (std::size_t a = 0; a < atoms; ++a) {
        const auto type = static_cast<std::size_t>(topology.type[a]);
        double power = 2.0 * std::sqrt(topology.pairs.epsilon[type]);
        for (std::vector<double>& set : sets) {
            set[a] = power;
            power *= topology.pairs.sigma[type];
        }
    }
    return sets;
}

} // namespace

LongRange::LongRange(const Topology& topology, const NonbondedSettings& settings)
    : LongRange(std::make_shared<const Topology>(topology), settings)
{
}

LongRange::LongRange(const std::shared_ptr<const Topology>& shared,
                     const NonbondedSettings& settings)
    : drift_(0.5 * std::max(0.0, settings.list_buffer))
{
    const Topology& topology = *shared;
    const std::vector<Coefficients> charges{Coefficients(shared, &shared->charge)};
    const bool has_charge = std::any_of(topology.charge.begin(), topology.charge.end(),
                                        [](double q) { return q != 0.0; });
    const bool is_ewald = settings.electrostatics == Electrostatics::pme ||
                          settings.electrostatics == Electrostatics::ewald;
    if (is_ewald) {
        require_positive(settings.ewald_beta, "electrostatics");
        const CoulombWaves waves{topology.coulomb_constant, settings.ewald_beta};
        std::int64_t net_units = 0;
        for (const double q : topology.charge) {
            net_units += to_fixed(q, fixed::mesh_scale);
        }
        const double net = from_fixed(net_units, fixed::mesh_scale);
        background_ =
            constants::pi * waves.coulomb_constant * net * net / (2.0 * waves.beta * waves.beta);
        if (settings.electrostatics == Electrostatics::pme) {
            check_pme_grid(settings.pme_grid, settings.pme_order);
        }
        const bool has_mesh = has_charge && settings.electrostatics == Electrostatics::pme;
        if (has_mesh && settings.precision == Precision::mixed) {
            mixed_coulomb_mesh_.emplace(settings.pme_grid, settings.pme_order, waves, charges,
                                        EnergyKind::coulomb_reciprocal);
        } else if (has_mesh) {
            coulomb_mesh_.emplace(settings.pme_grid, settings.pme_order, waves, charges,
                                  EnergyKind::coulomb_reciprocal);
        } else if (has_charge) {
            waves_.emplace(waves, topology.charge);
        }
    }
    if (settings.lj_pme) {
        require_positive(settings.lj_ewald_beta, "LJ-PME");
        dispersion_mesh_.emplace(
            settings.pme_grid, settings.pme_order, DispersionWaves{settings.lj_ewald_beta},
            dispersion_coefficients(topology, settings.lj_combination), EnergyKind::lj_reciprocal);
    }
}

template <class Visit>
void LongRange::for_each_mesh(const Visit& visit)
{
    const auto visit_one = [&](auto& mesh) {
        if (mesh) {
            visit(*mesh);
        }
    };
    visit_one(coulomb_mesh_);
    visit_one(mixed_coulomb_mesh_);
    visit_one(dispersion_mesh_);
}

void LongRange::restrict_to(std::span<const std::int32_t> atoms, Transport& ranks)
{
    if (waves_) {
        throw NotBuilt("direct Ewald sums are not shared between ranks. Use electrostatics = "
                       "\"pme\", or one rank.");
    }
    for_each_mesh([&](auto& mesh) { mesh.restrict_to(atoms, ranks, drift_); });
    if (ranks.rank() != 0) {
        background_ = 0; // the first rank books it
    }
}

bool LongRange::add_ahead(const Box& box, std::span<const Vec3> positions, Wanted wanted,
                          int threads, EnergySums& energies)
{
    if (is_ahead_ || (!coulomb_mesh_ && !mixed_coulomb_mesh_ && !dispersion_mesh_ && !waves_)) {
        return false;
    }
    if (!box.is_periodic()) {
        throw InputError("an Ewald sum (pme, ewald, LJ-PME) needs a periodic cell, but there is "
                         "none. Give a cell, or choose \"cutoff\" or \"reaction-field\".");
    }
    const PositionGrid grid(box);
    const CanonicalPositions canonical(grid, positions);
    for_each_mesh([&](auto& mesh) {
        mesh.make_potential(grid.box(), canonical, wanted, std::max(1, threads), energies);
    });
    const double background = -background_ / grid.box().volume();
    if (wanted.energies) {
        energies.add(EnergyKind::coulomb_reciprocal, background);
    }
    if (wanted.virial) {
        energies.add_virial((-0.5 * background) * identity3());
    }
    is_ahead_ = true;
    return true;
}

void LongRange::add_forces(const Box& box, std::span<const Vec3> positions, Wanted wanted,
                           int threads, ForceSums& forces, EnergySums& energies)
{
    static_cast<void>(add_ahead(box, positions, wanted, threads, energies));
    if (!std::exchange(is_ahead_, false)) {
        return;
    }
    threads = std::max(1, threads);
    const PositionGrid grid(box);
    for_each_mesh([&](auto& mesh) { mesh.add_mesh_forces(grid.box(), wanted, threads, forces); });
    if (waves_) {
        const std::vector<Vec3> canonical = canonical_positions(grid, positions, threads);
        waves_->add_forces(grid.box(), canonical, wanted, threads, forces, energies);
    }
}

void LongRange::let_go()
{
    for_each_mesh([](auto& mesh) { mesh.let_go(); });
}

void LongRange::make_room()
{
    for_each_mesh([](auto& mesh) { mesh.make_room(); });
}

std::vector<PhaseHash> LongRange::phase_hashes() const
{
    std::vector<PhaseHash> out;
    const auto add = [&out](const auto& mesh, const char* prefix) {
        for (PhaseHash& hash : mesh ? mesh->phase_hashes() : std::vector<PhaseHash>()) {
            out.push_back({prefix + hash.phase, hash.value});
        }
    };
    add(coulomb_mesh_, "");
    add(mixed_coulomb_mesh_, "");
    add(dispersion_mesh_, "LJ ");
    return out;
}

} // namespace tessera
