#pragma once

#include "engine/base/real.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace tessera
{

// clang-format off
/// Exact sums. A number that meets others is rounded once, by a pure function, to a fixed grid, and
/// then summed as an integer: who sums, where and in which order does not reach the bits. This
/// table is the one truth of scales.
///
/// | quantity                | type    | quantum          | range of one addend       | range of a sum              |
/// |-------------------------|---------|------------------|---------------------------|-----------------------------|
/// | position                | int64   | 2^-48 nm         | 32768 nm                  |                             |
/// | position (mixed, pairs) | int32   | 2^-23 nm         | modulo 512 nm             | displacement 256 nm         |
/// | force                   | int64   | 2^-36 kJ/mol/nm  | 1.3e8 kJ/mol/nm           | the same; mod 2^64 between  |
/// | pair force (mixed)      | int32   | 2^-14 kJ/mol/nm  | 131000 kJ/mol/nm (1-norm) | an atom's: int64, as force  |
/// | the same, no charges    | int32   | 2^-16 kJ/mol/nm  | 32750 kJ/mol/nm (1-norm)  | an atom's: int64, as force  |
/// | energy, virial          | int128  | 2^-40 kJ/mol     | 8.3e6, slow path 9e19     | 1e26 kJ/mol                 |
/// | mesh charge             | int64   | 2^-50 e          | 4096 e                    | 8192 e                      |
/// | mesh charge (mixed)     | int32   | 2^-26 e          | 16 e                      | 16 e; mod 64 e between      |
///
/// The mixed mesh takes a coarser quantum, a power of two, where charges are so large that its
/// range could be left.
// clang-format on
namespace fixed
{
inline constexpr double position_scale = 281474976710656.0; // 2^48
inline constexpr double force_scale = 68719476736.0;        // 2^36
inline constexpr double energy_scale = 1099511627776.0;     // 2^40
inline constexpr double mesh_scale = 1125899906842624.0;    // 2^50
inline constexpr double kernel_position_scale = 8388608.0;  // 2^23
inline constexpr int kernel_position_shift = 25;            // from the 2^-48 nm grid to 2^-23 nm
inline constexpr int force_bits = 36;                       // force_scale = 2^36
inline constexpr int pair_force_bits = 14;                  // mixed precision
inline constexpr int pair_force_bits_uncharged = 16;        // forces are weak without charges
inline constexpr double largest_pair_force = 131000.0;      // kJ/mol/nm, |x| + |y| + |z|
inline constexpr double largest_pair_force_uncharged = 32750.0;
inline constexpr int mixed_mesh_bits = 26; // largest scale is 2^26 an e
inline constexpr double largest_force =
    134217728.0 / 2; // kJ/mol/nm, one addend or one atom's sum: half the int64 range
} // namespace fixed

/// Round to nearest, ties to even; the argument must fit.
TESSERA_FORMULA std::int64_t to_fixed(double value, double scale)
{
    return static_cast<std::int64_t>(std::llrint(value * scale));
}

TESSERA_FORMULA double from_fixed(std::int64_t value, double scale)
{
    return static_cast<double>(value) * (1.0 / scale);
}

/// 128 bits, two's complement.
struct WideInteger {
    __extension__ typedef __int128 Signed; // nvcc reads no __extension__ before using
    __extension__ typedef unsigned __int128 Unsigned;
};
/// One such number in four of 32 bits each, lowest first: 2^31 of them can be added, limb by limb,
/// before any leaves 64 bits.
using Limbs = std::array<std::int64_t, 4>;

inline Limbs limbs_of(WideInteger::Unsigned value)
{
    Limbs out{};
    for (std::int64_t& limb : out) {
        limb = static_cast<std::uint32_t>(value);
        value >>= 32;
    }
    return out;
}
/// Also of sums of limbs, modulo 2^128.
inline WideInteger::Unsigned joined(const Limbs& limbs)
{
    WideInteger::Unsigned out = 0;
    for (std::size_t k = limbs.size(); k-- > 0;) {
        out = (out << 32) + static_cast<WideInteger::Unsigned>(limbs[k]);
    }
    return out;
}

/// A sum of energies or virials: exact, so independent of the order of its addends. Addends beyond
/// the range (atoms that nearly coincide) are summed beside it in floating point, where the order
/// may reach the last bits. Unit: kJ/mol.
class ExactSum {
public:
    void add(double value)
    {
        const double scaled = value * fixed::energy_scale;
        if (std::fabs(scaled) < 9.0e18) {
            sum_ += static_cast<std::int64_t>(std::llrint(scaled));
        } else if (std::fabs(scaled) < 1.0e32) { // a million of them fit
            sum_ += static_cast<Signed>(
                scaled); // beyond 2^53 a double is an integer: nothing is rounded
        } else {
            beyond_ += value; // also what is not finite
        }
    }
    /// Adds a number that is already on the grid (units of 2^-40 kJ/mol).
    void add_fixed(std::int64_t value) { sum_ += value; }
    void add(const ExactSum& other)
    {
        sum_ += other.sum_;
        beyond_ += other.beyond_;
    }
    /// Not finite when an addend was not.
    [[nodiscard]] double value() const
    {
        return static_cast<double>(sum_) * (1.0 / fixed::energy_scale) + beyond_;
    }
    /// All its bits.
    [[nodiscard]] std::array<std::uint64_t, 3> words() const
    {
        std::uint64_t beyond = 0;
        std::memcpy(&beyond, &beyond_, sizeof beyond);
        return {static_cast<std::uint64_t>(sum_), static_cast<std::uint64_t>(sum_ >> 64), beyond};
    }
    /// For sums over ranks, with what lies beyond the range.
    [[nodiscard]] Limbs limbs() const { return limbs_of(static_cast<Wide>(sum_)); }
    [[nodiscard]] double beyond() const { return beyond_; }
    static ExactSum from(const Limbs& limbs, double beyond)
    {
        ExactSum out;
        out.sum_ = static_cast<Signed>(joined(limbs));
        out.beyond_ = beyond;
        return out;
    }
    friend bool operator==(const ExactSum&, const ExactSum&) = default;

private:
    using Signed = WideInteger::Signed;
    using Wide = WideInteger::Unsigned;
    Signed sum_ = 0;
    double beyond_ = 0; ///< kJ/mol
};

} // namespace tessera
