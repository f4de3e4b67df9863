#include "engine/base/diagnostic.hpp"

#include "engine/base/printable.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <numeric>

namespace tessera
{

namespace
{

constexpr std::size_t most_shown = 160; ///< characters of a source line

/// A long line is shown around its underlined part; `column` moves with it.
std::string shown_line(const std::string& line, int& column)
{
    if (line.size() <= most_shown) {
        return line;
    }
    const auto at = static_cast<std::size_t>(std::max(1, column)) - 1;
    // a column may lie behind the end, where something is missing
    const std::size_t begin =
        at < most_shown / 2 ? 0 : std::min(at - most_shown / 2, line.size() - most_shown);
    const std::string_view lead = begin > 0 ? "..." : "";
    column -= column > 0 ? static_cast<int>(begin) - static_cast<int>(lead.size()) : 0;
    return fmt::format("{}{}{}", lead, std::string_view(line).substr(begin, most_shown),
                       begin + most_shown < line.size() ? "..." : "");
}

/// A word of a file may be as long as the file. Lines are cut each by itself: a text may hold the
/// faults of a whole file.
std::string shortened(const std::string& text)
{
    constexpr std::size_t most = 4000;
    std::string out;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        out += begin > 0 ? "\n" : "";
        out += std::string_view(text).substr(begin, std::min(end - begin, most));
        out += end - begin > most ? "..." : "";
        begin = end + 1;
    }
    return out;
}

} // namespace

std::string Diagnostic::text() const
{
    int column = place.column;
    const std::string source_line = printable(shown_line(place.source_line, column));
    const auto width =
        static_cast<std::size_t>(std::clamp(place.width, 1, static_cast<int>(most_shown)));
    std::string out;
    if (!place.file.empty()) {
        out += printable(place.file);
        if (place.line > 0) {
            out += fmt::format(":{}", place.line);
            if (place.column > 0) {
                out += fmt::format(":{}", place.column);
            }
        }
        out += ": ";
    }
    out += shortened(printable(what));
    if (!source_line.empty()) {
        const std::string number = place.line > 0 ? std::to_string(place.line) : std::string();
        out += fmt::format("\n {:>4} | {}", number, source_line);
        if (column > 0) {
            std::string blanks;
            for (int k = 0; k + 1 < column; ++k) {
                const auto at = static_cast<std::size_t>(k);
                blanks += at < source_line.size() && source_line[at] == '\t' ? '\t' : ' ';
            }
            out += fmt::format("\n      | {}{}", blanks, std::string(width, '^'));
            if (!caret.empty()) {
                out += fmt::format(" {}", shortened(printable(caret)));
            }
        }
    }
    if (!hint.empty()) {
        out += fmt::format("\n hint: {}", shortened(printable(hint)));
    }
    return out;
}

void Diagnostics::throw_if_any() const
{
    if (faults_.empty()) {
        return;
    }
    constexpr std::size_t most = 30; // a wrong #include or a cut file makes thousands
    std::string all;
    for (std::size_t k = 0; k < std::min(most, faults_.size()); ++k) {
        all += k > 0 ? "\n" : "";
        all += faults_[k].text();
    }
    if (faults_.size() > most) {
        const std::size_t others = faults_.size() - most;
        all += others == 1 ? "\n1 more fault is not shown"
                           : fmt::format("\n{} more faults are not shown", others);
    }
    throw InputError(all);
}

void fail(Diagnostic fault)
{
    throw InputError(fault.text());
}

std::string nearest_name(std::string_view given, const std::vector<std::string>& known)
{
    const auto small = [](char c) {
        return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    };
    std::string best;
    std::size_t best_distance = std::max<std::size_t>(2, given.size() / 3) + 1;
    for (const std::string& name : known) {
        std::vector<std::size_t> row(name.size() + 1);
        std::iota(row.begin(), row.end(), std::size_t{0});
        for (std::size_t i = 0; i < given.size(); ++i) {
            std::size_t diagonal = row[0];
            row[0] = i + 1;
            for (std::size_t j = 0; j < name.size(); ++j) {
                const std::size_t substitution =
                    diagonal + (small(given[i]) == small(name[j]) ? 0 : 1);
                diagonal = row[j + 1];
                row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, substitution});
            }
        }
        if (row.back() < best_distance) {
            best_distance = row.back();
            best = name;
        }
    }
    return best;
}

} // namespace tessera
