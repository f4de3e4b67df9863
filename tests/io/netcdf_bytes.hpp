#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tessera::test
{

/// Writes a small classic NetCDF file in memory (version 1, 2 or 5): enough for Amber's files.
class NetcdfBytes {
public:
    explicit NetcdfBytes(int version) : version_(version) {}

    NetcdfBytes& dimension(const std::string& name, std::int64_t length)
    {
        dimensions_.emplace_back(name, length);
        return *this;
    }
    NetcdfBytes& attribute(const std::string& name, const std::string& text)
    {
        attributes_ += text_attribute(name, text);
        ++attribute_count_;
        return *this;
    }
    /// Type 5 float, 6 double; `attributes` made by text_attribute/number_attribute.
    NetcdfBytes& variable(const std::string& name, const std::vector<int>& dims, int type,
                          const std::vector<double>& values,
                          const std::vector<std::string>& attributes = {})
    {
        variables_.push_back({name, dims, type, values, attributes});
        return *this;
    }
    NetcdfBytes& records(std::int64_t count)
    {
        records_ = count;
        return *this;
    }

    [[nodiscard]] std::string text_attribute(const std::string& name, const std::string& text) const
    {
        return counted(name) + number(2) + count(static_cast<std::int64_t>(text.size())) +
               padded(text);
    }
    [[nodiscard]] std::string number_attribute(const std::string& name, double value) const
    {
        return counted(name) + number(6) + count(1) + real(value, 6);
    }

    [[nodiscard]] std::string bytes() const
    {
        const std::string draft = with_offsets(0);
        return with_offsets(static_cast<std::int64_t>(draft.size())) + data();
    }

private:
    struct Variable {
        std::string name;
        std::vector<int> dims;
        int type;
        std::vector<double> values;
        std::vector<std::string> attributes;
    };

    static std::string number(std::uint32_t value)
    {
        std::string all;
        for (int shift = 24; shift >= 0; shift -= 8) {
            all += static_cast<char>((value >> static_cast<unsigned>(shift)) & 255U);
        }
        return all;
    }
    static std::string wide(std::uint64_t value)
    {
        return number(static_cast<std::uint32_t>(value >> 32U)) +
               number(static_cast<std::uint32_t>(value));
    }
    static std::string real(double value, int type)
    {
        return type == 6 ? wide(std::bit_cast<std::uint64_t>(value))
                         : number(std::bit_cast<std::uint32_t>(static_cast<float>(value)));
    }
    static std::string padded(std::string text)
    {
        text.resize((text.size() + 3) / 4 * 4, '\0');
        return text;
    }
    [[nodiscard]] std::string count(std::int64_t value) const
    {
        return version_ == 5 ? wide(static_cast<std::uint64_t>(value))
                             : number(static_cast<std::uint32_t>(value));
    }
    [[nodiscard]] std::string counted(const std::string& name) const
    {
        return count(static_cast<std::int64_t>(name.size())) + padded(name);
    }
    [[nodiscard]] std::string with_offsets(std::int64_t header_size) const
    {
        std::string all = "CDF";
        all += static_cast<char>(version_);
        all += count(records_);
        all += number(0x0A) + count(static_cast<std::int64_t>(dimensions_.size()));
        for (const auto& [name, length] : dimensions_) {
            all += counted(name) + count(length);
        }
        all += number(attribute_count_ == 0 ? 0 : 0x0C) + count(attribute_count_) + attributes_;
        all += number(0x0B) + count(static_cast<std::int64_t>(variables_.size()));
        std::int64_t at = header_size;
        for (const Variable& v : variables_) {
            const auto size = static_cast<std::int64_t>(in_one_record(v)) * (v.type == 6 ? 8 : 4);
            all += counted(v.name) + count(static_cast<std::int64_t>(v.dims.size()));
            for (const int d : v.dims) {
                all += count(d);
            }
            all += number(v.attributes.empty() ? 0 : 0x0C) +
                   count(static_cast<std::int64_t>(v.attributes.size()));
            for (const std::string& a : v.attributes) {
                all += a;
            }
            all += number(static_cast<std::uint32_t>(v.type)) + count(size);
            all += version_ == 1 ? number(static_cast<std::uint32_t>(at))
                                 : wide(static_cast<std::uint64_t>(at));
            at += size;
        }
        return all;
    }
    [[nodiscard]] bool is_record(const Variable& v) const
    {
        return !v.dims.empty() && dimensions_[static_cast<std::size_t>(v.dims[0])].second == 0;
    }
    [[nodiscard]] std::size_t in_one_record(const Variable& v) const
    {
        return is_record(v) && records_ > 1 ? v.values.size() / static_cast<std::size_t>(records_)
                                            : v.values.size();
    }
    static std::string reals(const Variable& v, std::size_t from, std::size_t count)
    {
        std::string all;
        for (std::size_t k = from; k < from + count; ++k) {
            all += real(v.values[k], v.type);
        }
        return all;
    }
    /// Variables without the record dimension must have been named first.
    [[nodiscard]] std::string data() const
    {
        std::string all;
        for (const Variable& v : variables_) {
            if (!is_record(v)) {
                all += reals(v, 0, v.values.size());
            }
        }
        for (std::int64_t r = 0; r < std::max<std::int64_t>(1, records_); ++r) {
            for (const Variable& v : variables_) {
                if (is_record(v)) {
                    all +=
                        reals(v, static_cast<std::size_t>(r) * in_one_record(v), in_one_record(v));
                }
            }
        }
        return all;
    }

    int version_;
    std::int64_t records_ = 0;
    std::vector<std::pair<std::string, std::int64_t>> dimensions_;
    std::string attributes_;
    std::int64_t attribute_count_ = 0;
    std::vector<Variable> variables_;
};

} // namespace tessera::test
