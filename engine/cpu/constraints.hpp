#pragma once

#include "engine/backend/crew.hpp"
#include "engine/cpu/constraint_network.hpp"
#include "engine/cpu/settle_waters.hpp"
#include "engine/geometry/box.hpp"
#include "engine/math/mat3.hpp"
#include "engine/model/state.hpp"
#include "engine/physics/constraints/small_network.hpp"
#include "engine/plans/constraint_plan.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tessera
{

/// A constraint that could not be met.
struct BrokenConstraint {
    std::int32_t i, j; ///< global atoms
    double length;     ///< nm, as it should be
};

/// All constraints of the system, in FP64: waters in closed form, networks to 1e-12 relative. Each
/// water and network is solved whole by one thread and stops by itself, so bits do not depend on
/// threads. Sides are nearest images: molecules may be cut by the boundary.
class Constraints {
public:
    Constraints(const Topology& topology, ConstraintPlan plan);
    /// Shares the masses, and what else the plan and the topology have in common.
    Constraints(const std::shared_ptr<const Topology>& topology, ConstraintPlan plan);

    [[nodiscard]] const ConstraintPlan& plan() const { return plan_; }
    [[nodiscard]] bool empty() const { return plan_.empty(); }

    /// `correction`, for the atoms under constraints: what to add to a displacement `moved` (nm,
    /// from the old positions) so that all lengths are right; it lies along the old sides. Other
    /// atoms' corrections are left alone. Both may be the same memory.
    std::optional<BrokenConstraint> constrain_positions(const Box& box,
                                                        std::span<const GridPosition> old,
                                                        std::span<const Vec3> moved,
                                                        std::span<Vec3> correction, int threads);

    /// `correction` for velocities that takes out their components along the sides.
    std::optional<BrokenConstraint> constrain_velocities(const Box& box,
                                                         std::span<const GridPosition> positions,
                                                         std::span<const Vec3> velocities,
                                                         std::span<Vec3> correction, int threads);

    /// `correction` for accelerations: the constraint forces over the masses that keep the lengths
    /// at these velocities.
    std::optional<BrokenConstraint>
    constrain_accelerations(const Box& box, std::span<const GridPosition> positions,
                            std::span<const Vec3> velocities, std::span<const Vec3> accelerations,
                            std::span<Vec3> correction, int threads);

    /// -1/2 sum r_k F_l for the constraint forces F = mass * correction * scale; exact sum over
    /// waters and networks.
    [[nodiscard]] Mat3 virial(const Box& box, std::span<const GridPosition> positions,
                              std::span<const Vec3> correction, double scale,
                              const Crew& crew) const;

    /// Largest relative deviation of a constrained distance.
    [[nodiscard]] double largest_deviation(const Box& box,
                                           std::span<const GridPosition> positions) const;

private:
    std::optional<BrokenConstraint> constrain_rates(const Box& box,
                                                    std::span<const GridPosition> positions,
                                                    std::span<const Vec3> rates,
                                                    std::span<const Vec3> centripetal,
                                                    std::span<Vec3> correction, int threads);
    Constraints(std::shared_ptr<const std::vector<double>> shared, ConstraintPlan plan);
    template <class Solve>
    std::optional<BrokenConstraint> solve_networks(std::span<Vec3> correction, int threads,
                                                   const Solve& solve);
    [[nodiscard]] std::span<const ConstraintPlan::Bond> bonds_of(std::size_t network) const
    {
        const auto first = static_cast<std::size_t>(plan_.first_bond[network]);
        const auto last = static_cast<std::size_t>(plan_.first_bond[network + 1]);
        return std::span(plan_.bonds).subspan(first, last - first);
    }
    [[nodiscard]] BrokenConstraint broken(std::size_t network, std::size_t bond) const;

    ConstraintPlan plan_;
    std::shared_ptr<const std::vector<double>> mass_;
    std::vector<SettleShape> shapes_;      ///< the few kinds of water
    std::vector<std::int32_t> shape_of_;   ///< [waters]
    std::vector<ConstraintNetwork> large_; ///< networks beyond SmallNetwork's size
    std::vector<std::int32_t> large_of_;   ///< [networks], -1: small
};

} // namespace tessera
