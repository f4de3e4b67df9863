#include "io/write_text.hpp"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>

namespace tessera
{

void write_text(const std::string& path, std::string_view text)
{
    std::error_code ignored;
    errno = 0;
    // aside first: a disk that fills up leaves no half a file, and the old one stands; a device or
    // a link is written where it is
    const auto kind = std::filesystem::symlink_status(path, ignored).type();
    const bool put_aside = kind == std::filesystem::file_type::regular ||
                           kind == std::filesystem::file_type::not_found;
    const std::string name = put_aside ? path + ".new" : path;
    std::FILE* const file = std::fopen(name.c_str(), "wb");
    bool is_written = file != nullptr;
    if (is_written) {
        is_written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
        const int cause = errno;
        is_written = std::fclose(file) == 0 && is_written;
        errno = errno != 0 ? errno : cause;
    }
    if (put_aside && is_written) {
        is_written = std::rename(name.c_str(), path.c_str()) == 0;
    }
    if (!is_written) {
        const int cause = errno;
        if (put_aside) {
            std::remove(name.c_str());
        }
        errno = cause;
        throw FileError(fmt::format("{}: cannot be written ({}). Check the folder, its permissions "
                                    "and the free space.",
                                    path, std::strerror(errno)));
    }
}

std::string title_line(const std::string& title)
{
    if (title.empty()) {
        return "written by Tessera";
    }
    return title.substr(0, title.find_first_of("\r\n"));
}

std::string fitting(double value, std::size_t width, int decimals, std::string_view quantity,
                    std::size_t index, std::string_view of)
{
    std::string text = fmt::format("{:{}.{}f}", value, width, decimals);
    if (text.size() > width || !std::isfinite(value)) {
        throw InputError(fmt::format(
            "the {} {} of {} {} cannot be written (the column has {} places and {} decimals). "
            "Use a format with wider columns, or .h5md.",
            quantity, value, of, index + 1, width, decimals));
    }
    return text;
}

const std::string& fitting(const std::string& name, std::size_t width, std::string_view quantity,
                           std::size_t atom)
{
    if (name.size() > width) {
        throw InputError(fmt::format("the {} \"{}\" of atom {} cannot be written (the column has "
                                     "{} places). Shorten the name, or use .h5md.",
                                     quantity, name, atom + 1, width));
    }
    return name;
}

const std::string& AtomLabels::atom_name(std::size_t atom) const
{
    static const std::string unnamed = "X";
    return frame_.atom_names.empty() ? unnamed : frame_.atom_names[atom];
}

const std::string& AtomLabels::residue_name(std::size_t atom) const
{
    static const std::string unnamed = "UNK";
    return frame_.residue_names.empty() ? unnamed : frame_.residue_names[atom];
}

long AtomLabels::residue_number(std::size_t atom) const
{
    long number = 1;
    if (!frame_.residue_numbers.empty()) {
        const std::string& text = frame_.residue_numbers[atom];
        std::from_chars(text.data(), text.data() + text.size(), number);
    }
    return number < 0 ? 0 : number;
}

} // namespace tessera
