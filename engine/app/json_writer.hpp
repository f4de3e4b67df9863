#pragma once

#include "engine/math/mat3.hpp"

#include <string>
#include <string_view>

namespace tessera
{

/// Writes JSON by hand: objects, numbers with all their digits, strings. Keys come in the order
/// they are given.
class JsonWriter {
public:
    void begin_object(std::string_view key = {});
    void end_object();
    void number(std::string_view key, double value);
    void whole(std::string_view key, long long value);
    void text(std::string_view key, std::string_view value);
    /// Three rows of three numbers.
    void matrix(std::string_view key, const Mat3& value);
    /// `json` as it is.
    void raw(std::string_view key, std::string_view json);

    [[nodiscard]] const std::string& str() const { return out_; }

private:
    void key(std::string_view name);

    std::string out_;
    int depth_ = 0;
    bool first_ = true;
};

/// A number with as many digits as are needed to read it back; null where it is not finite, since
/// JSON has no such number.
std::string json_number(double value);
std::string json_string(std::string_view text);

} // namespace tessera
