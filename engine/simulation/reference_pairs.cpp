#include "engine/simulation/reference_pairs.hpp"

#include "engine/base/contract.hpp"
#include "engine/base/error.hpp"
#include "engine/cpu/mesh_c6.hpp"
#include "engine/cpu/pair_batch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <vector>

namespace tessera
{

namespace
{

std::size_t at(std::int64_t k)
{
    return static_cast<std::size_t>(k);
}

/// Energy and force of single pairs.
class PairLaw {
public:
    PairLaw(const Topology& topology, const NonbondedSettings& settings)
        : topology_(topology), form_(make_pair_form(settings, topology.coulomb_constant))
    {
        if (settings.lj_pme) {
            mesh_c6_ = make_mesh_c6(topology.pairs, settings.lj_combination);
        }
        cutoff2_ = form_.coulomb == CoulombForm::none
                       ? form_.lj_cutoff2
                       : std::max(form_.lj_cutoff2, form_.coulomb_cutoff2);
    }
    [[nodiscard]] double cutoff2() const { return cutoff2_; }

    [[nodiscard]] PairResult<double> lennard_jones_of(std::size_t i, std::size_t j, double r2) const
    {
        if (!(r2 < form_.lj_cutoff2)) {
            return {0, 0};
        }
        const PairTable& pairs = topology_.pairs;
        const std::size_t k = pairs.at(topology_.type[i], topology_.type[j]);
        const LjPair<double> p{pairs.c6[k], pairs.c12[k], pairs.has_c4() ? pairs.c4[k] : 0.0};
        const double r = std::sqrt(r2);
        PairResult<double> out{0, 0};
        switch (form_.lj) {
        case LjModifier::none:
            out = lennard_jones(p, 1 / r2);
            break;
        case LjModifier::potential_shift:
            out = lennard_jones_shifted(p, 1 / r2, form_.shift);
            break;
        case LjModifier::force_switch:
            out = lennard_jones_force_switch(p, r, 1 / r, form_.force_switch);
            break;
        case LjModifier::potential_switch:
            out = lennard_jones_potential_switch(p, r, 1 / r, form_.potential_switch);
            break;
        }
        if (form_.lj_ewald) {
            PairResult<double> mesh = lj_ewald_real(mesh_c6_[k], r2, 1 / r2, form_.lj_beta2,
                                                    std::exp(-form_.lj_beta2 * r2));
            mesh.energy -= mesh_c6_[k] * form_.lj_ewald_shift;
            out = out + mesh;
        }
        return out;
    }

    [[nodiscard]] PairResult<double> coulomb_of(std::size_t i, std::size_t j, double r2) const
    {
        const double strength =
            form_.coulomb_constant * (topology_.charge[i] * topology_.charge[j]);
        if (form_.coulomb == CoulombForm::none || strength == 0 || !(r2 < form_.coulomb_cutoff2)) {
            return {0, 0};
        }
        const double r = std::sqrt(r2);
        return form_.coulomb == CoulombForm::reaction_field
                   ? reaction_field(strength, r2, 1 / r, form_.field)
                   : ewald_real(strength, 1 / r, form_.beta, exact_screening(form_.beta * r),
                                form_.ewald_shift);
    }

private:
    const Topology& topology_;
    PairForm form_;
    std::vector<double> mesh_c6_;
    double cutoff2_;
};

/// Atoms sorted into bricks of the cell (of one brick, in open space). Every image of an atom
/// within the cut-off of another stands in the brick of that one or at most `reach` bricks away,
/// counted through the periodic boundary as often as need be.
struct Cells {
    std::array<int, 3> count{1, 1, 1}, reach{0, 0, 0};
    std::vector<Vec3> position; ///< inside the cell, [atoms]
    std::vector<std::array<std::int16_t, 3>> home;
    std::vector<std::vector<std::int32_t>> atoms;

