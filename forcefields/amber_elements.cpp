#include "forcefields/amber_parameters.hpp"

#include <array>
#include <cctype>
#include <cmath>
#include <string_view>

namespace tessera::amber
{

namespace
{

/// Standard atomic weights, u, of the elements 1 to 86 (IUPAC, abridged).
constexpr std::array<double, 86> atomic_weights = {
    1.008,  4.0026, 6.94,   9.0122, 10.81,  12.011, 14.007, 15.999, 18.998, 20.180, 22.990,
    24.305, 26.982, 28.085, 30.974, 32.06,  35.45,  39.95,  39.098, 40.078, 44.956, 47.867,
    50.942, 51.996, 54.938, 55.845, 58.933, 58.693, 63.546, 65.38,  69.723, 72.630, 74.922,
    78.971, 79.904, 83.798, 85.468, 87.62,  88.906, 91.224, 92.906, 95.95,  97.0,   101.07,
    102.91, 106.42, 107.87, 112.41, 114.82, 118.71, 121.76, 127.60, 126.90, 131.29, 132.91,
    137.33, 138.91, 140.12, 140.91, 144.24, 145.0,  150.36, 151.96, 157.25, 158.93, 162.50,
    164.93, 167.26, 168.93, 173.05, 174.97, 178.49, 180.95, 183.84, 186.21, 190.23, 192.22,
    195.08, 196.97, 200.59, 204.38, 207.2,  208.98, 209.0,  210.0,  222.0};

constexpr std::array<std::string_view, 86> symbols = {
    "H",  "HE", "LI", "BE", "B",  "C",  "N",  "O",  "F",  "NE", "NA", "MG", "AL", "SI", "P",
    "S",  "CL", "AR", "K",  "CA", "SC", "TI", "V",  "CR", "MN", "FE", "CO", "NI", "CU", "ZN",
    "GA", "GE", "AS", "SE", "BR", "KR", "RB", "SR", "Y",  "ZR", "NB", "MO", "TC", "RU", "RH",
    "PD", "AG", "CD", "IN", "SN", "SB", "TE", "I",  "XE", "CS", "BA", "LA", "CE", "PR", "ND",
    "PM", "SM", "EU", "GD", "TB", "DY", "HO", "ER", "TM", "YB", "LU", "HF", "TA", "W",  "RE",
    "OS", "IR", "PT", "AU", "HG", "TL", "PB", "BI", "PO", "AT", "RN"};

/// The letters of an atom name in capitals, from the first letter on ("1HB2" gives "HB2").
std::string letters_of(const std::string& name)
{
    std::string letters;
    for (const char c : name) {
        const auto u = static_cast<unsigned char>(c);
        if (std::isalpha(u) != 0) {
            letters += static_cast<char>(std::toupper(u));
        } else if (!letters.empty()) {
            break;
        }
    }
    return letters;
}

} // namespace

std::int32_t element_of(double mass, const std::string& name)
{
    if (!(mass > 0)) {
        return 0;
    }
    std::size_t best = 0;
    for (std::size_t z = 1; z < atomic_weights.size(); ++z) {
        if (std::abs(atomic_weights[z] - mass) < std::abs(atomic_weights[best] - mass)) {
            best = z;
        }
    }
    const bool is_near = std::abs(atomic_weights[best] - mass) < 0.2;
    const std::string letters = letters_of(name);
    if (is_near && letters.substr(0, symbols[best].size()) == symbols[best]) {
        return static_cast<std::int32_t>(best + 1);
    }
    // Mass moved to the hydrogens makes an oxygen as heavy as a carbon: the name decides. Up to
    // four hydrogens take two units each; a united atom holds three.
    for (const std::size_t z : {1U, 6U, 7U, 8U, 15U, 16U}) {
        const double moved = mass - atomic_weights[z - 1];
        if (!letters.empty() && letters.substr(0, 1) == symbols[z - 1] &&
            (z == 1 ? moved > -0.2 && moved < 4 : moved > -8.2 && moved < 4.2)) {
            return static_cast<std::int32_t>(z);
        }
    }
    return is_near ? static_cast<std::int32_t>(best + 1) : 0;
}

} // namespace tessera::amber
