#pragma once

#include "engine/backend/crew.hpp"
#include "engine/backend/sums.hpp"
#include "engine/cpu/velocity_of.hpp"
#include "engine/math/mat3.hpp"
#include "engine/math/vec3.hpp"
#include "engine/model/state.hpp"

#include <cstdint>
#include <span>

namespace tessera
{

// Loops over all atoms: gather, formula, store. Sums over atoms are exact, so no bit depends on the
// number of threads. Particles without mass never move by themselves. Units: ps, u, nm, kJ/mol.

/// v + f/m dt
Vec3 kicked(const Vec3& velocity, double mass, const Vec3& force, double dt);

/// The same for all.
void kick(std::span<Vec3> velocity, std::span<const double> mass, const ForceSums& forces,
          double dt, int threads);

/// v dt, rounded to the position grid. Returns the first atom that would move further than `limit`
/// (nm) along an axis or has no finite velocity; -1: none.
std::int64_t find_displacements(std::span<const Vec3> velocity, std::span<const double> mass,
                                double dt, double limit, std::span<Vec3> displacement, int threads);

/// x += d, rounded to the grid.
void displace(std::span<GridPosition> position, std::span<const Vec3> d, int threads);

/// x += v dt and x += d, each rounded to the grid; v += d/dt
void drift_corrected(std::span<GridPosition> position, std::span<Vec3> velocity,
                     std::span<const double> mass, double dt, std::span<const Vec3> d, int threads);

/// v += scale * d
void add_scaled(std::span<Vec3> velocity, std::span<const Vec3> d, double scale, int threads);

/// v *= factor
void scale_velocities(std::span<Vec3> velocity, double factor, int threads);

/// v <- keep v + noise / sqrt(m) xi for the step, with the atoms' own random numbers; `number` is
/// their number in the whole system (empty: their place here).
void thermalize(std::span<Vec3> velocity, std::span<const double> mass,
                std::span<const std::int32_t> number, double keep, double noise, std::uint64_t seed,
                std::int64_t step, int threads);

/// 1/2 sum m v_k v_l
Mat3 kinetic_tensor(const VelocityOf& velocity, std::span<const double> mass, const Crew& crew);
Mat3 kinetic_tensor(std::span<const Vec3> velocity, std::span<const double> mass, const Crew& crew);

/// sum m v, u nm/ps
Vec3 momentum(std::span<const Vec3> velocity, std::span<const double> mass, const Crew& crew);

/// sum f . v, kJ/mol/ps
double power(std::span<const Vec3> velocity, const ForceSums& forces, const Crew& crew);

/// v -= shift, of the atoms with a mass
void shift_velocities(std::span<Vec3> velocity, std::span<const double> mass, const Vec3& shift,
                      int threads);

} // namespace tessera