    [[nodiscard]] std::size_t index(int x, int y, int z) const
    {
        return at((static_cast<std::int64_t>(z) * count[1] + y) * count[0] + x);
    }
};

Cells sorted(const Box& box, std::span<const Vec3> positions, double cutoff)
{
    Cells out;
    out.position.assign(positions.begin(), positions.end());
    if (box.is_periodic()) {
        const Vec3 heights = box.heights();
        for (int k = 0; k < 3; ++k) {
            constexpr double most = 256;
            const double cells = std::floor(2 * heights[k] / cutoff);
            out.count[at(k)] = static_cast<int>(std::clamp(cells, 1.0, most));
            out.reach[at(k)] =
                static_cast<int>(std::ceil(cutoff * out.count[at(k)] / heights[k] + 1e-9));
        }
    }
    out.atoms.resize(at(static_cast<std::int64_t>(out.count[0]) * out.count[1] * out.count[2]));
    out.home.reserve(positions.size());
    for (std::size_t a = 0; a < positions.size(); ++a) {
        std::array<std::int16_t, 3> home{0, 0, 0};
        if (box.is_periodic()) {
            const Vec3 s = box.to_fraction(positions[a]);
            const Vec3 cell{std::floor(s.x), std::floor(s.y), std::floor(s.z)};
            out.position[a] = positions[a] - box.to_cartesian(cell);
            for (int k = 0; k < 3; ++k) {
                const auto brick = static_cast<int>((s[k] - cell[k]) * out.count[at(k)]);
                home[at(k)] = static_cast<std::int16_t>(std::clamp(brick, 0, out.count[at(k)] - 1));
            }
        }
        out.home.push_back(home);
        out.atoms[out.index(home[0], home[1], home[2])].push_back(static_cast<std::int32_t>(a));
    }
    return out;
}

int floor_div(int a, int b)
{
    return (a >= 0 ? a : a - b + 1) / b;
}

/// Calls visit(j, displacement x_i - x_j) for every image of the atoms j > i that may be near.
template <class Visit>
void for_neighbours(const Box& box, const Cells& cells, std::size_t i, const Visit& visit)
{
    const auto& home = cells.home[i];
    std::array<int, 3> k{};
    for (k[2] = home[2] - cells.reach[2]; k[2] <= home[2] + cells.reach[2]; ++k[2]) {
        for (k[1] = home[1] - cells.reach[1]; k[1] <= home[1] + cells.reach[1]; ++k[1]) {
            for (k[0] = home[0] - cells.reach[0]; k[0] <= home[0] + cells.reach[0]; ++k[0]) {
                std::array<int, 3> image{}, inside{};
                for (std::size_t d = 0; d < 3; ++d) {
                    image[d] = floor_div(k[d], cells.count[d]);
                    inside[d] = k[d] - image[d] * cells.count[d];
                }
                Vec3 x = cells.position[i];
                if (image != std::array<int, 3>{}) {
                    x -= box.shift(image[0], image[1], image[2]);
                }
                for (const std::int32_t j :
                     cells.atoms[cells.index(inside[0], inside[1], inside[2])]) {
                    if (at(j) > i) {
                        visit(at(j), x - cells.position[at(j)]);
                    }
                }
            }
        }
    }
}

void require_room(const Box& box, double cutoff)
{
    if (box.is_periodic() && !(cutoff <= 0.5 * box.shortest_height() * (1 + 1e-12))) {
        throw InputError(fmt::format("the cut-off {:.6g} nm does not fit the cell (half its "
                                     "shortest height is {:.7g} nm). Choose a smaller cut-off or a "
                                     "larger cell.",
                                     cutoff, 0.5 * box.shortest_height()));
    }
}

/// Adds to the sum of an atom that other threads add to.
class SharedSums {
public:
    explicit SharedSums(ForceSums& all) : all_(all)
    {
        TESSERA_EXPECT(all.mode() == SumMode::exact);
    }
    void add(std::size_t atom, const Vec3& f)
    {
        one_.set(0, f);
        if (one_.out_of_range() >= 0) {
            out_of_range_ = static_cast<std::int64_t>(atom);
            one_.clear();
            return;
        }
        for (std::size_t k = 0; k < 3; ++k) {
            std::int64_t& sum = all_.fixed()[atom][k];
            const std::int64_t more = one_.fixed()[0][k];
#pragma omp atomic
            sum += more;
        }
    }
    [[nodiscard]] std::int64_t out_of_range() const
    {
        return out_of_range_;
    }

private:
    ForceSums& all_;
    ForceSums one_{1, SumMode::exact};
    std::int64_t out_of_range_ = -1; ///< an atom whose addend did not fit
};

} // namespace

void add_reference_pairs(const Topology& topology, const NonbondedSettings& settings,
                         const Box& box, std::span<const Vec3> positions, int threads,
                         ForceSums& forces, EnergySums& energies)
{
    const PairLaw law(topology, settings);
    require_room(box, std::sqrt(law.cutoff2()));
    const Cells cells = sorted(box, positions, std::sqrt(law.cutoff2()));
    const auto atoms = static_cast<std::int64_t>(positions.size());
#pragma omp parallel num_threads(std::max(1, threads))
    {
        SharedSums mine(forces); // an array a thread would be large
        EnergySums my_energies;
#pragma omp for schedule(dynamic, 64)
        for (std::int64_t a = 0; a < atoms; ++a) {
            const std::size_t i = at(a);
            const RaggedList& excluded = topology.exclusions;
            double lj = 0, coulomb = 0;
            Mat3 virial;
            for_neighbours(box, cells, i, [&](std::size_t j, const Vec3& d) {
                const double r2 = norm2(d);
                if (!(r2 < law.cutoff2()) || std::binary_search(excluded.begin(i), excluded.end(i),
                                                                static_cast<std::int32_t>(j))) {
                    return;
                }
                const PairResult<double> p = law.lennard_jones_of(i, j, r2);
                const PairResult<double> q = law.coulomb_of(i, j, r2);
                const Vec3 f = (p.force_over_r + q.force_over_r) * d;
                mine.add(i, f);
                mine.add(j, -f);
                lj += p.energy;
                coulomb += q.energy;
                virial += -0.5 * outer(d, f);
            });
            my_energies.add(EnergyKind::lj, lj);
            my_energies.add(EnergyKind::coulomb_real, coulomb);
            my_energies.add_virial(virial);
        }
#pragma omp critical(reference_pairs_merge)
        {
            if (mine.out_of_range() >= 0 && forces.out_of_range() < 0) {
                forces.mark_pair(mine.out_of_range(), -1);
            }
            energies.merge(my_energies);
        }
    }
}

} // namespace tessera
