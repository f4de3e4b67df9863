#pragma once

#include "engine/backend/force_provider.hpp"
#include "engine/base/philox.hpp"
#include "engine/model/state.hpp"
#include "engine/model/topology.hpp"
#include "tests/support/systems.hpp"

#include <cmath>
#include <memory>
#include <vector>

namespace tessera::support
{

/// Atoms of these masses, without charge or Lennard-Jones forces.
inline Topology massive_atoms(const std::vector<double>& mass)
{
    Topology t = free_atoms(std::vector<double>(mass.size(), 0.0),
                            std::vector<std::int32_t>(mass.size(), 0), mixed_table({0.3}, {0.0}));
    t.mass = mass;
    return t;
}

inline State at_positions(const std::vector<Vec3>& positions, const std::vector<Vec3>& velocities,
                          const Box& box = {})
{
    State state;
    state.box = box;
    for (const Vec3& x : positions) {
        state.position.push_back(to_grid(x));
    }
    state.velocity = velocities;
    return state;
}

inline Box cube(double edge)
{
    return Box(Mat3{{{edge, 0, 0}, {0, edge, 0}, {0, 0, edge}}});
}

/// Even numbers in (-1, 1), the same for ever.
inline Vec3 scattered(std::uint32_t item, std::int64_t step = 0)
{
    RandomStream random(2026, item, step, RandomPurpose::test);
    const auto xy = random.uniform2();
    const auto z = random.uniform2();
    return {2 * xy[0] - 1, 2 * xy[1] - 1, 2 * z[0] - 1};
}

/// U = k/2 sum |x|^2: every atom bound to the origin.
class HarmonicWells : public ForceProvider {
public:
    explicit HarmonicWells(double k) : k_(k) {}
    [[nodiscard]] std::string_view phase() const override { return "wells"; }
    void add_forces(const Box&, std::span<const Vec3> x, Wanted wanted, int, ForceSums& forces,
                    EnergySums& sums) override
    {
        for (std::size_t a = 0; a < x.size(); ++a) {
            forces.add(a, -k_ * x[a]);
            if (wanted.energies) {
                sums.add(EnergyKind::position_restraint, 0.5 * k_ * norm2(x[a]));
            }
        }
    }

private:
    double k_;
};

/// U = sum over pairs within the range of e (1 - r^2/range^2)^2: soft, smooth, every pair of atoms
/// that are not excluded, nearest images.
class SoftPairs : public ForceProvider {
public:
    SoftPairs(double energy, double range, const Topology& topology)
        : energy_(energy), range_(range), exclusions_(topology.exclusions)
    {
    }
    [[nodiscard]] std::string_view phase() const override { return "soft pairs"; }
    void add_forces(const Box& box, std::span<const Vec3> x, Wanted wanted, int, ForceSums& forces,
                    EnergySums& sums) override
    {
        for (std::size_t i = 0; i < x.size(); ++i) {
            for (std::size_t j = i + 1; j < x.size(); ++j) {
                const Vec3 d = box.shortest(x[i] - x[j]);
                const double s = 1 - norm2(d) / (range_ * range_);
                if (s <= 0 || std::binary_search(exclusions_.begin(i), exclusions_.end(i),
                                                 static_cast<std::int32_t>(j))) {
                    continue;
                }
                const Vec3 f = (4 * energy_ * s / (range_ * range_)) * d;
                forces.add(i, f);
                forces.add(j, -f);
                if (wanted.energies) {
                    sums.add(EnergyKind::lj, energy_ * s * s);
                }
                if (wanted.virial) {
                    sums.add_virial(-0.5 * outer(d, f));
                }
            }
        }
    }

private:
    double energy_, range_;
    RaggedList exclusions_;
};

template <class... Providers>
std::vector<std::unique_ptr<ForceProvider>> forces_of(std::unique_ptr<Providers>... providers)
{
    std::vector<std::unique_ptr<ForceProvider>> out;
    (out.push_back(std::move(providers)), ...);
    return out;
}

/// TIP3P shape: O-H 0.09572 nm, H-O-H 104.52 degrees.
inline constexpr double water_oh = 0.09572, water_hh = 0.15139006545247014;

/// n^3 rigid waters on a lattice, turned at random. Positions follow O, H, H.
struct WaterLattice {
    Topology topology;
    std::vector<Vec3> positions;
    Box box;
};
inline WaterLattice water_lattice(int n, double spacing)
{
    WaterLattice out;
    std::vector<double> mass;
    std::vector<std::array<std::int32_t, 2>> excluded;
    std::vector<RigidWater> waters;
    std::uint32_t molecule = 0;
    for (int x = 0; x < n; ++x) {
        for (int y = 0; y < n; ++y) {
            for (int z = 0; z < n; ++z, ++molecule) {
                const auto o = static_cast<std::int32_t>(out.positions.size());
                Vec3 u = scattered(molecule), w = scattered(molecule, 1);
                u *= 1 / norm(u);
                w -= dot(w, u) * u;
                w *= 1 / norm(w);
                const double half = 0.5 * water_hh;
                const double height = std::sqrt(water_oh * water_oh - half * half);
                const Vec3 at = spacing * Vec3{x + 0.5, y + 0.5, z + 0.5};
                out.positions.insert(out.positions.end(),
                                     {at, at + height * u + half * w, at + height * u - half * w});
                mass.insert(mass.end(), {15.9994, 1.008, 1.008});
                waters.push_back({o, o + 1, o + 2, water_oh, water_hh});
                excluded.insert(excluded.end(), {{o, o + 1}, {o, o + 2}, {o + 1, o + 2}});
            }
        }
    }
    out.topology = massive_atoms(mass);
    out.topology.rigid_waters = waters;
    exclude(out.topology, excluded);
    out.box = cube(n * spacing);
    return out;
}

/// The same waters with three distance constraints each.
inline Topology with_constraints_for_waters(Topology topology)
{
    for (const RigidWater& w : topology.rigid_waters) {
        topology.constraints.push_back({w.o, w.h1, w.d_oh});
        topology.constraints.push_back({w.o, w.h2, w.d_oh});
        topology.constraints.push_back({w.h1, w.h2, w.d_hh});
    }
    topology.rigid_waters.clear();
    return topology;
}

} // namespace tessera::support
