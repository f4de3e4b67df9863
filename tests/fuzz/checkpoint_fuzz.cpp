#include "io/checkpoint.hpp"
#include "io/content_hash.hpp"
#include "tests/fuzz/fuzz_target.hpp"

#include <cstring>

namespace
{

constexpr std::string_view magic = "TESSERAC";
constexpr std::size_t trailer_bytes = 24;

/// The content with an end mark that fits it, so that what lies behind the checksum is reached.
std::string sealed(std::string content)
{
    if (content.size() >= trailer_bytes &&
        content.compare(content.size() - trailer_bytes, magic.size(), magic) == 0) {
        content.resize(content.size() - trailer_bytes);
    }
    tessera::ContentHash hash;
    hash.add_bytes(content.data(), content.size());
    const std::uint64_t length = content.size(), value = hash.value();
    content += magic;
    content.append(reinterpret_cast<const char*>(&length), sizeof length);
    content.append(reinterpret_cast<const char*>(&value), sizeof value);
    return content;
}

void read(const tessera::fuzz::ScratchFile& file, const std::string& content)
{
    using namespace tessera;
    file.write(content);
    fuzz::run(file.path(), [&] { static_cast<void>(read_checkpoint(file.path())); });
    fuzz::run(file.path(), [&] { static_cast<void>(read_coordinates(file.path())); });
}

} // namespace

/// The bytes as they are; and, where TESSERA_FUZZ_FORGE is set, with a checksum that fits: no
/// accident makes such a file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const tessera::fuzz::ScratchFile file("fuzz.h5");
    static const bool is_forged = std::getenv("TESSERA_FUZZ_FORGE") != nullptr;
    const std::string content(tessera::fuzz::bytes(data, size));
    read(file, is_forged ? sealed(content) : content);
    return 0;
}
