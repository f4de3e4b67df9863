#include "io/netcdf3.hpp"

#include "engine/base/error.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <utility>

namespace tessera
{

namespace
{

constexpr std::uint32_t tag_dimensions = 0x0A, tag_variables = 0x0B, tag_attributes = 0x0C;

std::int64_t size_of(Netcdf3::Type type)
{
    switch (type) {
    case Netcdf3::Type::byte:
    case Netcdf3::Type::text:
    case Netcdf3::Type::uint8:
        return 1;
    case Netcdf3::Type::int16:
    case Netcdf3::Type::uint16:
        return 2;
    case Netcdf3::Type::int32:
    case Netcdf3::Type::float32:
    case Netcdf3::Type::uint32:
        return 4;
    case Netcdf3::Type::float64:
    case Netcdf3::Type::int64:
    case Netcdf3::Type::uint64:
        return 8;
    }
    return 8;
}

/// The big-endian number at `at`, as its bits.
template <class Unsigned>
Unsigned big_endian(const char* at)
{
    Unsigned value = 0;
    for (std::size_t k = 0; k < sizeof(Unsigned); ++k) {
        value = static_cast<Unsigned>((value << 8U) | static_cast<unsigned char>(at[k]));
    }
    return value;
}

double number_at(const char* at, Netcdf3::Type type)
{
    switch (type) {
    case Netcdf3::Type::byte:
        return static_cast<signed char>(*at);
    case Netcdf3::Type::text:
    case Netcdf3::Type::uint8:
        return static_cast<unsigned char>(*at);
    case Netcdf3::Type::int16:
        return static_cast<std::int16_t>(big_endian<std::uint16_t>(at));
    case Netcdf3::Type::uint16:
        return big_endian<std::uint16_t>(at);
    case Netcdf3::Type::int32:
        return static_cast<std::int32_t>(big_endian<std::uint32_t>(at));
    case Netcdf3::Type::uint32:
        return big_endian<std::uint32_t>(at);
    case Netcdf3::Type::float32:
        return static_cast<double>(std::bit_cast<float>(big_endian<std::uint32_t>(at)));
    case Netcdf3::Type::float64:
        return std::bit_cast<double>(big_endian<std::uint64_t>(at));
    case Netcdf3::Type::int64:
        return static_cast<double>(static_cast<std::int64_t>(big_endian<std::uint64_t>(at)));
    case Netcdf3::Type::uint64:
        return static_cast<double>(big_endian<std::uint64_t>(at));
    }
    return 0;
}

} // namespace

/// Walks through the header; every step checks that the bytes are there.
class Netcdf3::Header {
public:
    Header(const std::string& content, const std::string& file) : content_(content), file_(file)
    {
        const char version = content.size() > 3 ? content[3] : '\0';
        has_long_counts_ = version == 5;
        has_long_offsets_ = version != 1;
        at_ = 4;
    }

