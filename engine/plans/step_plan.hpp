#pragma once

#include <cstdint>

namespace tessera
{

/// What one step has to yield beside the motion: a pure function of the step number, the settings
/// and the listeners. Belongs to the end of the step.
struct StepPlan {
    std::int64_t step = 0;  ///< number of the step that the forces belong to
    bool energies = false;  ///< energies by kind
    bool virial = false;    ///< virial tensor
    bool listeners = false; ///< some observer listens at this step
    bool hashes = false;    ///< of what the phases make (debugging)
    bool atoms = false;     ///< some listener looks at positions or velocities
    bool forces = false;    ///< some listener looks at forces
    bool room = false;      ///< some listener needs the memory of the lists
    friend bool operator==(const StepPlan&, const StepPlan&) = default;
};

} // namespace tessera
