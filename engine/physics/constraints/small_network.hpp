#pragma once

#include "engine/math/vec3.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace tessera
{

/// A few constraints that share atoms, solved together: the matrix that couples them is small and
/// dense. Atoms and constraints stand in the topology's order; nothing outside the network enters.
///
/// Position part: x_i <- x_i + (1/m_i) sum_k (+-) lambda_k d_k with the old directions d_k, until
/// every length is right, by Newton's method on all lambda at once (the matrix form of SHAKE:
/// V. Kraeutler, W. F. van Gunsteren, P. H. Huenenberger, J. Comput. Chem. 22, 501 (2001)).
struct SmallNetwork {
    static constexpr int most_constraints = 8;
    static constexpr int most_atoms = 2 * most_constraints;
    struct Bond {
        int i, j;
        double length; ///< nm
    };

    int atoms = 0, constraints = 0;
    double inverse_mass[most_atoms];
    Bond bond[most_constraints];
    Vec3 direction[most_constraints]; ///< old x_i - x_j

    /// `moved`: displacement of every atom since the old positions; `correction`: what to add on
    /// top of it. `moved_side_k` = direction_k + moved_i - moved_j must then have the bond's length
    /// within `tolerance` (relative). False: singular or not converged, `worst` names the
    /// constraint.
    bool constrain_positions(const Vec3* moved, Vec3* correction, double tolerance,
                             std::size_t& worst) const;

    /// The displacements along the directions with direction_k . (dv_i - dv_j) = -rate_k.
    bool constrain_rates(const double* rate, Vec3* correction, std::size_t& worst) const;

private:
    using Matrix = double[most_constraints][most_constraints];

    /// d(side_k . side_k / 2) / d lambda_l
    void couple(const Vec3* side, Matrix& matrix) const;
    void apply(const double* lambda, Vec3* correction) const;
    static bool solve(int n, Matrix& matrix, double* b, std::size_t& pivot_failed);
};

/// +1, -1, 0: how atom a takes part in a bond.
inline int sign_in(const SmallNetwork::Bond& bond, int a)
{
    return (bond.i == a ? 1 : 0) - (bond.j == a ? 1 : 0);
}

inline void SmallNetwork::couple(const Vec3* side, Matrix& matrix) const
{
    for (int k = 0; k < constraints; ++k) {
        for (int l = 0; l < constraints; ++l) {
            const double weight = inverse_mass[bond[k].i] * sign_in(bond[l], bond[k].i) -
                                  inverse_mass[bond[k].j] * sign_in(bond[l], bond[k].j);
            matrix[k][l] = weight == 0 ? 0 : weight * dot(side[k], direction[l]);
        }
    }
}

inline void SmallNetwork::apply(const double* lambda, Vec3* correction) const
{
    for (int a = 0; a < atoms; ++a) {
        correction[a] = {};
    }
    for (int k = 0; k < constraints; ++k) {
        correction[bond[k].i] += (lambda[k] * inverse_mass[bond[k].i]) * direction[k];
        correction[bond[k].j] -= (lambda[k] * inverse_mass[bond[k].j]) * direction[k];
    }
}

inline bool SmallNetwork::solve(int n, Matrix& matrix, double* b, std::size_t& pivot_failed)
{
    for (int c = 0; c < n; ++c) {
        int pivot = c;
        double scale = 0;
        for (int r = c; r < n; ++r) {
            if (std::fabs(matrix[r][c]) > std::fabs(matrix[pivot][c])) {
                pivot = r;
            }
        }
        for (int k = 0; k < n; ++k) {
            scale = std::fmax(scale, std::fabs(matrix[pivot][k]));
        }
        if (!(std::fabs(matrix[pivot][c]) > 1e-12 * scale)) { // also NaN
            pivot_failed = static_cast<std::size_t>(c);
            return false;
        }
        if (pivot != c) {
            for (int k = c; k < n; ++k) {
                const double held = matrix[c][k];
                matrix[c][k] = matrix[pivot][k];
                matrix[pivot][k] = held;
            }
            const double held = b[c];
            b[c] = b[pivot];
            b[pivot] = held;
        }
        for (int r = c + 1; r < n; ++r) {
            const double factor = matrix[r][c] / matrix[c][c];
            if (factor == 0) {
                continue;
            }
            for (int k = c + 1; k < n; ++k) {
                matrix[r][k] -= factor * matrix[c][k];
            }
            b[r] -= factor * b[c];
        }
    }
    for (int r = n - 1; r >= 0; --r) {
        for (int k = r + 1; k < n; ++k) {
            b[r] -= matrix[r][k] * b[k];
        }
        b[r] /= matrix[r][r];
    }
    return true;
}

inline bool SmallNetwork::constrain_positions(const Vec3* moved, Vec3* correction, double tolerance,
                                              std::size_t& worst) const
{
    constexpr int most_iterations = 40; // quadratic convergence: four or five are usual
    double lambda[most_constraints] = {};
    Vec3 side[most_constraints];
    for (int a = 0; a < atoms; ++a) {
        correction[a] = {};
    }
    for (int iteration = 0; iteration <= most_iterations; ++iteration) {
        double largest = -1;
        double residual[most_constraints];
        for (int k = 0; k < constraints; ++k) {
            const Bond& b = bond[k];
            side[k] =
                direction[k] + (moved[b.i] - moved[b.j]) + (correction[b.i] - correction[b.j]);
            residual[k] = 0.5 * (b.length * b.length - norm2(side[k]));
            const double relative = std::fabs(residual[k]) / (b.length * b.length);
            if (!(relative <= largest)) {
                largest = relative;
                worst = static_cast<std::size_t>(k);
            }
        }
        if (largest < tolerance) {
            return true;
        }
        if (!std::isfinite(largest)) {
            return false;
        }
        Matrix matrix;
        couple(side, matrix);
        if (!solve(constraints, matrix, residual, worst)) {
            return false;
        }
        for (int k = 0; k < constraints; ++k) {
            lambda[k] += residual[k];
        }
        apply(lambda, correction);
    }
    return false;
}

inline bool SmallNetwork::constrain_rates(const double* rate, Vec3* correction,
                                          std::size_t& worst) const
{
    Matrix matrix;
    couple(direction, matrix);
    double lambda[most_constraints];
    for (int k = 0; k < constraints; ++k) {
        lambda[k] = -rate[k];
    }
    if (!solve(constraints, matrix, lambda, worst)) {
        return false;
    }
    apply(lambda, correction);
    return true;
}

} // namespace tessera
