#pragma once

#include "engine/base/fixed_point.hpp"
#include "engine/physics/pair/double_form.hpp"

#include <array>
#include <cmath>
#include <cstdint>

/// A pair in FP64 with the bits of the CPU's vectors: lanes of one number, and behind them the text
/// that both read. nvcc gets -fmad=false, so only what is fused in the text is fused.
namespace tessera::one_lane
{

using Doubles = double;
using Longs = long long;
using DoubleMask = bool;

TESSERA_FORMULA double broadcast(double v)
{
    return v;
}
TESSERA_FORMULA long long zero_longs()
{
    return 0;
}
/// a b + c, rounded once
TESSERA_FORMULA double fused(double a, double b, double c)
{
    return std::fma(a, b, c);
}
/// a b - c, rounded once
TESSERA_FORMULA double fused_minus(double a, double b, double c)
{
    return std::fma(a, b, -c);
}
TESSERA_FORMULA double reciprocal(double v)
{
    return 1.0 / v;
}
TESSERA_FORMULA double square_root(double v)
{
    return std::sqrt(v);
}
TESSERA_FORMULA bool is_less(double a, double b)
{
    return a < b;
}
TESSERA_FORMULA bool both(bool a, std::uint8_t bit)
{
    return a && bit != 0;
}
TESSERA_FORMULA double value_if(bool wanted, double v)
{
    return wanted ? v : 0.0;
}
/// Also where v is no number.
TESSERA_FORMULA bool or_beyond(bool known, double v, double limit)
{
    return known || !(std::fabs(v) < limit);
}
/// To the nearest whole number, |v| below 2^59.
TESSERA_FORMULA long long rounded(double v)
{
    return std::llrint(v);
}

#include "engine/physics/pair/double_pair.inl"

} // namespace tessera::one_lane
