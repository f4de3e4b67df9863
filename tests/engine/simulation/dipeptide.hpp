#pragma once

#include "engine/app/load.hpp"
#include "engine/app/start_state.hpp"
#include "tests/support/same_bits.hpp"

namespace tessera::support
{

enum class Bath { none, v_rescale, langevin, v_rescale_and_pressure };

/// Alanine dipeptide in 749 rigid waters, 2,269 atoms, hydrogens constrained, PME, the dispersion
/// correction, and a correction map added to the backbone (ff96 has none). 0.7 nm is as short a
/// cut-off as forces of water make sense with; the mesh is finer for it.
inline RunSetup dipeptide(Bath bath, Precision precision)
{
    std::vector<std::string> sets = {"nonbonded.cutoff=0.7 nm",
                                     "pme.spacing=0.1 nm",
                                     "nonbonded.dispersion_correction=energy-and-pressure",
                                     "output.trajectory=none",
                                     "output.checkpoint=none",
                                     "output.log=none"};
    sets.emplace_back(precision == Precision::mixed ? "compute.precision=mixed"
                                                    : "compute.precision=fp64");
    switch (bath) {
    case Bath::none:
        sets.emplace_back("thermostat.kind=none");
        break;
    case Bath::langevin:
        sets.emplace_back("run.integrator=langevin");
        sets.emplace_back("thermostat.kind=langevin");
        break;
    case Bath::v_rescale_and_pressure:
        sets.insert(sets.end(), {"barostat.kind=c-rescale", "barostat.pressure=1 bar"});
        break;
    case Bath::v_rescale:
        break;
    }
    const LoadedSystem loaded = load_system(
        {TESSERA_SOURCE_DIR "/inputs/alanine-top/run.toml", sets, {}}, false, Voice::silent);
    Topology topology = *loaded.assembly.topology;
    topology.table<Cmap>().add({4, 6, 8, 14, 16}, Cmap::typical()); // C N CA C N
    Diagnostics diagnostics;
    RunSetup out{finish(std::move(topology)), loaded.assembly.nonbonded, loaded.deck.dynamics,
                 start_state(loaded.deck, loaded.assembly, diagnostics)};
    return out;
}

} // namespace tessera::support
