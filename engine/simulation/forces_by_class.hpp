#pragma once

#include "engine/backend/sums.hpp"
#include "engine/geometry/box.hpp"
#include "engine/model/topology.hpp"
#include "engine/plans/settings.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace tessera
{

/// What forces are told apart by when their accuracy is judged.
enum class ForceClass : std::uint8_t {
    pairs,      ///< Lennard-Jones and Coulomb within the cut-off
    reciprocal, ///< meshes, or waves
    bonded,     ///< terms of ListedTerms (1-4 pairs too) and corrections of excluded pairs
    total
};
inline constexpr std::size_t force_class_count = 4;
inline constexpr std::array<std::string_view, force_class_count> force_class_names = {
    "pairs", "reciprocal", "bonded", "total"};

/// Forces of one configuration, kJ/mol/nm, topology order; those of virtual sites are spread, class
/// by class, and a site's own is 0.
struct ForcesByClass {
    std::array<std::vector<Vec3>, force_class_count> forces; ///< by ForceClass
    /// Sum over all atoms and sites of the integer forces of pairs, units of 2^-36 kJ/mol/nm: zero,
    /// since each pair adds opposite integers.
    std::array<std::int64_t, 3> pair_force_sum{};
    EnergySums sums; ///< all energies and the virial of all forces, without constraint forces
    bool has_fp32_pairs = false;

    [[nodiscard]] std::vector<Vec3>& of(ForceClass c)
    {
        return forces[static_cast<std::size_t>(c)];
    }
    [[nodiscard]] const std::vector<Vec3>& of(ForceClass c) const
    {
        return forces[static_cast<std::size_t>(c)];
    }
};

/// Who finds the pairs: production code (cluster pair list, tiles in mixed precision), or
/// add_reference_pairs, with meshes in FP64 too.
enum class PairPath : std::uint8_t { production, reference };

/// Evaluates forces class by class, in the precision that `path` says. The total of
/// PairPath::production has the bits of single_point() and of the steps of a simulation.
class ForceClasses {
public:
    ForceClasses(std::shared_ptr<const Topology> topology, const NonbondedSettings& settings,
                 PairPath path);
    ~ForceClasses();
    ForceClasses(ForceClasses&&) noexcept;
    ForceClasses& operator=(ForceClasses&&) noexcept;

    /// Virtual sites are rebuilt first. Throws PhysicsError, with the atoms, where a force is not
    /// finite or beyond the range of the sums.
    [[nodiscard]] ForcesByClass evaluate(const Box& box, std::span<const Vec3> positions,
                                         int threads);
    /// The same without the forces of single classes, which stay empty.
    [[nodiscard]] ForcesByClass total(const Box& box, std::vector<Vec3> positions, int threads);

private:
    [[nodiscard]] ForcesByClass evaluate(const Box& box, std::vector<Vec3> x, int threads,
                                         bool keeps_classes);
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

} // namespace tessera
