#pragma once

#include "engine/backend/crew.hpp"
#include "engine/backend/sums.hpp"
#include "engine/cpu/velocity_of.hpp"
#include "engine/geometry/box.hpp"
#include "engine/math/mat3.hpp"
#include "engine/model/state.hpp"
#include "engine/model/topology.hpp"
#include "engine/plans/constraint_plan.hpp"

#include <span>

namespace tessera
{

/// Moves atoms by cell vectors so that every update group hangs together: afterwards a group's
/// inner distances are plain differences. Groups that do already stay where they are.
void make_groups_whole(const Topology& topology, const ConstraintPlan& plan, const Box& box,
                       std::span<GridPosition> positions);

/// What a barostat that moves update groups as wholes has to know. Unit: kJ/mol.
struct GroupMotion {
    Mat3 kinetic;           ///< 1/2 sum M V_k V_l of the centres of mass
    Mat3 virial_correction; ///< add it to the virial of the forces: that of groups as points
};

/// Groups must be whole.
GroupMotion measure_groups(const RaggedList& groups, std::span<const double> mass,
                           std::span<const GridPosition> positions, const VelocityOf& velocity,
                           const ForceSums& forces, const Crew& crew);
GroupMotion measure_groups(const RaggedList& groups, std::span<const double> mass,
                           std::span<const GridPosition> positions,
                           std::span<const Vec3> velocities, const ForceSums& forces,
                           const Crew& crew);

/// Moves the groups' centres of mass with the cell, from its old vectors to new ones (both on the
/// position grid), and their velocities by `velocity_factor`. Inner distances keep their bits. The
/// result does not depend on the image of a group.
void scale_groups(const RaggedList& groups, std::span<const double> mass, const Box& old_box,
                  const Box& new_box, double velocity_factor, std::span<GridPosition> positions,
                  std::span<Vec3> velocities, int threads);

} // namespace tessera
