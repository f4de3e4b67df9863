#pragma once

#include "engine/math/vec3.hpp"
#include "engine/plans/constraint_plan.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace tessera
{

/// Many constraints that share atoms (a protein with all bonds constrained), solved together with
/// one sparse matrix: A = D M^-1 D^T of the old directions, factorised once a solution; its pattern
/// is analysed once a run. Each network stops by its own convergence.
class ConstraintNetwork {
public:
    ConstraintNetwork(std::vector<double> inverse_mass,
                      std::span<const ConstraintPlan::Bond> bonds);
    ~ConstraintNetwork();
    ConstraintNetwork(ConstraintNetwork&&) noexcept;
    ConstraintNetwork& operator=(ConstraintNetwork&&) noexcept;

    /// As SmallNetwork: `direction` of every bond (old x_i - x_j), displacements of the atoms;
    /// `correction` is what to add. False: `worst` names the bond.
    bool constrain_positions(std::span<const Vec3> direction, std::span<const Vec3> moved,
                             std::span<Vec3> correction, double tolerance, std::size_t& worst);
    bool constrain_rates(std::span<const Vec3> direction, std::span<const double> rate,
                         std::span<Vec3> correction, std::size_t& worst);

private:
    struct Solver;
    bool factorise(std::span<const Vec3> direction, std::size_t& worst);
    double measure(std::span<const Vec3> direction, std::span<const Vec3> moved,
                   std::span<const Vec3> correction, std::size_t& worst);
    bool newton(std::span<const Vec3> direction, std::span<const Vec3> moved,
                std::span<Vec3> correction, double tolerance, std::size_t& worst);
    void apply(std::span<const Vec3> direction, std::span<Vec3> correction) const;

    std::vector<double> inverse_mass_;
    std::vector<ConstraintPlan::Bond> bonds_;
    std::vector<Vec3> side_; ///< of every bond, at the present correction
    std::unique_ptr<Solver> solver_;
};

} // namespace tessera