    [[noreturn]] void fail(const std::string& what) const
    {
        throw InputError(fmt::format("{}: {} (NetCDF header, byte {}). The file is damaged or cut "
                                     "short: copy or write it anew.",
                                     file_, what, at_));
    }
    std::int64_t count()
    {
        const std::int64_t value =
            has_long_counts_ ? static_cast<std::int64_t>(big_endian<std::uint64_t>(take(8)))
                             : static_cast<std::int64_t>(big_endian<std::uint32_t>(take(4)));
        if (value < 0) {
            fail("a negative count");
        }
        return value;
    }
    /// The number of records; -1: not noted (a stream).
    std::int64_t records()
    {
        if (has_long_counts_) {
            return static_cast<std::int64_t>(big_endian<std::uint64_t>(take(8)));
        }
        const std::uint32_t value = big_endian<std::uint32_t>(take(4));
        return value == 0xFFFFFFFFU ? -1 : static_cast<std::int64_t>(value);
    }
    std::int64_t offset()
    {
        const std::int64_t value =
            has_long_offsets_ ? static_cast<std::int64_t>(big_endian<std::uint64_t>(take(8)))
                              : static_cast<std::int64_t>(big_endian<std::uint32_t>(take(4)));
        if (value < 0 || value > static_cast<std::int64_t>(content_.size())) {
            fail(fmt::format("data at byte {}, but the file has {} bytes", value, content_.size()));
        }
        return value;
    }
    /// The number of elements of a list with this tag; an absent list has none.
    std::int64_t list(std::uint32_t tag)
    {
        const std::uint32_t found = big_endian<std::uint32_t>(take(4));
        const std::int64_t elements = count();
        if ((found != tag && found != 0) || (found == 0 && elements != 0)) {
            fail("a list of another kind than expected");
        }
        if (elements > left()) { // each element takes several bytes
            fail(fmt::format("a list of {} elements, more than the file has bytes", elements));
        }
        return elements;
    }
    std::string name()
    {
        const std::int64_t length = count();
        return padded_bytes(length);
    }
    Type type()
    {
        const std::uint32_t value = big_endian<std::uint32_t>(take(4));
        if (value < 1 || value > 11) {
            fail(fmt::format("a type numbered {} (1 to 11 are known)", value));
        }
        return static_cast<Type>(value);
    }
    std::vector<Attribute> attributes()
    {
        std::vector<Attribute> all;
        const std::int64_t n = list(tag_attributes);
        for (std::int64_t k = 0; k < n; ++k) {
            Attribute attribute{name(), {}, {}};
            const Type kind = type();
            const std::int64_t length = count();
            if (length > left()) {
                fail(
                    fmt::format("an attribute of {} values, more than the file has bytes", length));
            }
            const std::string bytes = padded_bytes(length * size_of(kind));
            if (kind == Type::text) {
                attribute.text = bytes.substr(0, bytes.find('\0'));
            } else {
                for (std::int64_t v = 0; v < length; ++v) {
                    attribute.numbers.push_back(number_at(bytes.data() + v * size_of(kind), kind));
                }
            }
            all.push_back(std::move(attribute));
        }
        return all;
    }

private:
    [[nodiscard]] std::int64_t left() const
    {
        return static_cast<std::int64_t>(content_.size() - at_);
    }
    const char* take(std::int64_t bytes)
    {
        if (bytes > left()) {
            fail("the file ends in its header");
        }
        const char* start = content_.data() + at_;
        at_ += static_cast<std::size_t>(bytes);
        return start;
    }
    std::string padded_bytes(std::int64_t length)
    {
        if (length > left()) {
            fail("the file ends in its header");
        }
        std::string bytes(take(length), static_cast<std::size_t>(length));
        take((4 - length % 4) % 4);
        return bytes;
    }

