#pragma once

#include "engine/model/topology.hpp"

#include <string>
#include <utility>
#include <vector>

namespace tessera
{

/// A name for the system: 16 hexadecimal digits over atoms, names, residues, pair parameters,
/// listed terms, exclusions, constraints, rigid waters and virtual sites. Title and warnings do not
/// enter. Equal topologies give equal names on every machine of one byte order.
std::string topology_hash(const Topology& topology);

/// Such names for its parts, "masses", "charges", ...: they tell what differs between two systems.
std::vector<std::pair<std::string, std::string>> topology_part_hashes(const Topology& topology);

} // namespace tessera
