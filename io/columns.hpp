#pragma once

#include "engine/base/diagnostic.hpp"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera
{

/// Fixed-column and free text, as coordinate files hold it. Columns count from 0.

/// The characters [first, first + width) of a line; shorter, or empty, where the line ends before.
inline std::string_view columns(std::string_view line, std::size_t first, std::size_t width)
{
    return first >= line.size() ? std::string_view() : line.substr(first, width);
}

inline std::string_view trimmed(std::string_view text)
{
    const std::size_t begin = text.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) {
        return {};
    }
    return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

inline std::vector<std::string_view> words(std::string_view text)
{
    std::vector<std::string_view> out;
    std::size_t begin = text.find_first_not_of(" \t\r");
    while (begin != std::string_view::npos) {
        std::size_t end = text.find_first_of(" \t\r", begin);
        if (end == std::string_view::npos) {
            end = text.size();
        }
        out.push_back(text.substr(begin, end - begin));
        begin = text.find_first_not_of(" \t\r", end);
    }
    return out;
}

/// A finite number that fills the text but for blanks around it; nothing otherwise.
template <class Number>
std::optional<Number> number_in(std::string_view text)
{
    text = trimmed(text);
    if (!text.empty() && text.front() == '+') {
        text.remove_prefix(1);
    }
    Number value{};
    const char* const end = text.data() + text.size();
    const auto [stop, fault] = std::from_chars(text.data(), end, value);
    if (text.empty() || fault != std::errc() || stop != end) {
        return std::nullopt;
    }
    if constexpr (std::is_floating_point_v<Number>) {
        if (!std::isfinite(value)) {
            return std::nullopt;
        }
    }
    return value;
}

/// What is wrong with the first of these words, which should count atoms.
std::string no_number_of_atoms(const std::vector<std::string_view>& words);

/// A text file's lines with its name: makes the diagnostics of a reader.
class LineFile {
public:
    /// Reads the file (plain or gzip'ed). Throws FileError.
    explicit LineFile(const std::string& path);

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] std::size_t size() const { return lines_.size(); }
    [[nodiscard]] const std::string& operator[](std::size_t index) const { return lines_[index]; }

    /// A fault of line `index` (from 0); `column` from 0, underlined over `width` characters.
    [[noreturn]] void refuse(std::size_t index, std::string what, std::string hint) const;
    [[noreturn]] void refuse(std::size_t index, std::size_t column, std::size_t width,
                             std::string what, std::string caret, std::string hint) const;

    /// The real number in these columns; refuses the line, naming `quantity`, where there is none.
    [[nodiscard]] double real(std::size_t index, std::size_t first, std::size_t width,
                              std::string_view quantity) const;

private:
    std::string path_;
    std::vector<std::string> lines_;
};

} // namespace tessera
