#include "engine/cpu/constraints.hpp"

#include "engine/base/fixed_point.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <tuple>

namespace tessera
{

namespace
{

constexpr double tolerance = 1e-12; // relative; the grid of positions allows 1e-14

std::size_t at(std::int32_t i)
{
    return static_cast<std::size_t>(i);
}

/// The least item that failed: the same one for any number of threads.
class FirstFailure {
public:
    void note(std::int64_t item)
    {
        std::int64_t least = least_.load();
        while (item < least && !least_.compare_exchange_weak(least, item)) {
        }
    }
    [[nodiscard]] bool happened() const { return least_.load() != none; }
    [[nodiscard]] std::size_t item() const { return static_cast<std::size_t>(least_.load()); }

private:
    static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    std::atomic<std::int64_t> least_ = none;
};

SmallNetwork small_network(std::span<const ConstraintPlan::Bond> bonds, const std::int32_t* atoms,
                           std::size_t count, std::span<const double> mass, const Box& box,
                           std::span<const GridPosition> positions)
{
    SmallNetwork n;
    n.atoms = static_cast<int>(count);
    n.constraints = static_cast<int>(bonds.size());
    for (std::size_t a = 0; a < count; ++a) {
        n.inverse_mass[a] = 1 / mass[at(atoms[a])];
    }
    for (std::size_t k = 0; k < bonds.size(); ++k) {
        n.bond[k] = {bonds[k].i, bonds[k].j, bonds[k].length};
        n.direction[k] =
            nearest_side(box, positions[at(atoms[bonds[k].i])], positions[at(atoms[bonds[k].j])]);
    }
    return n;
}

std::vector<Vec3> directions(std::span<const ConstraintPlan::Bond> bonds, const std::int32_t* atoms,
                             const Box& box, std::span<const GridPosition> positions)
{
    std::vector<Vec3> out;
    out.reserve(bonds.size());
    for (const ConstraintPlan::Bond& b : bonds) {
        out.push_back(nearest_side(box, positions[at(atoms[b.i])], positions[at(atoms[b.j])]));
    }
    return out;
}

std::vector<Vec3> gathered(std::span<const Vec3> values, const std::int32_t* atoms,
                           std::size_t count)
{
    std::vector<Vec3> out(count);
    for (std::size_t a = 0; a < count; ++a) {
        out[a] = values[at(atoms[a])];
    }
    return out;
}

} // namespace

Constraints::Constraints(const Topology& topology, ConstraintPlan plan)
    : Constraints(std::make_shared<const std::vector<double>>(topology.mass), std::move(plan))
{
}

Constraints::Constraints(const std::shared_ptr<const Topology>& topology, ConstraintPlan plan)
    : Constraints(std::shared_ptr<const std::vector<double>>(topology, &topology->mass),
                  std::move(plan))
{
    plan_.share_with(topology);
}

Constraints::Constraints(std::shared_ptr<const std::vector<double>> shared, ConstraintPlan plan)
    : plan_(std::move(plan)), mass_(std::move(shared))
{
    const std::vector<double>& mass = *mass_;
    std::vector<std::tuple<double, double, double, double>> kinds;
    shape_of_.reserve(plan_.waters->size());
    for (const RigidWater& w : *plan_.waters) {
        const std::tuple kind{mass[at(w.o)], mass[at(w.h1)], w.d_oh, w.d_hh};
        auto found = std::find(kinds.begin(), kinds.end(), kind);
        if (found == kinds.end()) {
            shapes_.emplace_back(std::get<0>(kind), std::get<1>(kind), w.d_oh, w.d_hh);
            found = kinds.insert(kinds.end(), kind);
        }
        shape_of_.push_back(static_cast<std::int32_t>(found - kinds.begin()));
    }
    for (std::size_t g = 0; g < plan_.networks(); ++g) {
        const auto bonds = bonds_of(g);
        const auto count = plan_.network_atoms.length(g);
        if (bonds.size() <= SmallNetwork::most_constraints) {
            large_of_.push_back(-1);
            continue;
        }
        std::vector<double> inverse_mass;
        for (std::size_t a = 0; a < count; ++a) {
            inverse_mass.push_back(1 / mass[at(plan_.network_atoms.begin(g)[a])]);
        }
        large_of_.push_back(static_cast<std::int32_t>(large_.size()));
        large_.emplace_back(std::move(inverse_mass), bonds);
    }
}

BrokenConstraint Constraints::broken(std::size_t network, std::size_t bond) const
{
    const auto bonds = bonds_of(network);
    const ConstraintPlan::Bond& b = bonds[std::min(bond, bonds.size() - 1)];
    const std::int32_t* atoms = plan_.network_atoms.begin(network);
    return {atoms[b.i], atoms[b.j], b.length};
}

/// Calls `solve(network, add, worst)`, which makes the corrections of a network's atoms or names
/// the bond that failed; corrections of a network that failed are left alone.
template <class Solve>
std::optional<BrokenConstraint> Constraints::solve_networks(std::span<Vec3> correction, int threads,
                                                            const Solve& solve)
{
    FirstFailure failed;
    std::vector<std::size_t> worst(plan_.networks(), 0);
    const auto networks = static_cast<std::int64_t>(plan_.networks());
#pragma omp parallel for num_threads(threads) schedule(dynamic, 64)
    for (std::int64_t k = 0; k < networks; ++k) {
        const auto g = static_cast<std::size_t>(k);
        const std::int32_t* atoms = plan_.network_atoms.begin(g);
        const std::size_t count = plan_.network_atoms.length(g);
        Vec3 few[SmallNetwork::most_atoms];
        std::vector<Vec3> many(count > std::size(few) ? count : 0);
        const std::span<Vec3> add(many.empty() ? few : many.data(), count);
        if (!solve(g, add, worst[g])) {
            failed.note(k);
            continue;
        }
        for (std::size_t a = 0; a < count; ++a) {
            correction[at(atoms[a])] = add[a];
        }
    }
    if (failed.happened()) {
        return broken(failed.item(), worst[failed.item()]);
    }
    return std::nullopt;
}

std::optional<BrokenConstraint> Constraints::constrain_positions(const Box& box,
                                                                 std::span<const GridPosition> old,
                                                                 std::span<const Vec3> moved,
                                                                 std::span<Vec3> correction,
                                                                 int threads)
{
    FirstFailure water_failed;
    const WatersToSettle work = {box,        *plan_.waters, shapes_,          shape_of_,
                                 old.data(), moved.data(),  correction.data()};
    constexpr std::int64_t batch = 64;
    const auto waters = static_cast<std::int64_t>(plan_.waters->size());
#pragma omp parallel for num_threads(threads) schedule(static)
    for (std::int64_t first = 0; first < waters; first += batch) {
        const auto end = static_cast<std::size_t>(std::min(first + batch, waters));
        const std::size_t stopped = settle_waters(work, static_cast<std::size_t>(first), end);
        if (stopped < end) {
            water_failed.note(static_cast<std::int64_t>(stopped));
        }
    }
    if (water_failed.happened()) {
        const RigidWater& w = (*plan_.waters)[water_failed.item()];
        return BrokenConstraint{w.o, w.h1, w.d_oh};
    }

    return solve_networks(correction, threads,
                          [&](std::size_t g, std::span<Vec3> add, std::size_t& worst) {
                              const std::int32_t* atoms = plan_.network_atoms.begin(g);
                              const auto bonds = bonds_of(g);
                              if (large_of_[g] >= 0) {
                                  return large_[at(large_of_[g])].constrain_positions(
                                      directions(bonds, atoms, box, old),
                                      gathered(moved, atoms, add.size()), add, tolerance, worst);
                              }
                              Vec3 shift[SmallNetwork::most_atoms];
                              for (std::size_t a = 0; a < add.size(); ++a) {
                                  shift[a] = moved[at(atoms[a])];
                              }
                              return small_network(bonds, atoms, add.size(), *mass_, box, old)
                                  .constrain_positions(shift, add.data(), tolerance, worst);
                          });
}

std::optional<BrokenConstraint>
Constraints::constrain_velocities(const Box& box, std::span<const GridPosition> positions,
                                  std::span<const Vec3> velocities, std::span<Vec3> correction,
                                  int threads)
{
    return constrain_rates(box, positions, velocities, {}, correction, threads);
}

std::optional<BrokenConstraint> Constraints::constrain_accelerations(
    const Box& box, std::span<const GridPosition> positions, std::span<const Vec3> velocities,
    std::span<const Vec3> accelerations, std::span<Vec3> correction, int threads)
{
    return constrain_rates(box, positions, accelerations, velocities, correction, threads);
}

/// Corrections with side . (rate_i - rate_j) + |centripetal_i - centripetal_j|^2 = 0 afterwards.
std::optional<BrokenConstraint>
Constraints::constrain_rates(const Box& box, std::span<const GridPosition> positions,
                             std::span<const Vec3> rates, std::span<const Vec3> centripetal,
                             std::span<Vec3> correction, int threads)
{
    const auto rate_along = [&](const Vec3& side, std::int32_t i, std::int32_t j) {
        const double along = dot(side, rates[at(i)] - rates[at(j)]);
        return centripetal.empty() ? along : along + norm2(centripetal[at(i)] - centripetal[at(j)]);
    };
    const auto waters = static_cast<std::int64_t>(plan_.waters->size());
#pragma omp parallel for num_threads(threads) schedule(static)
    for (std::int64_t k = 0; k < waters; ++k) {
        const RigidWater& w = (*plan_.waters)[static_cast<std::size_t>(k)];
        const Vec3 to_h1 = nearest_side(box, positions[at(w.o)], positions[at(w.h1)]);
        const Vec3 to_h2 = nearest_side(box, positions[at(w.o)], positions[at(w.h2)]);
        const Vec3 side[3] = {to_h1, to_h2, to_h2 - to_h1};
        const double rate[3] = {rate_along(side[0], w.o, w.h1), rate_along(side[1], w.o, w.h2),
                                rate_along(side[2], w.h1, w.h2)};
        const WaterVectors add =
            settle_rates(shapes_[at(shape_of_[static_cast<std::size_t>(k)])], side, rate);
        correction[at(w.o)] = add.o;
        correction[at(w.h1)] = add.h1;
        correction[at(w.h2)] = add.h2;
    }

    return solve_networks(
        correction, threads, [&](std::size_t g, std::span<Vec3> add, std::size_t& worst) {
            const std::int32_t* atoms = plan_.network_atoms.begin(g);
            const auto bonds = bonds_of(g);
            const auto rate_of = [&](const ConstraintPlan::Bond& b, const Vec3& side) {
                return rate_along(side, atoms[b.i], atoms[b.j]);
            };
            if (large_of_[g] >= 0) {
                const std::vector<Vec3> side = directions(bonds, atoms, box, positions);
                std::vector<double> rate(bonds.size());
                for (std::size_t b = 0; b < bonds.size(); ++b) {
                    rate[b] = rate_of(bonds[b], side[b]);
                }
                return large_[at(large_of_[g])].constrain_rates(side, rate, add, worst);
            }
            const SmallNetwork small =
                small_network(bonds, atoms, add.size(), *mass_, box, positions);
            double rate[SmallNetwork::most_constraints];
            for (std::size_t b = 0; b < bonds.size(); ++b) {
                rate[b] = rate_of(bonds[b], small.direction[b]);
            }
            return small.constrain_rates(rate, add.data(), worst);
        });
}

Mat3 Constraints::virial(const Box& box, std::span<const GridPosition> positions,
                         std::span<const Vec3> correction, double scale, const Crew& crew) const
{
    std::array<ExactSum, 9> total;
    const auto add_to = [](std::array<ExactSum, 9>& sums, const Mat3& m) {
        for (int k = 0; k < 3; ++k) {
            for (int l = 0; l < 3; ++l) {
                sums[static_cast<std::size_t>(3 * k + l)].add(m[k][l]);
            }
        }
    };
    const auto force = [&](std::int32_t a) {
        return ((*mass_)[at(a)] * scale) * correction[at(a)];
    };
    const auto waters = static_cast<std::int64_t>(plan_.waters->size());
    const auto networks = static_cast<std::int64_t>(plan_.networks());
#pragma omp parallel num_threads(crew.threads())
    {
        std::array<ExactSum, 9> mine;
#pragma omp for schedule(static) nowait
        for (std::int64_t k = 0; k < waters; ++k) {
            const RigidWater& w = (*plan_.waters)[static_cast<std::size_t>(k)];
            const Vec3 h1 = nearest_side(box, positions[at(w.h1)], positions[at(w.o)]);
            const Vec3 h2 = nearest_side(box, positions[at(w.h2)], positions[at(w.o)]);
            add_to(mine, -0.5 * (outer(h1, force(w.h1)) + outer(h2, force(w.h2))));
        }
#pragma omp for schedule(static)
        for (std::int64_t k = 0; k < networks; ++k) {
            // forces on a network sum to zero: any point may be the origin, but all atoms must lie
            // in one image, so atoms are walked to from the first along the network's own sides
            const auto g = static_cast<std::size_t>(k);
            const std::int32_t* atoms = plan_.network_atoms.begin(g);
            const std::size_t count = plan_.network_atoms.length(g);
            Mat3 sum;
            std::vector<Vec3> place(count);
            std::vector<std::uint8_t> placed(count, 0);
            placed[0] = 1;
            bool grew = true;
            while (grew) {
                grew = false;
                for (const ConstraintPlan::Bond& b : bonds_of(g)) {
                    const auto i = at(b.i), j = at(b.j);
                    if (placed[i] == placed[j]) {
                        continue;
                    }
                    const Vec3 side =
                        nearest_side(box, positions[at(atoms[i])], positions[at(atoms[j])]);
                    place[placed[i] != 0 ? j : i] =
                        placed[i] != 0 ? place[i] - side : place[j] + side;
                    placed[i] = placed[j] = 1;
                    grew = true;
                }
            }
            for (std::size_t a = 0; a < count; ++a) {
                sum += outer(place[a], force(atoms[a]));
            }
            add_to(mine, -0.5 * sum);
        }
#pragma omp critical(tessera_constraint_virial)
        for (std::size_t k = 0; k < 9; ++k) {
            total[k].add(mine[k]);
        }
    }
    crew.add_up(total);
    Mat3 out;
    for (int k = 0; k < 3; ++k) {
        for (int l = 0; l < 3; ++l) {
            out[k][l] = total[static_cast<std::size_t>(3 * k + l)].value();
        }
    }
    return out;
}

double Constraints::largest_deviation(const Box& box, std::span<const GridPosition> positions) const
{
    double largest = 0;
    const auto look = [&](std::int32_t i, std::int32_t j, double length) {
        const double d = norm(nearest_side(box, positions[at(i)], positions[at(j)]));
        largest = std::fmax(largest, std::fabs(d / length - 1));
    };
    for (const RigidWater& w : *plan_.waters) {
        look(w.o, w.h1, w.d_oh);
        look(w.o, w.h2, w.d_oh);
        look(w.h1, w.h2, w.d_hh);
    }
    for (std::size_t g = 0; g < plan_.networks(); ++g) {
        const std::int32_t* atoms = plan_.network_atoms.begin(g);
        for (const ConstraintPlan::Bond& b : bonds_of(g)) {
            look(atoms[b.i], atoms[b.j], b.length);
        }
    }
    return largest;
}

} // namespace tessera
