#include "engine/app/json_writer.hpp"

#include <cmath>
#include <fmt/format.h>

namespace tessera
{

std::string json_number(double value)
{
    return std::isfinite(value) ? fmt::format("{:.17g}", value) : "null";
}

std::string json_string(std::string_view text)
{
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
            out += c;
        }
    }
    return out + "\"";
}

void JsonWriter::key(std::string_view name)
{
    if (!first_) {
        out_ += ',';
    }
    if (depth_ > 0) {
        out_ += '\n';
        out_.append(static_cast<std::size_t>(2 * depth_), ' ');
    }
    if (!name.empty()) {
        out_ += json_string(name) + ": ";
    }
    first_ = false;
}

void JsonWriter::begin_object(std::string_view name)
{
    key(name);
    out_ += '{';
    ++depth_;
    first_ = true;
}

void JsonWriter::end_object()
{
    --depth_;
    out_ += '\n';
    out_.append(static_cast<std::size_t>(2 * depth_), ' ');
    out_ += '}';
    first_ = false;
    if (depth_ == 0) {
        out_ += '\n';
    }
}

void JsonWriter::number(std::string_view name, double value)
{
    raw(name, json_number(value));
}

void JsonWriter::whole(std::string_view name, long long value)
{
    raw(name, std::to_string(value));
}

void JsonWriter::text(std::string_view name, std::string_view value)
{
    raw(name, json_string(value));
}

void JsonWriter::matrix(std::string_view name, const Mat3& value)
{
    std::string json = "[";
    for (int k = 0; k < 3; ++k) {
        json += fmt::format("{}[{}, {}, {}]", k == 0 ? "" : ", ", json_number(value[k].x),
                            json_number(value[k].y), json_number(value[k].z));
    }
    raw(name, json + "]");
}

void JsonWriter::raw(std::string_view name, std::string_view json)
{
    key(name);
    out_ += json;
}

} // namespace tessera
