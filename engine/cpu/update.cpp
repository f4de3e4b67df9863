#include "engine/cpu/update.hpp"

#include "engine/base/philox.hpp"
#include "engine/cpu/few.hpp"

#include <array>
#include <atomic>
#include <cmath>
#include <limits>

namespace tessera
{

namespace
{

std::int64_t count(std::size_t n)
{
    return static_cast<std::int64_t>(n);
}

/// Sums N addends of every atom exactly: add(sums, atom).
template <std::size_t N, class Add>
std::array<double, N> exact_sums(std::int64_t atoms, const Crew& crew, Add add)
{
    std::array<ExactSum, N> total;
#pragma omp parallel num_threads(crew.threads()) if (atoms > few_atoms)
    {
        std::array<ExactSum, N> mine;
#pragma omp for schedule(static)
        for (std::int64_t a = 0; a < atoms; ++a) {
            add(mine, static_cast<std::size_t>(a));
        }
#pragma omp critical(tessera_exact_sums)
        for (std::size_t k = 0; k < N; ++k) {
            total[k].add(mine[k]);
        }
    }
    crew.add_up(total);
    std::array<double, N> out;
    for (std::size_t k = 0; k < N; ++k) {
        out[k] = total[k].value();
    }
    return out;
}

double inverse(double mass)
{
    return mass > 0 ? 1 / mass : 0;
}

Vec3 moved_by(const Vec3& velocity, double mass, double dt)
{
    return mass > 0 ? dt * velocity : Vec3{};
}

} // namespace

Vec3 kicked(const Vec3& velocity, double mass, const Vec3& force, double dt)
{
    return velocity + (dt * inverse(mass)) * force;
}

void kick(std::span<Vec3> velocity, std::span<const double> mass, const ForceSums& forces,
          double dt, int threads)
{
    const std::int64_t atoms = count(velocity.size());
#pragma omp parallel for num_threads(threads) if (atoms > few_atoms) schedule(static)
    for (std::int64_t k = 0; k < atoms; ++k) {
        const auto a = static_cast<std::size_t>(k);
        velocity[a] = kicked(velocity[a], mass[a], forces.force(a), dt);
    }
}

std::int64_t find_displacements(std::span<const Vec3> velocity, std::span<const double> mass,
                                double dt, double limit, std::span<Vec3> displacement, int threads)
{
    const std::int64_t atoms = count(velocity.size());
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    std::int64_t first = none;
#pragma omp parallel for num_threads(threads) if (atoms > few_atoms) schedule(static)              \
    reduction(min                                                                                  \
              : first)
    for (std::int64_t k = 0; k < atoms; ++k) {
        const auto a = static_cast<std::size_t>(k);
        const Vec3 d = moved_by(velocity[a], mass[a], dt);
        const bool is_short =
            std::fabs(d.x) < limit && std::fabs(d.y) < limit && std::fabs(d.z) < limit;
        first = is_short ? first : std::min(first, k); // also NaN
        displacement[a] = is_short ? to_nm(to_grid(d)) : Vec3{};
    }
    return first == none ? -1 : first;
}

void displace(std::span<GridPosition> position, std::span<const Vec3> d, int threads)
{
    const std::int64_t atoms = count(position.size());
#pragma omp parallel for num_threads(threads) if (atoms > few_atoms) schedule(static)
    for (std::int64_t k = 0; k < atoms; ++k) {
        const auto a = static_cast<std::size_t>(k);
        const GridPosition g = to_grid(d[a]);
        position[a].x += g.x;
        position[a].y += g.y;
        position[a].z += g.z;
    }
}

void drift_corrected(std::span<GridPosition> position, std::span<Vec3> velocity,
                     std::span<const double> mass, double dt, std::span<const Vec3> d, int threads)
{
    const std::int64_t atoms = count(position.size());
    const double rate = 1 / dt;
#pragma omp parallel for num_threads(threads) if (atoms > few_atoms) schedule(static)
    for (std::int64_t k = 0; k < atoms; ++k) {
        const auto a = static_cast<std::size_t>(k);
        const GridPosition free = to_grid(moved_by(velocity[a], mass[a], dt));
        const GridPosition g = to_grid(d[a]);
        position[a].x += free.x + g.x;
        position[a].y += free.y + g.y;
        position[a].z += free.z + g.z;
        velocity[a] += rate * d[a];
    }
}

void add_scaled(std::span<Vec3> velocity, std::span<const Vec3> d, double scale, int threads)
{
    const std::int64_t atoms = count(velocity.size());
#pragma omp parallel for num_threads(threads) if (atoms > few_atoms) schedule(static)
    for (std::int64_t k = 0; k < atoms; ++k) {
        const auto a = static_cast<std::size_t>(k);
        velocity[a] += scale * d[a];
    }
}

void scale_velocities(std::span<Vec3> velocity, double factor, int threads)
{
    const std::int64_t atoms = count(velocity.size());
#pragma omp parallel for num_threads(threads) if (atoms > few_atoms) schedule(static)
    for (std::int64_t k = 0; k < atoms; ++k) {
        velocity[static_cast<std::size_t>(k)] *= factor;
    }
}

void thermalize(std::span<Vec3> velocity, std::span<const double> mass,
                std::span<const std::int32_t> number, double keep, double noise, std::uint64_t seed,
                std::int64_t step, int threads)
{
    const std::int64_t atoms = count(velocity.size());
#pragma omp parallel for num_threads(threads) schedule(static)
    for (std::int64_t k = 0; k < atoms; ++k) {
        const auto a = static_cast<std::size_t>(k);
        if (!(mass[a] > 0)) {
            continue;
        }
        const auto own =
            static_cast<std::uint32_t>(number.empty() ? static_cast<std::int32_t>(k) : number[a]);
        RandomStream random(seed, own, step, RandomPurpose::langevin);
        const auto xy = random.normal2();
        const auto z = random.normal2();
        const double width = noise * std::sqrt(inverse(mass[a]));
        velocity[a] = keep * velocity[a] + width * Vec3{xy[0], xy[1], z[0]};
    }
}

Mat3 kinetic_tensor(std::span<const Vec3> velocity, std::span<const double> mass, const Crew& crew)
{
    return kinetic_tensor([&](std::size_t a) { return velocity[a]; }, mass, crew);
}

Mat3 kinetic_tensor(const VelocityOf& velocity, std::span<const double> mass, const Crew& crew)
{
    const auto sums =
        exact_sums<6>(count(mass.size()), crew, [&](std::array<ExactSum, 6>& s, std::size_t a) {
            const Vec3 v = velocity(a);
            const double half_mass = 0.5 * mass[a];
            s[0].add(half_mass * (v.x * v.x));
            s[1].add(half_mass * (v.y * v.y));
            s[2].add(half_mass * (v.z * v.z));
            s[3].add(half_mass * (v.x * v.y));
            s[4].add(half_mass * (v.x * v.z));
            s[5].add(half_mass * (v.y * v.z));
        });
    return {
        {{sums[0], sums[3], sums[4]}, {sums[3], sums[1], sums[5]}, {sums[4], sums[5], sums[2]}}};
}

Vec3 momentum(std::span<const Vec3> velocity, std::span<const double> mass, const Crew& crew)
{
    const auto sums =
        exact_sums<3>(count(velocity.size()), crew, [&](std::array<ExactSum, 3>& s, std::size_t a) {
            s[0].add(mass[a] * velocity[a].x);
            s[1].add(mass[a] * velocity[a].y);
            s[2].add(mass[a] * velocity[a].z);
        });
    return {sums[0], sums[1], sums[2]};
}

double power(std::span<const Vec3> velocity, const ForceSums& forces, const Crew& crew)
{
    return exact_sums<1>(count(velocity.size()), crew,
                         [&](std::array<ExactSum, 1>& s, std::size_t a) {
                             s[0].add(dot(forces.force(a), velocity[a]));
                         })[0];
}

void shift_velocities(std::span<Vec3> velocity, std::span<const double> mass, const Vec3& shift,
                      int threads)
{
    const std::int64_t atoms = count(velocity.size());
#pragma omp parallel for num_threads(threads) if (atoms > few_atoms) schedule(static)
    for (std::int64_t k = 0; k < atoms; ++k) {
        const auto a = static_cast<std::size_t>(k);
        if (mass[a] > 0) {
            velocity[a] -= shift;
        }
    }
}

} // namespace tessera
