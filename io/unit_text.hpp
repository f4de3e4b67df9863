#pragma once

#include <optional>
#include <string_view>

namespace tessera
{

/// The factor to internal units of a unit of lengths and times as H5MD files write it: symbols with
/// exponents, separated by blanks ("nm ps-1", "Angstrom", "A fs-1"). Nothing where a symbol is not
/// known.
std::optional<double> unit_factor(std::string_view unit);

} // namespace tessera
