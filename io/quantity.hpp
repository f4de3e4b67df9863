#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera
{

/// What a dimensioned value of the deck measures. Each has one internal unit and a table of the
/// units a user may write.
enum class Dimension : unsigned char {
    none,            ///< a bare number
    length,          ///< nm
    time,            ///< ps
    wall_time,       ///< s, of the clock on the wall
    temperature,     ///< K
    pressure,        ///< kJ/mol/nm^3
    mass,            ///< u
    inverse_length,  ///< 1/nm
    compressibility, ///< nm^3 mol/kJ
    energy_rate,     ///< kJ/mol/ps
    force            ///< kJ/mol/nm
};

/// A unit a user may write, and what one of it is in internal units.
struct UnitName {
    std::string_view name;
    double factor;
};

/// Every spelling known for a dimension; of those with equal factors the first
/// is shown to users. Empty for Dimension::none.
const std::vector<UnitName>& units_of(Dimension dimension);

/// "length", "time", ... for messages.
std::string_view name_of(Dimension dimension);

/// "a length", "an energy rate", ...
std::string with_article(Dimension dimension);

/// The units worth naming in a message: `"nm", "Å" or "pm"`.
std::string units_in_words(Dimension dimension);

/// `"1 nm"`, `"300 K"`: how a value of this dimension is written; "1" for Dimension::none.
std::string example_of(Dimension dimension);

/// `write "2 fs", "2 ps" or "2 ns"`: for a number without unit, of which none can be guessed.
std::string with_each_unit(std::string_view number, Dimension dimension);

/// A dimensioned string such as "0.9 nm" or "5e-3 kJ/mol/ps", read.
struct QuantityReading {
    bool valid = false;
    double value = 0;  ///< in internal units; meaningful if valid
    std::string what;  ///< if not valid: what is wrong, without place
    std::string caret; ///< short note for the caret picture
    std::string hint;  ///< what to write instead
};

/// Reads `text` as a number followed by a unit of `dimension`. The number is finite.
QuantityReading read_quantity(std::string_view text, Dimension dimension);

} // namespace tessera
