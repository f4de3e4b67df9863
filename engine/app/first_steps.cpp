#include "engine/app/first_steps.hpp"

#include "engine/app/start_state.hpp"
#include "engine/app/threads.hpp"
#include "engine/simulation/simulation.hpp"

#include <algorithm>

namespace tessera
{

std::string fault_of_first_steps(const Deck& deck, const Assembly& assembly, int steps)
{
    Diagnostics told_elsewhere;
    Simulation simulation(assembly.topology, assembly.nonbonded, deck.dynamics,
                          start_state(deck, assembly, told_elsewhere),
                          threads_to_use(deck.compute.threads));
    try {
        simulation.begin();
        simulation.run(std::min<std::int64_t>(steps, deck.dynamics.steps));
    } catch (const PhysicsError& fault) {
        return fault.what();
    }
    return {};
}

} // namespace tessera
