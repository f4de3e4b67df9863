#include "io/columns.hpp"

#include "engine/base/text_file.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera
{

std::string no_number_of_atoms(const std::vector<std::string_view>& words)
{
    const std::string_view word = words.empty() ? std::string_view() : words.front();
    const auto count = number_in<double>(word);
    if (!count || std::floor(*count) != *count) {
        return fmt::format("the number of atoms is not a whole number (\"{}\")", word);
    }
    return *count > 0
               ? fmt::format("the number of atoms is {}, too many (at most 2147483647)", word)
           : *count == 0 ? std::string("the number of atoms is 0 (there is nothing to read)")
                         : fmt::format("the number of atoms is {}, below zero", word);
}

LineFile::LineFile(const std::string& path) : path_(path), lines_(split_lines(read_text(path))) {}

void LineFile::refuse(std::size_t index, std::string what, std::string hint) const
{
    Diagnostic fault;
    fault.place.file = path_;
    fault.place.line = static_cast<int>(index) + 1;
    fault.place.source_line = index < lines_.size() ? lines_[index] : std::string();
    fault.what = std::move(what);
    fault.hint = std::move(hint);
    fail(std::move(fault));
}

void LineFile::refuse(std::size_t index, std::size_t column, std::size_t width, std::string what,
                      std::string caret, std::string hint) const
{
    Diagnostic fault;
    fault.place.file = path_;
    fault.place.line = static_cast<int>(index) + 1;
    fault.place.column = static_cast<int>(column) + 1;
    fault.place.width = static_cast<int>(std::max<std::size_t>(1, width));
    fault.place.source_line = index < lines_.size() ? lines_[index] : std::string();
    fault.what = std::move(what);
    fault.caret = std::move(caret);
    fault.hint = std::move(hint);
    fail(std::move(fault));
}

double LineFile::real(std::size_t index, std::size_t first, std::size_t width,
                      std::string_view quantity) const
{
    const std::string_view field = columns(lines_[index], first, width);
    const std::optional<double> value = number_in<double>(field);
    if (!value) {
        refuse(index, first, width,
               fmt::format("{} is not a number (columns {} to {} hold \"{}\")", quantity, first + 1,
                           first + width, field),
               "no finite number", "write one number in these columns; they are fixed");
    }
    return *value;
}

} // namespace tessera
