#include "engine/base/text_file.hpp"

#include "engine/base/error.hpp"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <zlib.h>

namespace tessera
{

std::string read_file(const std::filesystem::path& path)
{
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
        throw FileError(
            fmt::format("{}: cannot be read (it is a folder). Name a file in it.", path.string()));
    }
    if (std::filesystem::is_character_file(path, ignored)) { // /dev/zero has no end
        throw FileError(
            fmt::format("{}: cannot be read (it is a device). Name a file.", path.string()));
    }
    errno = 0;
    const gzFile file = gzopen(path.c_str(), "rb"); // reads plain files as they are
    if (file == nullptr) {
        throw FileError(
            fmt::format("{}: cannot be opened ({}). Check the name and its permissions.",
                        path.string(), errno != 0 ? std::strerror(errno) : "out of memory"));
    }
    std::string content;
    std::vector<char> buffer(1U << 18U);
    for (;;) {
        const int got = gzread(file, buffer.data(), static_cast<unsigned>(buffer.size()));
        if (got < 0) {
            int code = 0;
            const std::string why = gzerror(file, &code);
            gzclose(file);
            throw FileError(
                fmt::format("{}: cannot be read ({}). The file may be cut short or damaged.",
                            path.string(), why));
        }
        if (got == 0) {
            break;
        }
        content.append(buffer.data(), static_cast<std::size_t>(got));
    }
    if (gzclose(file) != Z_OK) {
        throw FileError(
            fmt::format("{}: ends too early (the gzip stream is cut short). Copy the file again.",
                        path.string()));
    }
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf"; // editors on Windows put it there
    if (content.compare(0, byte_order_mark.size(), byte_order_mark) == 0) {
        content.erase(0, byte_order_mark.size());
    }
    return content;
}

std::vector<std::string> split_lines(const std::string& text)
{
    std::vector<std::string> lines;
    std::size_t begin = 0;
    while (begin < text.size()) {
        std::size_t end = text.find('\n', begin);
        if (end == std::string::npos) {
            end = text.size();
        }
        std::size_t last = end;
        if (last > begin && text[last - 1] == '\r') {
            --last;
        }
        lines.emplace_back(text, begin, last - begin);
        begin = end + 1;
    }
    return lines;
}

} // namespace tessera
