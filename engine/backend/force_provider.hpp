#pragma once

#include "engine/backend/sums.hpp"
#include "engine/geometry/box.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace tessera
{

/// Something that exerts forces. Positions are those of all atoms in topology order, nm; between
/// two searches an atom's positions follow a continuous path (no jump by a cell vector).
class ForceProvider {
public:
    virtual ~ForceProvider() = default;

    /// Under this name its time is told.
    [[nodiscard]] virtual std::string_view phase() const = 0;

    /// Evaluated beside the others where the backend can (mesh sums).
    [[nodiscard]] virtual bool is_long_range() const { return false; }

    /// Must search() run before add_forces() at these positions?
    [[nodiscard]] virtual bool needs_search(const Box&, std::span<const Vec3>, int /*threads*/)
    {
        return false;
    }
    virtual void search(const Box&, std::span<const Vec3>, int /*threads*/) {}

    virtual void add_forces(const Box&, std::span<const Vec3> positions, Wanted, int threads,
                            ForceSums&, EnergySums&) = 0;

    /// For who can use the time until others answer: does a part of what add_forces() would do, the
    /// more often it is called; add_forces() with the same arguments then does the rest. False:
    /// nothing is left that can be done ahead. Local forces call no other rank here.
    virtual bool add_ahead(const Box&, std::span<const Vec3> /*positions*/, Wanted, int /*threads*/,
                           ForceSums&, EnergySums&)
    {
        return false;
    }

    /// Before a search of any: returns the memory of what the next evaluation alone makes anew.
    virtual void make_room() {}
    /// Returns the memory of what the next search and evaluation make anew; needs_search() then.
    virtual void let_go() {}

    /// Of what lies between positions and forces (mesh charges, mesh potential), at the last
    /// add_forces() that wanted hashes, in the order in which it was made.
    [[nodiscard]] virtual std::vector<PhaseHash> phase_hashes() const { return {}; }
};

} // namespace tessera
