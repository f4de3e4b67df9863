#pragma once

#include "engine/cpu/constraints.hpp"
#include "engine/geometry/box.hpp"
#include "engine/math/mat3.hpp"
#include "engine/model/topology.hpp"

#include <optional>
#include <span>
#include <vector>

namespace tessera
{

/// How fast errors of forces heat, if they are independent from step to step:
///
///     P = (dt/2) sum_i m_i |Proj(dF_i/m_i)|^2 / (ndf kT),
///
/// Proj being what constraints leave of an acceleration. Unit: kT/ns/dof. An error adds a velocity
/// dv = Proj(dF/m) dt a step, which on average adds the energy 1/2 sum m dv^2 a step.
class NoisePower {
public:
    /// `ndf` as the simulation counts it. Temperature in K, timestep in ps.
    NoisePower(const Topology& topology, double ndf, double timestep, double temperature);

    struct Heat {
        double power = 0;       ///< kT/ns/dof
        Mat3 constraint_virial; ///< of the constraint forces that answer the error, kJ/mol
    };
    /// Of an error of forces (kJ/mol/nm, zero on virtual sites) at positions that meet the
    /// constraints. Throws PhysicsError where they cannot be projected.
    [[nodiscard]] Heat of(const Box& box, std::span<const GridPosition> positions,
                          std::span<const Vec3> error, int threads);

    /// What white noise must yield: each component of the force of each atom with a mass has
    /// standard deviation `sigma`. From the trace of Q M^-1 Q, Q = 1 - A (A^T A)^-1 A^T,
    /// A = M^-1/2 J^T, group by group with dense matrices; `deviation` is the standard deviation of
    /// one sample, from the trace of its square. None where a group of constraints is too large for
    /// that (3000 constraints, some seconds).
    struct Expected {
        double power, deviation;
    };
    [[nodiscard]] std::optional<Expected>
    of_white_noise(const Box& box, std::span<const GridPosition> positions, double sigma) const;

private:
    std::vector<double> mass_;
    Constraints constraints_;
    double scale_; ///< kT/ns/dof for sum m |a|^2 = 1 u nm^2/ps^4
};

} // namespace tessera
