#pragma once

#include <string>

namespace tessera
{

/// Do two texts of a deck (as TOML) mean the same value of the key `path`? Quantities and numbers
/// are compared as values ("5 fs" and "0.005 ps"), all else as text without blanks outside strings.
/// Values count as equal within 1e-14 of them: two spellings of one decimal number may differ by
/// the rounding of the conversion.
bool same_deck_value(const std::string& path, const std::string& a, const std::string& b);

} // namespace tessera
