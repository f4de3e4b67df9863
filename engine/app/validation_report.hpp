#pragma once

#include "engine/app/assemble.hpp"
#include "engine/simulation/accuracy.hpp"

#include <string>
#include <vector>

namespace tessera
{

/// What `tessera validate --quick` has found.
struct Validation {
    std::string system;     ///< words on the system and its precision
    double timestep = 0;    ///< ps
    double temperature = 0; ///< K
    double force_rms = 0;   ///< kJ/mol/nm, of the total force, all frames
    FrameAccuracy joined;   ///< all frames
    std::vector<FrameAccuracy> frames;
    std::vector<AccuracyRow> rows;
    std::vector<PositiveControl> controls;
    std::vector<std::string> notes;

    /// Every margin is kept and every control found, by T1 alone where T2 has no prediction.
    [[nodiscard]] bool is_within() const;
};

/// The table `tessera validate` prints.
std::string validation_table(const Validation& validation, const Topology& topology);
/// The JSON of docs/accuracy.md.
std::string validation_json(const Validation& validation, const Assembly& assembly);

} // namespace tessera
