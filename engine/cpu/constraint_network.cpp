#include "engine/cpu/constraint_network.hpp"

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <Eigen/SparseLU>
#include <cmath>

namespace tessera
{

/// The matrix, its factors and the unknown multipliers. `coupling` lists each entry of the lower
/// triangle: entry = weight * direction[row] . direction[column].
struct ConstraintNetwork::Solver {
    struct Coupling {
        std::size_t row, column;
        double weight;
        double* entry;
    };
    Eigen::SparseMatrix<double> matrix;
    Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>, Eigen::Lower> factors;
    std::vector<Coupling> coupling;
    Eigen::VectorXd residual, step, lambda;
};

namespace
{

std::size_t at(std::int32_t i)
{
    return static_cast<std::size_t>(i);
}

} // namespace

ConstraintNetwork::ConstraintNetwork(std::vector<double> inverse_mass,
                                     std::span<const ConstraintPlan::Bond> bonds)
    : inverse_mass_(std::move(inverse_mass)), bonds_(bonds.begin(), bonds.end()),
      side_(bonds.size()), solver_(std::make_unique<Solver>())
{
    std::vector<std::vector<std::size_t>> bonds_of(inverse_mass_.size());
    for (std::size_t k = 0; k < bonds_.size(); ++k) {
        bonds_of[at(bonds_[k].i)].push_back(k);
        bonds_of[at(bonds_[k].j)].push_back(k);
    }
    std::vector<Eigen::Triplet<double>> pattern;
    for (std::size_t k = 0; k < bonds_.size(); ++k) {
        for (const std::int32_t a : {bonds_[k].i, bonds_[k].j}) {
            for (const std::size_t l : bonds_of[at(a)]) {
                if (l <= k) {
                    const double sign = (bonds_[k].i == a) == (bonds_[l].i == a) ? 1 : -1;
                    pattern.emplace_back(static_cast<int>(k), static_cast<int>(l),
                                         sign * inverse_mass_[at(a)]);
                }
            }
        }
    }
    const auto n = static_cast<Eigen::Index>(bonds_.size());
    Solver& s = *solver_;
    s.matrix.resize(n, n);
    s.matrix.setFromTriplets(pattern.begin(), pattern.end());
    s.matrix.makeCompressed();
    for (Eigen::Index column = 0; column < n; ++column) {
        for (Eigen::SparseMatrix<double>::InnerIterator it(s.matrix, column); it; ++it) {
            s.coupling.push_back({static_cast<std::size_t>(it.row()),
                                  static_cast<std::size_t>(column), it.value(), &it.valueRef()});
        }
    }
    s.factors.analyzePattern(s.matrix);
    s.residual.resize(n);
    s.lambda.resize(n);
}

ConstraintNetwork::~ConstraintNetwork() = default;
ConstraintNetwork::ConstraintNetwork(ConstraintNetwork&&) noexcept = default;
ConstraintNetwork& ConstraintNetwork::operator=(ConstraintNetwork&&) noexcept = default;

bool ConstraintNetwork::factorise(std::span<const Vec3> direction, std::size_t& worst)
{
    Solver& s = *solver_;
    for (const Solver::Coupling& c : s.coupling) {
        *c.entry = c.weight * dot(direction[c.row], direction[c.column]);
    }
    s.factors.factorize(s.matrix);
    if (s.factors.info() != Eigen::Success) {
        worst = 0;
        return false;
    }
    const auto& pivots = s.factors.vectorD();
    const double least = 1e-12 * pivots.cwiseAbs().maxCoeff();
    for (Eigen::Index k = 0; k < pivots.size(); ++k) {
        if (!(pivots[k] > least)) { // also NaN
            worst = static_cast<std::size_t>(s.factors.permutationPinv().indices()[k]);
            return false;
        }
    }
    return true;
}

void ConstraintNetwork::apply(std::span<const Vec3> direction, std::span<Vec3> correction) const
{
    std::fill(correction.begin(), correction.end(), Vec3{});
    for (std::size_t k = 0; k < bonds_.size(); ++k) {
        const ConstraintPlan::Bond& b = bonds_[k];
        const double lambda = solver_->lambda[static_cast<Eigen::Index>(k)];
        correction[at(b.i)] += (lambda * inverse_mass_[at(b.i)]) * direction[k];
        correction[at(b.j)] -= (lambda * inverse_mass_[at(b.j)]) * direction[k];
    }
}

/// Residuals (length^2 - side^2)/2 at the present correction; returns the largest relative one.
double ConstraintNetwork::measure(std::span<const Vec3> direction, std::span<const Vec3> moved,
                                  std::span<const Vec3> correction, std::size_t& worst)
{
    double largest = -1;
    for (std::size_t k = 0; k < bonds_.size(); ++k) {
        const ConstraintPlan::Bond& b = bonds_[k];
        side_[k] = direction[k] + (moved[at(b.i)] - moved[at(b.j)]) +
                   (correction[at(b.i)] - correction[at(b.j)]);
        const double residual = 0.5 * (b.length * b.length - norm2(side_[k]));
        solver_->residual[static_cast<Eigen::Index>(k)] = residual;
        const double relative = std::fabs(residual) / (b.length * b.length);
        if (!(relative <= largest)) { // also NaN
            largest = relative;
            worst = k;
        }
    }
    return largest;
}

bool ConstraintNetwork::constrain_positions(std::span<const Vec3> direction,
                                            std::span<const Vec3> moved, std::span<Vec3> correction,
                                            double tolerance, std::size_t& worst)
{
    // each iteration gains a digit where bonds turn by 0.1 rad a step: more are seldom worth it
    constexpr int most_iterations = 25;
    if (!factorise(direction, worst)) {
        return false;
    }
    Solver& s = *solver_;
    s.lambda.setZero();
    std::fill(correction.begin(), correction.end(), Vec3{});
    for (int iteration = 0; iteration <= most_iterations; ++iteration) {
        const double largest = measure(direction, moved, correction, worst);
        if (largest < tolerance) {
            return true;
        }
        if (!(largest < 10)) { // also NaN: it runs away
            break;
        }
        s.step = s.factors.solve(s.residual);
        s.lambda += s.step;
        apply(direction, correction);
    }
    return newton(direction, moved, correction, tolerance, worst);
}

/// The full, unsymmetric matrix side_k . (coupling) . direction_l, made anew each time: converges
/// from further away, at several times the cost.
bool ConstraintNetwork::newton(std::span<const Vec3> direction, std::span<const Vec3> moved,
                               std::span<Vec3> correction, double tolerance, std::size_t& worst)
{
    constexpr int most_iterations = 40;
    Solver& s = *solver_;
    s.lambda.setZero();
    std::fill(correction.begin(), correction.end(), Vec3{});
    const auto n = static_cast<Eigen::Index>(bonds_.size());
    Eigen::SparseMatrix<double> matrix(n, n);
    Eigen::SparseLU<Eigen::SparseMatrix<double>> factors;
    for (int iteration = 0; iteration <= most_iterations; ++iteration) {
        const double largest = measure(direction, moved, correction, worst);
        if (largest < tolerance) {
            return true;
        }
        if (!std::isfinite(largest)) {
            return false;
        }
        std::vector<Eigen::Triplet<double>> entries;
        for (const Solver::Coupling& c : s.coupling) {
            const auto row = static_cast<int>(c.row), column = static_cast<int>(c.column);
            entries.emplace_back(row, column, c.weight * dot(side_[c.row], direction[c.column]));
            if (row != column) {
                entries.emplace_back(column, row,
                                     c.weight * dot(side_[c.column], direction[c.row]));
            }
        }
        matrix.setFromTriplets(entries.begin(), entries.end());
        factors.compute(matrix);
        if (factors.info() != Eigen::Success) {
            return false;
        }
        s.step = factors.solve(s.residual);
        s.lambda += s.step;
        apply(direction, correction);
    }
    return false;
}

bool ConstraintNetwork::constrain_rates(std::span<const Vec3> direction,
                                        std::span<const double> rate, std::span<Vec3> correction,
                                        std::size_t& worst)
{
    if (!factorise(direction, worst)) {
        return false;
    }
    Solver& s = *solver_;
    for (std::size_t k = 0; k < bonds_.size(); ++k) {
        s.residual[static_cast<Eigen::Index>(k)] = -rate[k];
    }
    s.lambda = s.factors.solve(s.residual);
    apply(direction, correction);
    return true;
}

} // namespace tessera
