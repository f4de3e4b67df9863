#include "io/structure_h5md.hpp"
#include "tests/fuzz/fuzz_target.hpp"

/// Coordinates out of an H5MD file: the last frame as decks and `convert` take it, and the first.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const tessera::fuzz::ScratchFile file("fuzz.h5md");
    tessera::fuzz::read_and_write(file, tessera::fuzz::bytes(data, size));
    tessera::fuzz::run(file.path(), [] {
        static_cast<void>(tessera::read_h5md(file.path(), tessera::H5mdFrame::first));
    });
    return 0;
}
