#include "engine/cpu/update_groups.hpp"

#include "engine/base/fixed_point.hpp"
#include "engine/cpu/few.hpp"

#include <array>
#include <cmath>
#include <queue>
#include <vector>

namespace tessera
{

namespace
{

std::size_t at(std::int32_t i)
{
    return static_cast<std::size_t>(i);
}

GridPosition operator-(const GridPosition& a, const GridPosition& b)
{
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
GridPosition operator+(const GridPosition& a, const GridPosition& b)
{
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}

/// k_x a + k_y b + k_z c in integers.
GridPosition cell_shift(const Box& box, const std::array<std::int64_t, 3>& k)
{
    GridPosition out;
    for (std::size_t r = 0; r < 3; ++r) {
        const GridPosition row = to_grid(box.vectors()[static_cast<int>(r)]);
        out = out + GridPosition{k[r] * row.x, k[r] * row.y, k[r] * row.z};
    }
    return out;
}

/// Which cell a point lies in: the multiples of the cell vectors that wrapping takes away.
std::array<std::int64_t, 3> cell_of(const Box& box, const GridPosition& x)
{
    std::array<std::int64_t, 3> k{};
    GridPosition rest = x;
    for (int r = 2; r >= 0; --r) {
        const Vec3 nm = to_nm(rest);
        const auto n = static_cast<std::int64_t>(std::floor(nm[r] / box.vectors()[r][r]));
        k[static_cast<std::size_t>(r)] = n;
        std::array<std::int64_t, 3> one{};
        one[static_cast<std::size_t>(r)] = n;
        rest = rest - cell_shift(box, one);
    }
    return k;
}

/// Centre of mass relative to the first atom.
Vec3 centre_offset(const std::int32_t* begin, const std::int32_t* end, std::span<const double> mass,
                   std::span<const GridPosition> positions, double& total)
{
    Vec3 sum;
    total = 0;
    for (const auto* a = begin; a != end; ++a) {
        total += mass[at(*a)];
        sum += mass[at(*a)] * to_nm(positions[at(*a)] - positions[at(*begin)]);
    }
    return (1 / total) * sum;
}

} // namespace

void make_groups_whole(const Topology& topology, const ConstraintPlan& plan, const Box& box,
                       std::span<GridPosition> positions)
{
    if (!box.is_periodic()) {
        return;
    }
    std::vector<std::vector<std::int32_t>> linked(positions.size());
    const auto link = [&](std::int32_t i, std::int32_t j) {
        linked[at(i)].push_back(j);
        linked[at(j)].push_back(i);
    };
    for (const DistanceConstraint& c : topology.constraints) {
        link(c.i, c.j);
    }
    for (const RigidWater& w : topology.rigid_waters) {
        link(w.o, w.h1);
        link(w.o, w.h2);
    }
    for (const VirtualSite& site : topology.virtual_sites) {
        for (const std::int32_t parent : site.parents) {
            link(site.parents[0], parent);
        }
        link(site.parents[0], site.site);
    }
    std::vector<std::uint8_t> placed(positions.size(), 0);
    for (std::size_t g = 0; g < plan.update_groups->rows(); ++g) {
        std::queue<std::int32_t> open;
        open.push(*plan.update_groups->begin(g));
        placed[at(open.front())] = 1;
        for (; !open.empty(); open.pop()) {
            const std::int32_t i = open.front();
            for (const std::int32_t j : linked[at(i)]) {
                if (placed[at(j)] != 0) {
                    continue;
                }
                placed[at(j)] = 1;
                open.push(j);
                const Vec3 direct = to_nm(positions[at(j)] - positions[at(i)]);
                const Vec3 shift = box.shortest(direct) - direct;
                // whole multiples of the cell vectors: rounding here picks integers, no more
                const Vec3 k = box.to_fraction(shift);
                positions[at(j)] =
                    positions[at(j)] +
                    cell_shift(box, {std::llrint(k.x), std::llrint(k.y), std::llrint(k.z)});
            }
        }
    }
}

GroupMotion measure_groups(const RaggedList& groups, std::span<const double> mass,
                           std::span<const GridPosition> positions,
                           std::span<const Vec3> velocities, const ForceSums& forces,
                           const Crew& crew)
{
    return measure_groups(
        groups, mass, positions, [&](std::size_t a) { return velocities[a]; }, forces, crew);
}

GroupMotion measure_groups(const RaggedList& groups, std::span<const double> mass,
                           std::span<const GridPosition> positions, const VelocityOf& velocity,
                           const ForceSums& forces, const Crew& crew)
{
    std::array<ExactSum, 18> total;
    const auto rows = static_cast<std::int64_t>(groups.rows());
#pragma omp parallel num_threads(crew.threads()) if (rows > few_atoms)
    {
        std::array<ExactSum, 18> mine;
#pragma omp for schedule(static)
        for (std::int64_t k = 0; k < rows; ++k) {
            const auto g = static_cast<std::size_t>(k);
            const auto *begin = groups.begin(g), *end = groups.end(g);
            double group_mass = 0;
            const Vec3 centre = centre_offset(begin, end, mass, positions, group_mass);
            if (!(group_mass > 0)) {
                continue;
            }
            Vec3 p;
            Mat3 inner;
            for (const auto* a = begin; a != end; ++a) {
                p += mass[at(*a)] * velocity(at(*a));
                const Vec3 r = to_nm(positions[at(*a)] - positions[at(*begin)]) - centre;
                inner += outer(r, forces.force(at(*a)));
            }
            const Mat3 kinetic = (0.5 / group_mass) * outer(p, p);
            for (int i = 0; i < 3; ++i) {
                for (int j = 0; j < 3; ++j) {
                    const auto n = static_cast<std::size_t>(3 * i + j);
                    mine[n].add(kinetic[i][j]);
                    mine[9 + n].add(0.5 * inner[i][j]);
                }
            }
        }
#pragma omp critical(tessera_groups)
        for (std::size_t k = 0; k < total.size(); ++k) {
            total[k].add(mine[k]);
        }
    }
    crew.add_up(total);
    GroupMotion out;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const auto n = static_cast<std::size_t>(3 * i + j);
            out.kinetic[i][j] = total[n].value();
            out.virial_correction[i][j] = total[9 + n].value();
        }
    }
    return out;
}

