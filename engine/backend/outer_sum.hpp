#pragma once

#include "engine/base/fixed_point.hpp"
#include "engine/math/mat3.hpp"

#include <array>
#include <cstdint>

namespace tessera
{

/// A sum of x outer F, x on the position grid (2^-48 nm) and F on the force grid (2^-36 kJ/mol/nm):
/// exact, so the parts of threads and ranks add up to the same bits whoever held what. Sums wrap
/// modulo 2^128 of 2^-84 kJ/mol; what a system's parts add up to must fit.
class OuterSum {
public:
    /// f: two's complement, as force sums wrap.
    void add(const std::array<std::int64_t, 3>& x, const std::array<std::uint64_t, 3>& f)
    {
        for (std::size_t k = 0; k < 3; ++k) {
            for (std::size_t l = 0; l < 3; ++l) {
                element_[k][l] +=
                    static_cast<Wide>(static_cast<Signed>(x[k]) * static_cast<std::int64_t>(f[l]));
            }
        }
    }
    void add(const OuterSum& other)
    {
        for (std::size_t k = 0; k < 3; ++k) {
            for (std::size_t l = 0; l < 3; ++l) {
                element_[k][l] += other.element_[k][l];
            }
        }
    }
    /// kJ/mol
    [[nodiscard]] Mat3 value() const
    {
        constexpr double scale = 1.0 / fixed::position_scale / fixed::force_scale;
        Mat3 m;
        for (int k = 0; k < 3; ++k) {
            for (int l = 0; l < 3; ++l) {
                m[k][l] = static_cast<double>(static_cast<Signed>(element_[k][l])) * scale;
            }
        }
        return m;
    }
    /// For sums over ranks.
    [[nodiscard]] std::array<Limbs, 9> limbs() const
    {
        std::array<Limbs, 9> out;
        for (std::size_t k = 0; k < 9; ++k) {
            out[k] = limbs_of(element_[k / 3][k % 3]);
        }
        return out;
    }
    static OuterSum from(const std::array<Limbs, 9>& limbs)
    {
        OuterSum out;
        for (std::size_t k = 0; k < 9; ++k) {
            out.element_[k / 3][k % 3] = joined(limbs[k]);
        }
        return out;
    }
    friend bool operator==(const OuterSum&, const OuterSum&) = default;

private:
    using Signed = WideInteger::Signed;
    using Wide = WideInteger::Unsigned;
    Wide element_[3][3] = {};
};

} // namespace tessera
