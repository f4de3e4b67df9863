#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera
{

/// A NetCDF file of the classic kinds (CDF-1, CDF-2, CDF-5), read from memory. Every length in the
/// header is checked against the size of the file before it is used, so a damaged file gives an
/// InputError, not a crash or a huge allocation. Source: the NetCDF classic format specification,
/// Unidata.
class Netcdf3 {
public:
    enum class Type : std::uint8_t {
        byte = 1,
        text,
        int16,
        int32,
        float32,
        float64,
        uint8,
        uint16,
        uint32,
        int64,
        uint64
    };
    struct Dimension {
        std::string name;
        std::int64_t length; ///< 0: the record dimension
    };
    struct Attribute {
        std::string name;
        std::string text;            ///< of text attributes
        std::vector<double> numbers; ///< of all others
    };
    struct Variable {
        std::string name;
        std::vector<std::size_t> dimensions; ///< indices into dimensions()
        std::vector<Attribute> attributes;
        Type type = Type::byte;
        std::int64_t begin = 0;

        [[nodiscard]] const Attribute* attribute(std::string_view wanted) const;
    };

    /// True where the content begins as a classic NetCDF file does.
    static bool is_one(std::string_view content);

    /// Reads the header. `name` is the file's, for messages.
    Netcdf3(std::string content, std::string name);

    [[nodiscard]] const std::string& file() const { return file_; }
    [[nodiscard]] const std::vector<Dimension>& dimensions() const { return dimensions_; }
    [[nodiscard]] const Variable* variable(std::string_view name) const;
    [[nodiscard]] const Attribute* attribute(std::string_view name) const;
    /// Lengths along a variable's dimensions, the record dimension (first, if any) as 1.
    [[nodiscard]] std::vector<std::int64_t> shape(const Variable& variable) const;
    [[nodiscard]] bool is_record(const Variable& variable) const;
    /// Of the record dimension; 0 without one.
    [[nodiscard]] std::int64_t records() const { return records_; }

    /// The values of a variable; of a record variable those of its last record. Throws InputError
    /// where there is no record, the type is text, or the file ends before them.
    [[nodiscard]] std::vector<double> values(const Variable& variable) const;

private:
    class Header;
    [[nodiscard]] std::int64_t size_of_record() const;

    std::string content_;
    std::string file_;
    std::vector<Dimension> dimensions_;
    std::vector<Attribute> attributes_;
    std::vector<Variable> variables_;
    std::int64_t records_ = 0;
};

} // namespace tessera
