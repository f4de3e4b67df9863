#pragma once

#include "engine/app/assemble.hpp"
#include "engine/app/run_clock.hpp"
#include "engine/simulation/simulation.hpp"

#include <string>

namespace tessera
{

/// How a part of a run ended.
struct RunEnd {
    std::string why;             ///< it ended early; empty: it did not
    std::int64_t first_step = 0; ///< of this part
    int ranks = 1;
    int threads = 1; ///< of this rank
};

/// What the log says at the end, after the statistics: where time went, how far a minimisation
/// came, the pair list's life, memory, and the speed.
std::string closing_words(const Deck& deck, const Assembly& assembly, Simulation& simulation,
                          const RunClock& clock, const RunEnd& end);

} // namespace tessera
