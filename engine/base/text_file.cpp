#include "engine/base/text_file.hpp"

#include "engine/base/unfit_file.hpp"

#include <algorithm>
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
        throw UnfitFile(
            fmt::format("{}: cannot be read (it is a folder). Name a file in it.", path.string()));
    }
    if (std::filesystem::is_character_file(path, ignored)) { // /dev/zero has no end
        throw UnfitFile(
            fmt::format("{}: cannot be read (it is a device). Name a file.", path.string()));
    }
    errno = 0;
    const gzFile file = gzopen(path.c_str(), "rb"); // reads plain files as they are
    if (file == nullptr &&
        (errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG || errno == ELOOP)) {
        throw UnfitFile(fmt::format("{}: does not exist. Check the name.", path.string()));
    }
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
            if (code == Z_ERRNO) {
                throw FileError(
                    fmt::format("{}: cannot be read ({}). Check the disk.", path.string(), why));
            }
            throw UnfitFile(fmt::format("{}: cannot be read ({}). The file is damaged: copy it "
                                        "again.",
                                        path.string(), why));
        }
        if (got == 0) {
            break;
        }
        content.append(buffer.data(), static_cast<std::size_t>(got));
    }
    if (gzclose(file) != Z_OK) {
        throw UnfitFile(
            fmt::format("{}: ends too early (the gzip stream is cut short). Copy the file again.",
                        path.string()));
    }
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf"; // editors on Windows put it there
    if (content.compare(0, byte_order_mark.size(), byte_order_mark) == 0) {
        content.erase(0, byte_order_mark.size());
    }
    return content;
}

void require_text(const std::filesystem::path& path, const std::string& content)
{
    const auto zero = [&](std::size_t k) { return content[k] == '\0'; };
    const bool has_mark =
        content.compare(0, 2, "\xff\xfe") == 0 || content.compare(0, 2, "\xfe\xff") == 0;
    const bool alternates =
        content.size() >= 4 && zero(0) == zero(2) && zero(1) == zero(3) && zero(0) != zero(1);
    const std::string name = path.string();
    if (has_mark || alternates) {
        throw InputError(fmt::format("{0}: is UTF-16 text (two bytes a character, as some editors "
                                     "on Windows save it). Save it as UTF-8, or convert it: iconv "
                                     "-f UTF-16 -t UTF-8 {0} > new",
                                     name));
    }
    if (const std::size_t at = content.find('\0'); at != std::string::npos) {
        const auto line =
            std::count(content.begin(), content.begin() + static_cast<long>(at), '\n');
        throw InputError(fmt::format("{}:{}: holds a byte of zero (it is no text, or was damaged). "
                                     "Name a text file, or copy it again.",
                                     name, line + 1));
    }
    if (content.find('\r') != std::string::npos && content.find('\n') == std::string::npos) {
        throw InputError(
            fmt::format("{0}: its lines end with CR alone (as old Macintosh programs "
                        "save text). Save it with line ends of Unix, or convert it: tr "
                        "'\\r' '\\n' < {0} > new",
                        name));
    }
}

std::string read_text(const std::filesystem::path& path)
{
    std::string content = read_file(path);
    require_text(path, content);
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
