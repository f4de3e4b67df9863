#pragma once

#include "engine/plans/settings.hpp"
#include "tests/oracle/answer.hpp"
#include "tests/oracle/term_energies.hpp"

#include <algorithm>

// Textbook energies of a pair of atoms at distance r.
namespace tessera::oracle
{

/// r^-p made to go to zero at rc as the settings say, without its prefactor.
struct CutPower {
    int p = 6;
    LjModifier modifier = LjModifier::none;
    double r1 = 0;
    double rc = 0;

    /// Force switch: A t^2 + B t^3 with t = r - r1 is added to the force p r^-(p+1), such that
    /// force and slope vanish at rc: a linear system for A and B.
    struct Switch {
        double a, b, constant;
    };
    [[nodiscard]] Switch force_switch() const
    {
        const double d = rc - r1;
        const double force = p * std::pow(rc, -(p + 1));
        const double slope = -p * (p + 1) * std::pow(rc, -(p + 2));
        // A d^2 + B d^3 = -force;  2 A d + 3 B d^2 = -slope
        const double det = d * d * 3 * d * d - 2 * d * d * d * d;
        const double a = (-force * 3 * d * d + slope * d * d * d) / det;
        const double b = (d * d * -slope + 2 * d * force) / det;
        return {a, b, std::pow(rc, -p) - a / 3 * d * d * d - b / 4 * d * d * d * d};
    }
    template <class R>
    [[nodiscard]] R operator()(const R& r) const
    {
        const R plain = R(1.0) / power(r, p);
        const bool inside = value_of(r) < r1;
        switch (modifier) {
        case LjModifier::none:
            return plain;
        case LjModifier::potential_shift:
            return plain - R(std::pow(rc, -p));
        case LjModifier::force_switch: {
            const Switch s = force_switch();
            const R t = inside ? R(0.0) : r - R(r1);
            return plain - R(s.a / 3) * power(t, 3) - R(s.b / 4) * power(t, 4) - R(s.constant);
        }
        case LjModifier::potential_switch: {
            if (inside) {
                return plain;
            }
            const R y = (R(rc) - r) * R(1 / (rc - r1)); // 1 at r1, 0 at rc
            return plain * power(y, 3) * (R(10.0) - R(15.0) * y + R(6.0) * y * y);
        }
        }
        return plain;
    }
};

/// What a pair of types gives: c12/r^12 - c6/r^6 - c4/r^4, cut as the settings say.
struct LennardJonesPair {
    double c4, c6, c12;
    template <class R>
    [[nodiscard]] R energy(const NonbondedSettings& s, const R& r) const
    {
        const bool open = !std::isfinite(s.lj_cutoff);
        const LjModifier m = open ? LjModifier::none : s.lj_modifier;
        const auto cut = [&](int p) { return CutPower{p, m, s.lj_switch, s.lj_cutoff}(r); };
        R u = R(c12) * cut(12) - R(c6) * cut(6);
        if (c4 != 0) {
            u = u - R(c4) * cut(4);
        }
        return u;
    }
};

/// 1 - e^(-x^2)(1 + x^2 + x^4/2): the part of r^-6 that the LJ mesh does not carry is 1 minus this.
template <class R>
R lj_mesh_share(const R& r, double beta)
{
    using std::exp;
    const R y = R(beta * beta) * r * r;
    return R(1.0) - exp(-y) * (R(1.0) + y + y * y / R(2.0));
}

/// The C6 that the LJ mesh carries for a pair of types.
inline double mesh_c6(const Topology& t, const NonbondedSettings& s, std::int32_t a, std::int32_t b)
{
    if (s.lj_combination == LjCombination::geometric) {
        return std::sqrt(t.pairs.c6[t.pairs.at(a, a)] * t.pairs.c6[t.pairs.at(b, b)]);
    }
    const auto ia = static_cast<std::size_t>(a);
    const auto ib = static_cast<std::size_t>(b);
    const double sigma = 0.5 * (t.pairs.sigma[ia] + t.pairs.sigma[ib]);
    return 4 * std::sqrt(t.pairs.epsilon[ia] * t.pairs.epsilon[ib]) * std::pow(sigma, 6);
}

} // namespace tessera::oracle
