#include "io/trajectory_h5md.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/fuzz/seed_systems.hpp"

/// A run is continued into a damaged trajectory: opened, cut behind the checkpoint's step, and
/// appended to.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace tessera;
    static const fuzz::ScratchFile file("fuzz.h5md");
    static const std::shared_ptr<const Topology> topology = fuzz::seed_topology();
    file.write(fuzz::bytes(data, size));
    fuzz::run(file.path(), [] {
        H5mdTrajectory out =
            H5mdTrajectory::append_to(fuzz::seed_settings(file.path()), *topology, 10);
        fuzz::append_seed_frame(out, 20);
        out.close();
    });
    return 0;
}
