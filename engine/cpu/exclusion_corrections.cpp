#include "engine/cpu/exclusion_corrections.hpp"

#include "engine/math/constants.hpp"

#include <cmath>

namespace tessera
{

ExclusionCorrections::ExclusionCorrections(const Topology& topology, const PairForm& form,
                                           const std::vector<double>& mesh_c6,
                                           const RaggedList& pairs, const Topology* self_terms_of)
    : form_(form)
{
    const bool has_field =
        form.coulomb == CoulombForm::reaction_field && (form.field.k != 0.0 || form.field.c != 0.0);
    const bool has_coulomb = form.coulomb == CoulombForm::ewald || has_field;
    is_empty_ = !has_coulomb && !form.lj_ewald;
    if (is_empty_) {
        return;
    }
    const auto cg = [&](const Topology& t, std::size_t a, std::size_t b) {
        return mesh_c6[t.pairs.at(t.type[a], t.type[b])];
    };
    // kJ/mol per e^2, and per kJ/mol nm^6
    const double per_charge2 = form.coulomb == CoulombForm::ewald
                                   ? -form.coulomb_constant * form.beta * 0.5 * two_over_sqrt_pi
                               : has_field ? -0.5 * form.coulomb_constant * form.field.c
                                           : 0.0;
    const double per_c6 =
        form.lj_ewald ? form.lj_beta2 * form.lj_beta2 * form.lj_beta2 / 12.0 : 0.0;
    for (std::size_t a = 0; self_terms_of != nullptr && a < self_terms_of->charge.size(); ++a) {
        const double q = self_terms_of->charge[a];
        self_coulomb_.add(per_charge2 * (q * q));
        self_lj_.add(form.lj_ewald ? per_c6 * cg(*self_terms_of, a, a) : 0.0);
    }
    for (std::size_t a = 0; a < topology.charge.size(); ++a) {
        for (const std::int32_t* b = pairs.begin(a); b != pairs.end(a); ++b) {
            const auto other = static_cast<std::size_t>(*b);
            if (other < a) {
                continue;
            }
            const double strength =
                has_coulomb ? form.coulomb_constant * (topology.charge[a] * topology.charge[other])
                            : 0.0;
            const double attraction = form.lj_ewald ? cg(topology, a, other) : 0.0;
            if (strength == 0.0 && attraction == 0.0) {
                continue;
            }
            pairs_.push_back({static_cast<std::int32_t>(a), *b});
            strength_.push_back(strength);
            if (form.lj_ewald) {
                cg_.push_back(attraction);
            }
        }
    }
}

void ExclusionCorrections::add_pair(const Box& box, std::span<const Vec3> canonical,
                                    std::size_t pair, Wanted wanted, ForceSums& forces,
                                    EnergySums& energies) const
{
    const auto i = static_cast<std::size_t>(pairs_[pair][0]);
    const auto j = static_cast<std::size_t>(pairs_[pair][1]);
    const Vec3 d = box.shortest(canonical[i] - canonical[j]);
    const double r2 = norm2(d);
    PairResult<double> coulomb{0, 0}, lj{0, 0};
    if (form_.coulomb == CoulombForm::ewald) {
        coulomb = ewald_excluded(strength_[pair], r2, form_.beta);
    } else if (form_.coulomb == CoulombForm::reaction_field && r2 < form_.coulomb_cutoff2) {
        coulomb = reaction_field_excluded(strength_[pair], r2, form_.field);
    }
    if (form_.lj_ewald) {
        lj = lj_ewald_excluded(cg_[pair], r2, form_.lj_beta2);
    }
    const Vec3 f = (coulomb.force_over_r + lj.force_over_r) * d;
    forces.add(i, f);
    forces.add(j, -f);
    if (wanted.energies) {
        energies.add(EnergyKind::coulomb_real, coulomb.energy);
        energies.add(EnergyKind::lj, lj.energy);
    }
    if (wanted.virial) {
        energies.add_virial(-0.5 * outer(d, f));
    }
}

void ExclusionCorrections::add_forces(const PositionGrid& grid, std::span<const Vec3> canonical,
                                      Wanted wanted, int threads, ForceSums& forces,
                                      EnergySums& energies) const
{
    if (is_empty_) {
        return;
    }
    if (wanted.energies) {
        energies.add(EnergyKind::coulomb_real, self_coulomb_);
        energies.add(EnergyKind::lj, self_lj_);
    }
    const auto pairs = static_cast<std::int64_t>(pairs_.size());
    if (threads <= 1 || pairs < 4096) { // a copy of the sums a thread costs more than so few pairs
        for (std::int64_t k = 0; k < pairs; ++k) {
            add_pair(grid.box(), canonical, static_cast<std::size_t>(k), wanted, forces, energies);
        }
        return;
    }
#pragma omp parallel num_threads(threads)
    {
        ForceSums mine(forces.size(), forces.mode());
        EnergySums my_energies;
#pragma omp for schedule(static) nowait
        for (std::int64_t k = 0; k < pairs; ++k) {
            add_pair(grid.box(), canonical, static_cast<std::size_t>(k), wanted, mine, my_energies);
        }
#pragma omp critical(exclusion_corrections_merge)
        {
            forces.merge(mine);
            energies.merge(my_energies);
        }
    }
}

} // namespace tessera
