#pragma once

#include "engine/base/real.hpp"

namespace tessera
{

/// Energy of a pair (kJ/mol), and its force over the distance: F_i = force_over_r (x_i - x_j),
/// F_j = -F_i (kJ/mol/nm^2). Both depend on the distance alone and take the parameters of i and j
/// only through products, so exchanging i and j changes no bit.
template <class R>
struct PairResult {
    R energy;
    R force_over_r;

    friend TESSERA_FORMULA PairResult operator+(const PairResult& a, const PairResult& b)
    {
        return {a.energy + b.energy, a.force_over_r + b.force_over_r};
    }
};

} // namespace tessera
