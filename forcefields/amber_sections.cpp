#include "forcefields/amber_sections.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text_file.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fmt/format.h>

namespace tessera
{

namespace
{

bool starts_with(std::string_view line, std::string_view word)
{
    return line.substr(0, word.size()) == word;
}

std::string_view trimmed(std::string_view text)
{
    const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
    while (!text.empty() && is_blank(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && is_blank(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

std::size_t length_without_trailing_blanks(std::string_view text)
{
    const std::size_t last = text.find_last_not_of(" \t");
    return last == std::string_view::npos ? 0 : last + 1;
}

bool holds_data(std::string_view line)
{
    return !starts_with(line, "%") && length_without_trailing_blanks(line) > 0;
}

constexpr std::size_t most_faults = 1000; ///< kept: a damaged file may hold a fault a line

/// Reads a plain format, "20a4", "10I8", "5E16.8", "8(F9.5)", "a80": repeat, letter, width.
bool parse_format(std::string_view format, int& repeat, char& letter, int& width)
{
    std::string plain;
    for (const char c : format) {
        if (c != ' ' && c != '\t' && c != '(' && c != ')') {
            plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
    }
    const char* at = plain.data();
    const char* const end = plain.data() + plain.size();
    repeat = 1;
    if (at != end && *at >= '0' && *at <= '9') {
        at = std::from_chars(at, end, repeat).ptr;
    }
    if (at == end || std::string_view("aiefdg").find(*at) == std::string_view::npos) {
        return false;
    }
    letter = *at++;
    const auto read = std::from_chars(at, end, width);
    if (read.ec != std::errc() || repeat < 1 || width < 1 || repeat > 1000 || width > 1000) {
        return false;
    }
    at = read.ptr;
    if (at != end && *at == '.') {
        int digits = 0;
        at = std::from_chars(at + 1, end, digits).ptr;
    }
    return at == end;
}

} // namespace

AmberSections::AmberSections(const std::filesystem::path& path, Diagnostics& faults)
    : file_(path.string()), lines_(split_lines(read_text(path))), faults_(faults)
{
    Section* current = nullptr;
    std::string name;
    bool in_data = false;
    for (std::size_t k = 0; k < lines_.size(); ++k) {
        const std::string& line = lines_[k];
        characters_ += static_cast<std::int64_t>(line.size());
        const int number = static_cast<int>(k) + 1;
        if (starts_with(line, "%FLAG")) {
            name = std::string(trimmed(std::string_view(line).substr(5)));
            const auto [it, is_new] = sections_.try_emplace(name);
            if (!is_new) {
                faults_.error({{file_, number, 0, 1, line},
                               fmt::format("%FLAG {} stands twice (first at line {})", name,
                                           it->second.flag_line),
                               "",
                               "keep one of the two sections"});
            }
            it->second = Section{};
            current = &it->second;
            current->flag_line = number;
            current->begin = current->end = k + 1;
            in_data = false;
        } else if (starts_with(line, "%FORMAT") && current != nullptr) {
            current->format = std::string(trimmed(std::string_view(line).substr(7)));
            current->format_line = number;
            if (!parse_format(current->format, current->per_line, current->letter,
                              current->width)) {
                current->per_line = 0;
            }
            current->begin = current->end = k + 1;
            in_data = true;
        } else if (!line.empty() && line[0] == '%') {
            // %VERSION and %COMMENT hold no data; inside the data they are passed over
        } else if (current != nullptr && in_data) {
            current->end = k + 1;
        }
    }
    if (sections_.empty()) {
        throw InputError(Diagnostic{
            {file_, 1, 0, 1, lines_.empty() ? std::string() : lines_.front()},
            "this is not an Amber parameter file of version 7 or later (it has no %FLAG line; "
            "files from before Amber 7 have fixed sections without names)",
            "",
            "read an old file with ParmEd or cpptraj and write it anew, or check that the right "
            "file is named"}
                             .text());
    }
}

bool AmberSections::has(std::string_view flag) const
{
    return sections_.find(flag) != sections_.end();
}

const AmberSections::Section* AmberSections::find(std::string_view flag) const
{
    const auto it = sections_.find(flag);
    return it == sections_.end() ? nullptr : &it->second;
}

void AmberSections::error_at(std::string_view flag, const Piece& piece, std::string what,
                             std::string hint)
{
    if (faults_.errors().size() >= most_faults) {
        return;
    }
    const std::string line = piece.line < lines_.size() ? lines_[piece.line] : std::string();
    const int width = std::max<int>(1, static_cast<int>(piece.text.size()));
    faults_.error(
        {{file_, static_cast<int>(piece.line) + 1, static_cast<int>(piece.column) + 1, width, line},
         fmt::format("%FLAG {}: {}", flag, what),
         "",
         std::move(hint)});
}

void AmberSections::error(std::string_view flag, std::int64_t index, std::string what,
                          std::string hint)
{
    if (faults_.errors().size() >= most_faults) {
        return;
    }
    const Section* section = find(flag);
    if (section == nullptr || index < 0 || section->per_line == 0) {
        const int line = section == nullptr ? 0 : section->flag_line;
        faults_.error(
            {{file_, line, 0, 1, line > 0 ? lines_[static_cast<std::size_t>(line) - 1] : ""},
             fmt::format("%FLAG {}: {}", flag, what),
             "",
             std::move(hint)});
        return;
    }
    // values fill their lines, so a value's place follows from its number; blank lines (comments
    // taken out) are passed over
    auto row = static_cast<std::size_t>(index / section->per_line);
    std::size_t line = section->begin;
    for (; line < section->end; ++line) {
        if (holds_data(lines_[line]) && row-- == 0) {
            break;
        }
    }
    const auto column = static_cast<std::size_t>(index % section->per_line) *
                        static_cast<std::size_t>(section->width);
    Piece piece{{}, line, column};
    if (line < lines_.size() && column < lines_[line].size()) {
        piece.text =
            std::string_view(lines_[line]).substr(column, static_cast<std::size_t>(section->width));
    }
    error_at(flag, piece, std::move(what), std::move(hint));
}

std::vector<AmberSections::Piece> AmberSections::pieces(const Section& section,
                                                        std::string_view flag, std::int64_t count,
                                                        std::string_view why)
{
    if (section.per_line == 0) {
        const bool has_line = section.format_line > 0;
        const int line = has_line ? section.format_line : section.flag_line;
        faults_.error({{file_, line, 0, 1, lines_[static_cast<std::size_t>(line) - 1]},
                       has_line ? fmt::format("%FLAG {}: the format {} cannot be read (one kind of "
                                              "field is needed here, such as 10I8)",
                                              flag, section.format)
                                : fmt::format("%FLAG {} has no %FORMAT line", flag),
                       "",
                       "write the section in the format that Amber's documentation gives for it"});
        return {};
    }
    const auto width = static_cast<std::size_t>(section.width);
    std::vector<Piece> found;
    if (count > 0) {
        found.reserve(static_cast<std::size_t>(std::min<std::int64_t>(
            count, static_cast<std::int64_t>(lines_.size()) * section.per_line)));
    }
    for (std::size_t k = section.begin; k < section.end; ++k) {
        const std::string& line = lines_[k];
        if (starts_with(line, "%")) {
            continue;
        }
        const std::size_t used = length_without_trailing_blanks(line);
        std::size_t fields =
            std::min(static_cast<std::size_t>(section.per_line), (used + width - 1) / width);
        if (used > static_cast<std::size_t>(section.per_line) * width) {
            error_at(
                flag,
                {std::string_view(line).substr(static_cast<std::size_t>(section.per_line) * width),
                 k, static_cast<std::size_t>(section.per_line) * width},
                fmt::format("the line is longer than its format {} allows ({} columns)",
                            section.format, static_cast<std::size_t>(section.per_line) * width),
                "correct the line or the %FORMAT");
            return {};
        }
        // names may be blank: a short line of words still holds the fields that are missing
        if (section.letter == 'a' && count >= 0) {
            const auto missing = static_cast<std::size_t>(
                std::max<std::int64_t>(0, count - static_cast<std::int64_t>(found.size())));
            fields =
                std::max(fields, std::min(missing, static_cast<std::size_t>(section.per_line)));
        }
        for (std::size_t f = 0; f < fields; ++f) {
            const std::size_t column = f * width;
            const std::string_view whole(line);
            found.push_back(
                {column < whole.size() ? whole.substr(column, width) : std::string_view(), k,
                 column});
        }
    }
    if (count >= 0 && found.size() != static_cast<std::size_t>(count)) {
        error(flag, -1,
              fmt::format("the section holds {} values, but {} are needed ({})", found.size(),
                          count, why),
              "the file is damaged or cut short, or its format line is wrong: write it anew");
        return {};
    }
    return found;
}

std::int64_t AmberSections::to_integer(std::string_view flag, const Piece& piece)
{
    std::string_view text = trimmed(piece.text);
    if (!text.empty() && text.front() == '+') {
        text.remove_prefix(1);
    }
    std::int64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size()) {
        error_at(flag, piece,
                 text.find('*') != std::string_view::npos
                     ? std::string("an overflowed field (the number did not fit its columns)")
                     : fmt::format("'{}' is not a whole number", text),
                 "correct the value");
        return 0;
    }
    return value;
}

double AmberSections::to_real(std::string_view flag, const Piece& piece)
{
    const std::string_view given = trimmed(piece.text);
    std::string_view text = given;
    if (!text.empty() && text.front() == '+') {
        text.remove_prefix(1);
    }
    std::string fortran;
    if (text.find_first_of("dD") != std::string_view::npos) {
        fortran = std::string(text);
        std::replace(fortran.begin(), fortran.end(), 'D', 'E');
        std::replace(fortran.begin(), fortran.end(), 'd', 'e');
        text = fortran;
    }
    double value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size() ||
        !(value - value == 0)) {
        error_at(flag, piece,
                 text.find('*') != std::string_view::npos
                     ? std::string("an overflowed field (the number did not fit its columns)")
                     : fmt::format("'{}' is not a finite number", given),
                 "correct the value");
        return 0;
    }
    return value;
}

template <class Value, class Convert>
std::vector<Value> AmberSections::values(std::string_view flag, std::int64_t count,
                                         std::string_view why, Convert convert)
{
    const Section* section = find(flag);
    std::vector<Value> result;
    if (section == nullptr) {
        if (count > 0) {
            faults_.error({{file_, 0, 0, 1, ""},
                           fmt::format("the section %FLAG {} is missing ({} values are needed: {})",
                                       flag, count, why),
                           "",
                           "the file is cut short, or written by a program that leaves it out"});
        }
    } else {
        for (const Piece& piece : pieces(*section, flag, count, why)) {
            result.push_back(convert(piece));
        }
    }
    if (count >= 0) {
        // also after a fault, so that later readers can index; bounded, for the count may lie
        result.resize(static_cast<std::size_t>(std::min(count, characters_)));
    }
    return result;
}

std::vector<std::int64_t> AmberSections::integers(std::string_view flag, std::size_t count,
                                                  std::string_view why)
{
    return values<std::int64_t>(flag, static_cast<std::int64_t>(count), why,
                                [&](const Piece& p) { return to_integer(flag, p); });
}

std::vector<double> AmberSections::reals(std::string_view flag, std::size_t count,
                                         std::string_view why)
{
    return values<double>(flag, static_cast<std::int64_t>(count), why,
                          [&](const Piece& p) { return to_real(flag, p); });
}

std::vector<std::string> AmberSections::words(std::string_view flag, std::size_t count,
                                              std::string_view why)
{
    return values<std::string>(flag, static_cast<std::int64_t>(count), why, [&](const Piece& p) {
        return std::string(p.text.substr(0, length_without_trailing_blanks(p.text)));
    });
}

std::vector<std::int64_t> AmberSections::integers(std::string_view flag)
{
    return values<std::int64_t>(flag, -1, "", [&](const Piece& p) { return to_integer(flag, p); });
}

std::vector<double> AmberSections::reals(std::string_view flag)
{
    return values<double>(flag, -1, "", [&](const Piece& p) { return to_real(flag, p); });
}

std::string AmberSections::text(std::string_view flag) const
{
    const Section* section = find(flag);
    std::string all;
    if (section != nullptr) {
        for (std::size_t k = section->begin; k < section->end; ++k) {
            all += starts_with(lines_[k], "%") ? "" : lines_[k];
        }
    }
    return std::string(trimmed(all));
}

} // namespace tessera
