#pragma once

#include "engine/app/assemble.hpp"

namespace tessera
{

/// Warns of what is legal but unwise: bonds to hydrogen that are free under a long step, a net
/// charge, atoms on top of each other, a cut-off that nearly fills the box.
void warn_of_unwise(const Deck& deck, const Assembly& assembly, bool dynamics,
                    Diagnostics& diagnostics);

/// Are there atoms closer than what warn_of_unwise warns of?
bool have_overlaps(const Assembly& assembly);

/// A pair of atoms that are neither excluded nor virtual, closer than `limit` (nm).
struct ClosePair {
    std::int32_t i = -1, j = -1;
    double distance = 0;
};
/// Pairs closer than `limit`, at most `most`, nearest first. Cost: atoms times those within `limit`
/// along one axis.
std::vector<ClosePair> close_pairs(const Topology& topology, const Box& box,
                                   const std::vector<Vec3>& positions, double limit,
                                   std::size_t most);

} // namespace tessera
