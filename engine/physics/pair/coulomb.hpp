#pragma once

#include "engine/physics/pair/pair_result.hpp"

#include <cstdint>

namespace tessera
{

/// What charges of a pair within the cut-off feel: nothing, a reaction field (or a plain or shifted
/// cut-off), or the real-space part of an Ewald sum.
enum class CoulombForm : std::uint8_t { none, reaction_field, ewald };

/// Reaction field beyond the cut-off: U = strength (1/r + k r^2 - c), strength = ke q_i q_j.
/// I. G. Tironi et al., J. Chem. Phys. 102, 5451 (1995). With k = c = 0 it is the plain cut-off,
/// with k = 0 and c = 1/rc the shifted one.
template <class R>
struct ReactionField {
    R k, c;
};

/// k = (eps - 1)/((2 eps + 1) rc^3), c = 1/rc + k rc^2; an infinite permittivity is a conductor,
/// k = 1/(2 rc^3). Without a cut-off (rc infinite) it is plain Coulomb.
inline ReactionField<double> make_reaction_field(double permittivity, double cutoff)
{
    const double inv_rc = 1.0 / cutoff;
    const bool conductor = permittivity > 1e300;
    const double factor = conductor ? 0.5 : (permittivity - 1.0) / (2.0 * permittivity + 1.0);
    return {factor * inv_rc * inv_rc * inv_rc, inv_rc * (1.0 + factor)};
}
inline ReactionField<double> make_plain_cutoff()
{
    return {0.0, 0.0};
}
inline ReactionField<double> make_shifted_cutoff(double cutoff)
{
    return {0.0, 1.0 / cutoff};
}

template <class R>
TESSERA_FORMULA PairResult<R> reaction_field(R strength, R r2, R inv_r, const ReactionField<R>& f)
{
    return {strength * (inv_r + f.k * r2 - f.c), strength * (inv_r * inv_r * inv_r - R(2) * f.k)};
}

/// What an excluded pair inside the cut-off feels of the field: U = strength (k r^2 - c).
template <class R>
TESSERA_FORMULA PairResult<R> reaction_field_excluded(R strength, R r2, const ReactionField<R>& f)
{
    return {strength * (f.k * r2 - f.c), strength * (R(-2) * f.k)};
}

} // namespace tessera
