#include "engine/app/start_faults.hpp"

#include "engine/cpu/atom_label.hpp"
#include "engine/math/constants.hpp"
#include "engine/plans/constraint_plan.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tessera
{

namespace
{

constexpr double far_step = 0.5;        // nm: where dynamics stop
constexpr double far_bound_step = 0.1;  // nm, of an atom under constraints: about their length
constexpr double unusual_step = 0.03;   // nm: hydrogen at 300 K moves 0.006 nm in 2 fs
constexpr double gross_length = 0.5;    // relative
constexpr double visible_length = 0.05; // relative: beyond what three decimals in nm round away

void look_at_velocities(const Deck& deck, const Assembly& assembly, Diagnostics& diagnostics)
{
    const Topology& topology = *assembly.topology;
    const std::vector<Vec3>& velocity = assembly.coordinates.velocities;
    const std::vector<bool> is_bound = constrained_atoms(topology);
    const double step = deck.dynamics.timestep;
    std::size_t fast = 0;
    std::int32_t fastest = -1;
    double furthest = unusual_step, kinetic = 0, massive = 0;
    bool too_far = false;
    for (std::size_t a = 0; a < velocity.size(); ++a) {
        if (!(topology.mass[a] > 0)) {
            continue; // has no velocity of its own
        }
        const double move = step * norm(velocity[a]);
        kinetic += 0.5 * topology.mass[a] * norm2(velocity[a]);
        massive += 1;
        fast += move > unusual_step ? 1 : 0;
        too_far = too_far || move > (is_bound[a] ? far_bound_step : far_step);
        if (move > furthest) {
            furthest = move;
            fastest = static_cast<std::int32_t>(a);
        }
    }
    if (fastest >= 0) {
        const Vec3& v = velocity[static_cast<std::size_t>(fastest)];
        Diagnostic fault = {
            deck.place_of("system.coordinates"),
            fmt::format("{}: atom {} has the velocity {:.4g} {:.4g} {:.4g} nm/ps and would move "
                        "{:.3g} nm in a step of {:.4g} fs{} ({})",
                        deck.system.coordinates.string(), atom_label(topology, fastest), v.x, v.y,
                        v.z, furthest, step * 1e3,
                        fast > 1 ? fmt::format("; in all {} atoms would move more than {} nm", fast,
                                               unusual_step)
                                 : "",
                        too_far ? "no integrator can follow that"
                                : "atoms usually move some 0.003 nm"),
            "",
            "look at the unit and the columns of the file's velocities, or draw new ones: "
            "velocities = \"maxwell-boltzmann\" under [run]"};
        if (too_far) {
            diagnostics.error(std::move(fault));
        } else {
            diagnostics.warning(std::move(fault));
        }
        return;
    }
    const double temperature = massive > 0 ? 2 * kinetic / (3 * massive * constants::boltzmann) : 0;
    const double expected = deck.dynamics.expected_temperature();
    if (temperature > 5000 && temperature > 10 * expected) { // K
        diagnostics.warning(
            {deck.place_of("system.coordinates"),
             fmt::format("the velocities of {} make a temperature of {:.4g} K",
                         deck.system.coordinates.string(), temperature),
             "",
             "look at the unit of the file's velocities, or draw new ones: velocities = "
             "\"maxwell-boltzmann\" under [run]"});
    }
}

struct LengthsOff {
    std::size_t count = 0; ///< by more than visible_length
    std::int32_t i = -1, j = -1;
    double found = 0, wanted = 0, worst = visible_length;
};

LengthsOff lengths_off(const Assembly& assembly)
{
    LengthsOff out;
    const std::vector<Vec3>& x = assembly.coordinates.positions;
    const auto compare = [&](std::int32_t i, std::int32_t j, double wanted) {
        const double found = norm(
            assembly.box.shortest(x[static_cast<std::size_t>(i)] - x[static_cast<std::size_t>(j)]));
        const double off = std::fabs(found / wanted - 1);
        out.count += off > visible_length ? 1 : 0;
        if (off > out.worst) {
            out.i = i;
            out.j = j;
            out.found = found;
            out.wanted = wanted;
            out.worst = off;
        }
    };
    for (const DistanceConstraint& c : assembly.topology->constraints) {
        compare(c.i, c.j, c.length);
    }
    for (const RigidWater& w : assembly.topology->rigid_waters) {
        compare(w.o, w.h1, w.d_oh);
        compare(w.o, w.h2, w.d_oh);
        compare(w.h1, w.h2, w.d_hh);
    }
    return out;
}

void look_at_lengths(const Deck& deck, const Assembly& assembly, Diagnostics& diagnostics)
{
    const LengthsOff off = lengths_off(assembly);
    if (off.i < 0) {
        return;
    }
    const Topology& topology = *assembly.topology;
    const std::string most = fmt::format(
        "the constraint between {} and {} is to be {:.5g} nm long, in {} they stand {:.5g} nm "
        "apart",
        atom_label(topology, off.i), atom_label(topology, off.j), off.wanted,
        deck.system.coordinates.string(), off.found);
    const std::string others = off.count > 1
                                   ? fmt::format("; in all {} are off by more than {:.0f} %",
                                                 off.count, 100 * visible_length)
                                   : "";
    if (off.worst > gross_length && !deck.dynamics.minimises()) {
        diagnostics.error(
            {deck.place_of("system.coordinates"),
             fmt::format("{} (off by {:.0f} %: the coordinates are hardly of this molecule{})",
                         most, 100 * off.worst, others),
             "",
             "correct the coordinates, look at the order of their atoms, or "
             "minimise first (run.integrator = \"steepest-descent\")"});
        return;
    }
    diagnostics.warning(
        {deck.place_of("system.coordinates"),
         fmt::format("{} (off by {:.0f} %: the run begins by moving them to their length{})", most,
                     100 * off.worst, others),
         "", "correct the coordinates or the length in the topology, unless this is meant"});
}

} // namespace

void look_at_start(const Deck& deck, const Assembly& assembly, Diagnostics& diagnostics)
{
    if (!deck.dynamics.generate_velocities && !deck.dynamics.minimises()) {
        look_at_velocities(deck, assembly, diagnostics);
    }
    look_at_lengths(deck, assembly, diagnostics);
}

} // namespace tessera
