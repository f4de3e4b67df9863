#include "tests/fuzz/fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const tessera::fuzz::ScratchFile file("fuzz.gro");
    tessera::fuzz::read_and_write(file, tessera::fuzz::bytes(data, size));
    return 0;
}
