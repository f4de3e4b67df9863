#include "tests/fuzz/fuzz_target.hpp"

/// Amber's restart and trajectory in NetCDF-3; the first bytes are given, so that no input is
/// taken for text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const tessera::fuzz::ScratchFile file("fuzz.ncrst");
    std::string content(tessera::fuzz::bytes(data, size));
    content.replace(0, std::min<std::size_t>(3, content.size()), "CDF");
    tessera::fuzz::read_and_write(file, content);
    return 0;
}
