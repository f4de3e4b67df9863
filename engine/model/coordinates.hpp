#pragma once

#include "engine/geometry/box.hpp"
#include "engine/math/vec3.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tessera
{

/// What a coordinate file holds, in internal units. A frame that has no velocities, box or names
/// leaves them empty.
struct Coordinates {
    std::string title;
    std::vector<Vec3> positions;              ///< nm, [atoms]
    std::vector<Vec3> velocities;             ///< nm/ps, [atoms] or empty
    std::string why_no_velocities;            ///< where the file has some, but not of this frame
    std::vector<std::string> atom_names;      ///< [atoms] or empty
    std::vector<std::string> residue_names;   ///< [atoms] or empty
    std::vector<std::string> residue_numbers; ///< [atoms] or empty
    std::optional<Box> box;                   ///< absent: the file has none
    std::optional<double> time;               ///< ps
    std::optional<long long> step;
    std::vector<std::string> warnings;
};

} // namespace tessera