void scale_groups(const RaggedList& groups, std::span<const double> mass, const Box& old_box,
                  const Box& new_box, double velocity_factor, std::span<GridPosition> positions,
                  std::span<Vec3> velocities, int threads)
{
    const auto rows = static_cast<std::int64_t>(groups.rows());
#pragma omp parallel for num_threads(threads) if (rows > few_atoms) schedule(static)
    for (std::int64_t k = 0; k < rows; ++k) {
        const auto g = static_cast<std::size_t>(k);
        const auto *begin = groups.begin(g), *end = groups.end(g);
        double group_mass = 0;
        Vec3 centre = centre_offset(begin, end, mass, positions, group_mass);
        if (!(group_mass > 0)) {
            continue;
        }
        const auto cell = cell_of(old_box, positions[at(*begin)]);
        const GridPosition from = cell_shift(old_box, cell), to = cell_shift(new_box, cell);
        centre += to_nm(positions[at(*begin)] - from);
        const Vec3 scaled = new_box.to_cartesian(old_box.to_fraction(centre));
        const GridPosition shift = to_grid(scaled - centre) + (to - from);

        Vec3 p;
        for (const auto* a = begin; a != end; ++a) {
            p += mass[at(*a)] * velocities[at(*a)];
        }
        const Vec3 change = ((velocity_factor - 1) / group_mass) * p;
        for (const auto* a = begin; a != end; ++a) {
            positions[at(*a)] = positions[at(*a)] + shift;
            if (mass[at(*a)] > 0) {
                velocities[at(*a)] += change;
            }
        }
    }
}

} // namespace tessera
