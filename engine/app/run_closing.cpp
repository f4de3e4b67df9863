#include "engine/app/run_closing.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <sys/resource.h>

namespace tessera
{

namespace
{

std::string counted(std::int64_t count, const char* thing)
{
    return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string times_in_words(Simulation& simulation, double elapsed)
{
    double timed = 0;
    for (const PhaseTimes::Entry& phase : simulation.times().entries()) {
        timed += phase.seconds;
    }
    const double all = std::max(timed, elapsed);
    std::string out =
        fmt::format("\n  {:<22} {:>12} {:>14} {:>10}\n", "time spent", "calls", "s", "share");
    for (const PhaseTimes::Entry& phase : simulation.times().entries()) {
        out += fmt::format("  {:<22} {:>12} {:>14.3f} {:>8.1f} %\n", phase.name, phase.calls,
                           phase.seconds, 100 * phase.seconds / all);
    }
    return out + fmt::format("  {:<22} {:>12} {:>14.3f} {:>8.1f} %\n\n", "other", "", all - timed,
                             100 * (all - timed) / all);
}

/// Energy and largest force at the end of a minimisation, and what they mean.
std::string how_far_minimised(const Deck& deck, Simulation& simulation)
{
    const double tolerance = deck.dynamics.minimizer_tolerance;
    const LargestForce largest = simulation.largest_force();
    std::string out =
        fmt::format("potential energy {:.8f} kJ/mol, largest force {:.6g} kJ/mol/nm on {}\n",
                    simulation.observables().potential, largest.force,
                    largest.atom < 0 ? "no atom" : simulation.describe(largest.atom));
    if (simulation.minimised()) {
        out += fmt::format("minimised to the tolerance of {:g} kJ/mol/nm\n", tolerance);
    } else if (simulation.is_stuck()) {
        out += fmt::format("stuck above the tolerance of {:g} kJ/mol/nm: no step lowers the energy "
                           "any more\n",
                           tolerance);
    } else {
        out += fmt::format("not yet minimised to the tolerance of {:g} kJ/mol/nm: more steps would "
                           "help\n",
                           tolerance);
    }
    if (deck.output.checkpoint) {
        out += fmt::format("the structure reached: tessera convert {} OUT.gro --topology {}\n",
                           deck.output.checkpoint->string(), deck.system.topology.string());
    }
    return out;
}

/// How often the pair list was made anew, and what memory was used at most.
std::string list_and_memory(Simulation& simulation, std::int64_t steps, std::int64_t atoms)
{
    std::string out;
    for (const PhaseTimes::Entry& phase : simulation.times().entries()) {
        if (phase.name == "search" && phase.calls > 0) {
            out = fmt::format("pair list made {} times: every {:.1f} steps\n", phase.calls,
                              static_cast<double>(steps) / static_cast<double>(phase.calls));
        }
    }
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const double bytes = 1024.0 * static_cast<double>(used.ru_maxrss); // Linux counts in KiB
    return out + fmt::format("peak memory {:.4g} MB, {:.0f} bytes an atom\n", bytes * 1e-6,
                             bytes / static_cast<double>(atoms));
}

} // namespace

std::string closing_words(const Deck& deck, const Assembly& assembly, Simulation& simulation,
                          const RunClock& clock, const RunEnd& end)
{
    const bool minimises = deck.dynamics.minimises();
    const std::int64_t step = simulation.state().step, steps = step - end.first_step;
    std::string out = times_in_words(simulation, clock.elapsed());
    if (minimises) {
        out += how_far_minimised(deck, simulation);
    }
    out += list_and_memory(simulation, steps, assembly.topology->atoms());
    out += fmt::format("{} at step {} of {} after {} ({} in this part)\n",
                       end.why.empty() ? "finished" : end.why, step, deck.dynamics.steps,
                       duration_in_words(clock.elapsed()), counted(steps, "step"));
    if (const auto speed = clock.ns_per_day(); speed && !minimises) {
        out += fmt::format("{:.4g} ns/day ({} x {}, measured over the last {})\n", *speed,
                           counted(end.ranks, "rank"), counted(end.threads, "thread"),
                           counted(clock.measured_steps(), "step"));
    }
    return out;
}

} // namespace tessera
