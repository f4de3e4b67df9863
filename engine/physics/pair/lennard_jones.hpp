#pragma once

#include "engine/physics/pair/pair_result.hpp"

namespace tessera
{

/// Parameters of one pair: U = c12/r^12 - c6/r^6 - c4/r^4. kJ/mol nm^12, nm^6, nm^4; c4 is zero but
/// for 12-6-4 ions (P. Li, K. M. Merz, J. Chem. Theory Comput. 10, 289 (2014)).
template <class R>
struct LjPair {
    R c6, c12, c4;
};

/// Plain 12-6(-4).
template <class R>
TESSERA_FORMULA PairResult<R> lennard_jones(const LjPair<R>& p, R inv_r2)
{
    const R inv_r4 = inv_r2 * inv_r2;
    const R inv_r6 = inv_r4 * inv_r2;
    const R u12 = p.c12 * (inv_r6 * inv_r6);
    const R u6 = p.c6 * inv_r6;
    const R u4 = p.c4 * inv_r4;
    return {u12 - u6 - u4, (R(12) * u12 - R(6) * u6 - R(4) * u4) * inv_r2};
}

/// What is subtracted inside the cut-off by a potential shift: the plain energy at the cut-off.
template <class R>
struct LjShift {
    R inv_rc4, inv_rc6, inv_rc12;
};
template <class R>
TESSERA_FORMULA LjShift<R> make_lj_shift(R cutoff)
{
    const R inv2 = R(1) / (cutoff * cutoff);
    return {inv2 * inv2, inv2 * inv2 * inv2, inv2 * inv2 * inv2 * (inv2 * inv2 * inv2)};
}

/// Potential shift: plain energy minus its value at the cut-off; the force stays.
template <class R>
TESSERA_FORMULA PairResult<R> lennard_jones_shifted(const LjPair<R>& p, R inv_r2,
                                                    const LjShift<R>& shift)
{
    PairResult<R> plain = lennard_jones(p, inv_r2);
    plain.energy -= p.c12 * shift.inv_rc12 - p.c6 * shift.inv_rc6 - p.c4 * shift.inv_rc4;
    return plain;
}

/// Force switch of one power: with t = max(r - r1, 0),
///     phi(r) = r^-p - a/3 t^3 - b/4 t^4 - c,   -dphi/dr = p r^-(p+1) + a t^2 + b t^3,
/// so that force and its slope vanish at the cut-off. The constant c acts below r1 too.
template <class R>
struct ForceSwitchPower {
    R a, b, c;
};
template <class R>
struct ForceSwitch {
    R r1;
    ForceSwitchPower<R> p4, p6, p12;
};
template <class R>
TESSERA_FORMULA ForceSwitchPower<R> make_force_switch_power(int p, R r1, R rc)
{
    R inv_power = R(1); // rc^-p
    for (int k = 0; k < p; ++k) {
        inv_power /= rc;
    }
    const R d = rc - r1;
    const R scale = R(p) * inv_power / (rc * rc);
    const R a = -scale * (R(p + 4) * rc - R(p + 1) * r1) / (d * d);
    const R b = scale * (R(p + 3) * rc - R(p + 1) * r1) / (d * d * d);
    return {a, b, inv_power - a / R(3) * d * d * d - b / R(4) * d * d * d * d};
}
template <class R>
TESSERA_FORMULA ForceSwitch<R> make_force_switch(R r1, R rc)
{
    return {r1, make_force_switch_power(4, r1, rc), make_force_switch_power(6, r1, rc),
            make_force_switch_power(12, r1, rc)};
}

/// Force switch, each power by itself: U = c12 phi_12 - c6 phi_6 - c4 phi_4.
template <class R>
TESSERA_FORMULA PairResult<R> lennard_jones_force_switch(const LjPair<R>& p, R r, R inv_r,
                                                         const ForceSwitch<R>& s)
{
    const R excess = r - s.r1;
    const R t = excess > R(0) ? excess : R(0);
    const R t2 = t * t;
    const R t3 = t2 * t;
    const R third = R(1) / R(3);
    const R inv_r2 = inv_r * inv_r;
    const R inv_r4 = inv_r2 * inv_r2;
    const R inv_r6 = inv_r4 * inv_r2;
    const R inv_r12 = inv_r6 * inv_r6;
    const R phi4 = inv_r4 - t3 * (third * s.p4.a + R(0.25) * s.p4.b * t) - s.p4.c;
    const R phi6 = inv_r6 - t3 * (third * s.p6.a + R(0.25) * s.p6.b * t) - s.p6.c;
    const R phi12 = inv_r12 - t3 * (third * s.p12.a + R(0.25) * s.p12.b * t) - s.p12.c;
    const R f4 = R(4) * inv_r4 * inv_r + t2 * (s.p4.a + s.p4.b * t);
    const R f6 = R(6) * inv_r6 * inv_r + t2 * (s.p6.a + s.p6.b * t);
    const R f12 = R(12) * inv_r12 * inv_r + t2 * (s.p12.a + s.p12.b * t);
    return {p.c12 * phi12 - p.c6 * phi6 - p.c4 * phi4,
            (p.c12 * f12 - p.c6 * f6 - p.c4 * f4) * inv_r};
}

/// Potential switch: U = plain * S(x), x = max(r - r1, 0)/(rc - r1), S = 1 - 10x^3 + 15x^4 - 6x^5.
template <class R>
struct PotentialSwitch {
    R r1, inv_width;
};
template <class R>
TESSERA_FORMULA PotentialSwitch<R> make_potential_switch(R r1, R rc)
{
    return {r1, R(1) / (rc - r1)};
}
template <class R>
TESSERA_FORMULA PairResult<R> lennard_jones_potential_switch(const LjPair<R>& p, R r, R inv_r,
                                                             const PotentialSwitch<R>& s)
{
    const PairResult<R> plain = lennard_jones(p, inv_r * inv_r);
    const R excess = r - s.r1;
    const R x = (excess > R(0) ? excess : R(0)) * s.inv_width;
    const R x2 = x * x;
    const R value = R(1) - x2 * x * (R(10) - x * (R(15) - R(6) * x));
    const R slope = R(-30) * x2 * ((R(1) - x) * (R(1) - x)) * s.inv_width;
    return {plain.energy * value, plain.force_over_r * value - plain.energy * slope * inv_r};
}

} // namespace tessera
