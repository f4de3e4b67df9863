#include "engine/model/topology.hpp"
#include "forcefields/amber_topology.hpp"
#include "io/topology_hash.hpp"
#include "tests/fuzz/fuzz_target.hpp"

/// An Amber parameter file (plain or gzip'ed), read and finished as a deck does.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace tessera;
    static const fuzz::ScratchFile file("fuzz.prmtop");
    file.write(fuzz::bytes(data, size));
    fuzz::run(file.path(), [] { static_cast<void>(read_amber_topology_box(file.path())); });
    fuzz::run(file.path(), [] {
        Topology topology = with_rigid_waters(read_amber_topology(file.path()));
        topology = with_constrained_bonds(std::move(topology), ConstraintChoice::all_bonds);
        const auto finished = finish(std::move(topology));
        static_cast<void>(topology_hash(*finished));
    });
    return 0;
}
