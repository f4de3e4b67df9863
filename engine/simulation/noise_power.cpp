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

Traces traces_of(std::span<const double> mass, std::span<const Side> sides)
{
    const auto n = static_cast<Eigen::Index>(3 * mass.size());
    const auto constraints = static_cast<Eigen::Index>(sides.size());
    Eigen::VectorXd inverse_mass(n);
    for (Eigen::Index k = 0; k < n; ++k) {
        inverse_mass[k] = 1 / mass[at(k / 3)];
    }
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(n, constraints);
    for (Eigen::Index c = 0; c < constraints; ++c) {
        const Side& s = sides[at(c)];
        for (int k = 0; k < 3; ++k) {
            const Eigen::Index i = 3 * Eigen::Index{s.i} + k, j = 3 * Eigen::Index{s.j} + k;
            a(i, c) = s.direction[k] * std::sqrt(inverse_mass[i]);
            a(j, c) = -s.direction[k] * std::sqrt(inverse_mass[j]);
        }
    }
    const Eigen::LDLT<Eigen::MatrixXd> inner(a.transpose() * a);
    const Eigen::MatrixXd q = Eigen::MatrixXd::Identity(n, n) - a * inner.solve(a.transpose());
    const Eigen::MatrixXd b = q * inverse_mass.asDiagonal() * q;
    return {b.trace(), b.squaredNorm()};
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
    constexpr std::size_t most_components = 600;
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
    for (const RigidWater& w : plan.waters) {
        add(std::array{w.o, w.h1, w.h2},
            std::array{Side{0, 1, side(w.o, w.h1)}, Side{0, 2, side(w.o, w.h2)},
                       Side{1, 2, side(w.h1, w.h2)}});
    }
    for (std::size_t g = 0; g < plan.networks(); ++g) {
        const std::span atoms(plan.network_atoms.begin(g), plan.network_atoms.length(g));
        if (3 * atoms.size() > most_components) {
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
