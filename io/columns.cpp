#include "io/columns.hpp"

#include "engine/base/text_file.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera
{

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
               fmt::format("{} is not a finite number (columns {} to {} hold \"{}\")", quantity,
                           first + 1, first + width, field),
               "not a number", "write one number in these columns; they are fixed");
    }
    return *value;
}

} // namespace tessera
