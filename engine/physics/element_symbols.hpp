#pragma once

#include <array>
#include <string_view>

namespace tessera
{

/// Symbols of the elements by atomic number, in capitals as PDB files write them; 0 has none.
inline constexpr std::array<std::string_view, 55> element_symbols = {
    "",   "H",  "HE", "LI", "BE", "B",  "C",  "N",  "O",  "F",  "NE", "NA", "MG", "AL",
    "SI", "P",  "S",  "CL", "AR", "K",  "CA", "SC", "TI", "V",  "CR", "MN", "FE", "CO",
    "NI", "CU", "ZN", "GA", "GE", "AS", "SE", "BR", "KR", "RB", "SR", "Y",  "ZR", "NB",
    "MO", "TC", "RU", "RH", "PD", "AG", "CD", "IN", "SN", "SB", "TE", "I",  "XE"};

} // namespace tessera