    const std::string& content_;
    const std::string& file_;
    std::size_t at_ = 0;
    bool has_long_counts_ = false;
    bool has_long_offsets_ = false;
};

bool Netcdf3::is_one(std::string_view content)
{
    return content.size() >= 4 && content.substr(0, 3) == "CDF" &&
           (content[3] == 1 || content[3] == 2 || content[3] == 5);
}

Netcdf3::Netcdf3(std::string content, std::string name)
    : content_(std::move(content)), file_(std::move(name))
{
    Header header(content_, file_);
    if (!is_one(content_)) {
        header.fail("this is not a NetCDF file of the classic kinds");
    }
    records_ = header.records();
    const std::int64_t dimension_count = header.list(tag_dimensions);
    for (std::int64_t k = 0; k < dimension_count; ++k) {
        std::string dimension_name = header.name();
        dimensions_.push_back({std::move(dimension_name), header.count()});
    }
    attributes_ = header.attributes();
    const std::int64_t variable_count = header.list(tag_variables);
    for (std::int64_t k = 0; k < variable_count; ++k) {
        Variable v;
        v.name = header.name();
        const std::int64_t rank = header.count();
        if (rank > 1024) {
            header.fail(fmt::format("variable {} has {} dimensions", v.name, rank));
        }
        for (std::int64_t d = 0; d < rank; ++d) {
            const std::int64_t id = header.count();
            if (id >= dimension_count) {
                header.fail(fmt::format("variable {} names dimension {}, but there are {}", v.name,
                                        id, dimension_count));
            }
            v.dimensions.push_back(static_cast<std::size_t>(id));
        }
        v.attributes = header.attributes();
        v.type = header.type();
        header
            .count(); // the size in bytes: it follows from the shape, and may be wrong above 4 GiB
        v.begin = header.offset();
        variables_.push_back(std::move(v));
    }
    if (records_ < 0) { // a stream: as many as the file holds
        auto begin = static_cast<std::int64_t>(content_.size());
        for (const Variable& variable : variables_) {
            begin = is_record(variable) ? std::min(begin, variable.begin) : begin;
        }
        const std::int64_t step = size_of_record();
        records_ = step > 0 ? (static_cast<std::int64_t>(content_.size()) - begin) / step : 0;
    }
}

const Netcdf3::Attribute* Netcdf3::Variable::attribute(std::string_view wanted) const
{
    const auto it = std::find_if(attributes.begin(), attributes.end(),
                                 [&](const Attribute& a) { return a.name == wanted; });
    return it == attributes.end() ? nullptr : &*it;
}

const Netcdf3::Variable* Netcdf3::variable(std::string_view name) const
{
    const auto it = std::find_if(variables_.begin(), variables_.end(),
                                 [&](const Variable& v) { return v.name == name; });
    return it == variables_.end() ? nullptr : &*it;
}

const Netcdf3::Attribute* Netcdf3::attribute(std::string_view name) const
{
    const auto it = std::find_if(attributes_.begin(), attributes_.end(),
                                 [&](const Attribute& a) { return a.name == name; });
    return it == attributes_.end() ? nullptr : &*it;
}

bool Netcdf3::is_record(const Variable& variable) const
{
    return !variable.dimensions.empty() && dimensions_[variable.dimensions.front()].length == 0;
}

std::vector<std::int64_t> Netcdf3::shape(const Variable& variable) const
{
    std::vector<std::int64_t> lengths;
    for (const std::size_t d : variable.dimensions) {
        lengths.push_back(dimensions_[d].length);
    }
    if (is_record(variable)) {
        lengths.front() = 1;
    }
    return lengths;
}

/// Bytes from a record to the next; no more than the file's, whatever the header promises.
std::int64_t Netcdf3::size_of_record() const
{
    const auto most = static_cast<std::int64_t>(content_.size());
    std::int64_t sum = 0;
    std::int64_t last = 0;
    int variables = 0;
    for (const Variable& variable : variables_) {
        if (!is_record(variable)) {
            continue;
        }
        last = size_of(variable.type);
        for (const std::int64_t length : shape(variable)) {
            last = length > 0 && last > most / length ? most : last * length;
        }
        sum = std::min(most, sum + (last + 3) / 4 * 4);
        ++variables;
    }
    return variables == 1 ? last : sum; // one alone is not filled up to four bytes
}

std::vector<double> Netcdf3::values(const Variable& variable) const
{
    const auto fail = [&](const std::string& what) {
        throw InputError(fmt::format("{}: variable {}: {}. The file is damaged or cut short: copy "
                                     "or write it anew.",
                                     file_, variable.name, what));
    };
    if (is_record(variable) && records_ == 0) {
        throw InputError(fmt::format("{}: variable {} holds no frame (the file was closed before "
                                     "the first one). Name a file with a frame in it.",
                                     file_, variable.name));
    }
    const auto size = static_cast<std::int64_t>(content_.size());
    std::int64_t begin = variable.begin;
    if (const std::int64_t step = size_of_record(); is_record(variable) && step > 0) {
        if (records_ - 1 > (size - begin) / step) {
            fail(fmt::format("its header promises {} frames, but the file ends before the last",
                             records_));
        }
        begin += (records_ - 1) * step;
    }
    const std::int64_t width = size_of(variable.type);
    const std::int64_t available = (size - begin) / width;
    std::int64_t elements = 1;
    for (const std::int64_t length : shape(variable)) {
        if (length != 0 && elements > available / length) {
            fail(
                fmt::format("its header promises more values than the file holds ({} from byte {})",
                            available, begin));
        }
        elements *= length;
    }
    if (elements > available) {
        fail(fmt::format("its header promises {} values, but the file holds {}", elements,
                         available));
    }
    std::vector<double> result(static_cast<std::size_t>(elements));
    const char* at = content_.data() + begin;
    for (double& value : result) {
        value = number_at(at, variable.type);
        at += width;
    }
    return result;
}

} // namespace tessera
