#include "tests/fuzz/fuzz_target.hpp"

/// Amber's ASCII restart. The topology's IFBOX decides what a single line more means: with the
/// length of the input it runs through unknown, none and a cell.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const tessera::fuzz::ScratchFile file("fuzz.rst7");
    tessera::CoordinateHints hints;
    hints.ifbox = static_cast<int>(size % 3) - 1;
    tessera::fuzz::read_and_write(file, tessera::fuzz::bytes(data, size), hints);
    return 0;
}
