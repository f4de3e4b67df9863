#include "engine/simulation/noise_power.hpp"

#include "engine/base/error.hpp"
#include "engine/math/constants.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tessera
{

namespace
{

constexpr double ps_per_ns = 1000;

std::size_t at(std::int64_t k)
{
    return static_cast<std::size_t>(k);
}

/// Traces of B = Q M^-1 Q and of its square, of one group of atoms.
struct Traces {
    double first = 0, second = 0;
};

struct Side {
    std::int32_t i, j; ///< rows of the group
    Vec3 direction;
};

/// With G = A^T A, X = G^-1 A^T M^-1 A, Y = G^-1 A^T M^-2 A:
/// tr B = tr M^-1 - tr X,   tr B^2 = tr M^-2 - 2 tr Y + tr X^2.
Traces traces_of(std::span<const double> mass, std::span<const Side> sides)
{
    struct End {
        Eigen::Index side;
        Vec3 direction;
    };
    std::vector<std::vector<End>> ends(mass.size());
    for (std::size_t k = 0; k < sides.size(); ++k) {
        ends[at(sides[k].i)].push_back({static_cast<Eigen::Index>(k), sides[k].direction});
        ends[at(sides[k].j)].push_back({static_cast<Eigen::Index>(k), -sides[k].direction});
    }
    const auto n = static_cast<Eigen::Index>(sides.size());
    Eigen::MatrixXd g = Eigen::MatrixXd::Zero(n, n), h = g, k = g;
    Traces out;
    for (std::size_t a = 0; a < mass.size(); ++a) {
        const double w = 1 / mass[a];
        out.first += 3 * w;
        out.second += 3 * w * w;
        for (const End& p : ends[a]) {
            for (const End& q : ends[a]) {
                const double d = w * dot(p.direction, q.direction);
                g(p.side, q.side) += d;
                h(p.side, q.side) += d * w;
                k(p.side, q.side) += d * w * w;
            }
        }
    }
    const Eigen::LLT<Eigen::MatrixXd> inner(g);
    const Eigen::MatrixXd x = inner.solve(h);
    out.first -= x.trace();
    out.second += x.cwiseProduct(x.transpose()).sum() - 2 * inner.solve(k).trace();
    return out;
}

} // namespace

NoisePower::NoisePower(const Topology& topology, double ndf, double timestep, double temperature)
    : mass_(topology.mass), constraints_(topology, make_constraint_plan(topology)),
      scale_(ps_per_ns * 0.5 * timestep / (ndf * constants::boltzmann * temperature))
{
    if (!(ndf > 0 && timestep > 0 && temperature > 0)) {
        throw InputError(fmt::format("the heating of {} degrees of freedom, at a step of {} ps and "
                                     "{} K, cannot be told (all must be positive). Give "
                                     "run.timestep and run.temperature.",
                                     ndf, timestep, temperature));
    }
}

NoisePower::Heat NoisePower::of(const Box& box, std::span<const GridPosition> positions,
                                std::span<const Vec3> error, int threads)
{
    std::vector<Vec3> rate(error.size()), correction(error.size());
    for (std::size_t a = 0; a < error.size(); ++a) {
        rate[a] = mass_[a] > 0 ? (1 / mass_[a]) * error[a] : Vec3{};
    }
    Heat out;
    if (!constraints_.empty()) {
        if (const auto broken =
                constraints_.constrain_velocities(box, positions, rate, correction, threads)) {
            throw PhysicsError(fmt::format("errors of forces cannot be projected on the constraint "
                                           "between atoms {} and {} (redundant constraints, or "
                                           "positions far from them). Take redundant constraints "
                                           "out.",
                                           broken->i + 1, broken->j + 1));
        }
        out.constraint_virial = constraints_.virial(box, positions, correction, 1, threads);
    }
    double sum = 0;
    for (std::size_t a = 0; a < error.size(); ++a) {
        sum += mass_[a] * norm2(rate[a] + correction[a]);
    }
    out.power = scale_ * sum;
    return out;
}

std::optional<NoisePower::Expected>
NoisePower::of_white_noise(const Box& box, std::span<const GridPosition> positions,
                           double sigma) const
{
    constexpr std::size_t most_constraints = 3000; // dense matrices: seconds
    const ConstraintPlan& plan = constraints_.plan();
    std::vector<bool> is_bound(mass_.size(), false);
    Traces all;
    const auto add = [&](std::span<const std::int32_t> atoms, std::span<const Side> sides) {
        std::vector<double> mass;
        for (const std::int32_t a : atoms) {
            mass.push_back(mass_[at(a)]);
            is_bound[at(a)] = true;
        }
        const Traces one = traces_of(mass, sides);
        all.first += one.first;
        all.second += one.second;
    };
    const auto side = [&](std::int32_t i, std::int32_t j) {
        return nearest_side(box, positions[at(i)], positions[at(j)]);
    };
    for (const RigidWater& w : *plan.waters) {
        add(std::array{w.o, w.h1, w.h2},
            std::array{Side{0, 1, side(w.o, w.h1)}, Side{0, 2, side(w.o, w.h2)},
                       Side{1, 2, side(w.h1, w.h2)}});
    }
    for (std::size_t g = 0; g < plan.networks(); ++g) {
        const std::span atoms(plan.network_atoms.begin(g), plan.network_atoms.length(g));
        if (at(plan.first_bond[g + 1] - plan.first_bond[g]) > most_constraints) {
            return std::nullopt;
        }
        std::vector<Side> sides;
        for (std::int64_t k = plan.first_bond[g]; k < plan.first_bond[g + 1]; ++k) {
            const ConstraintPlan::Bond& b = plan.bonds[at(k)];
            sides.push_back({b.i, b.j, side(atoms[at(b.i)], atoms[at(b.j)])});
        }
        add(atoms, sides);
    }
    for (std::size_t a = 0; a < mass_.size(); ++a) {
        if (mass_[a] > 0 && !is_bound[a]) {
            all.first += 3 / mass_[a];
            all.second += 3 / (mass_[a] * mass_[a]);
        }
    }
    const double factor = scale_ * sigma * sigma;
    return Expected{factor * all.first, factor * std::sqrt(2 * all.second)};
}

} // namespace tessera
