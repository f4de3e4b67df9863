// Read once for every number type, behind its lanes, in their namespace; no include guard. The CPU
// reads it for vectors of eight (engine/cpu/simd), the GPU for the one number of a thread
// (cuda/one_lane.hpp): the same operations in the same order, so the same bits.
//
// The lanes bring Doubles, Longs and DoubleMask; + - * of Doubles; broadcast, reciprocal and
// square_root; fused (a b + c) and fused_minus (a b - c), rounded once; rounded (to the nearest
// whole number, ties to even) and zero_longs; is_less, both, value_if, or_beyond. Each lane is
// IEEE 754's.
//
// Cost a pair (Ewald, forces): 29 fused operations, 10 multiplications, 3 roundings, a division and
// a root.

/// A pair in each lane. Strength: product of the charges, which hold the root of the Coulomb
/// constant. Parameters of Lennard-Jones as in DoubleForm.
struct DoublePair {
    Doubles dx, dy, dz; ///< x_i - x_j, nm
    Doubles strength, six_c6, twelve_c12;
};
/// On the grids of forces (on i) and of energies; zero where a pair does not count.
struct DoublePairResult {
    Longs x, y, z, lj, coulomb;
};

[[gnu::always_inline]] TESSERA_FORMULA Doubles squared_distance(const DoublePair& pair)
{
    return fused(pair.dz, pair.dz, fused(pair.dy, pair.dy, pair.dx * pair.dx));
}

/// c[k] + c[k + 2] x + c[k + 4] x^2 + ... and the same from c[k + 1] on, side by side.
struct TwoChains {
    Doubles even, odd;
};
template <std::size_t k>
[[gnu::always_inline]] TESSERA_FORMULA TwoChains
two_chains(const std::array<double, DoubleForm::terms>& c, Doubles x)
{
    if constexpr (k + 2 == DoubleForm::terms) {
        return {broadcast(c[k]), broadcast(c[k + 1])};
    } else {
        const TwoChains rest = two_chains<k + 2>(c, x);
        return {fused(rest.even, x, broadcast(c[k])), fused(rest.odd, x, broadcast(c[k + 1]))};
    }
}

/// A polynomial in t, in two chains.
[[gnu::always_inline]] TESSERA_FORMULA Doubles
polynomial(const std::array<double, DoubleForm::terms>& c, Doubles t)
{
    const TwoChains sum = two_chains<0>(c, t * t);
    return fused(sum.odd, t, sum.even);
}

/// `beyond` grows by energies out of range.
[[gnu::always_inline]] TESSERA_FORMULA Longs energy_on_grid(Doubles energy, DoubleMask& beyond)
{
    beyond = or_beyond(beyond, energy, broadcast(DoubleForm::largest_energy));
    return rounded(energy * broadcast(fixed::energy_scale));
}

/// Forces and energies of the pairs that are `listed` (a bit a lane) and within the cut-off.
/// `beyond` grows by the lanes that are out of the range of the grids: then nothing is worth
/// anything. A function of the displacement and of products of both atoms' parameters, odd in the
/// displacement. Without `Lj` the pair has no Lennard-Jones parameters, which need not be given.
template <CoulombForm Coulomb, bool Lj, bool Forces, bool Energies>
[[gnu::always_inline]] TESSERA_FORMULA DoublePairResult
double_pair(const DoubleForm& form, const DoublePair& pair, std::uint8_t listed, DoubleMask& beyond)
{
    DoublePairResult result{zero_longs(), zero_longs(), zero_longs(), zero_longs(), zero_longs()};
    const Doubles r2 = squared_distance(pair);
    const DoubleMask counts = both(is_less(r2, broadcast(form.cutoff2)), listed);
    const Doubles t = reciprocal(r2);
    Doubles over_t = broadcast(0.0); // force over distance, over t
    if constexpr (Lj) {
        const Doubles c6 = pair.six_c6, c12 = pair.twelve_c12;
        const Doubles t3 = t * t * t;
        if constexpr (Forces) {
            over_t = fused_minus(c12, t3, c6) * t3;
        }
        if constexpr (Energies) {
            const Doubles b6 = c6 * broadcast(1.0 / 6.0), b12 = c12 * broadcast(1.0 / 12.0);
            const Doubles at_cutoff =
                fused_minus(b12, broadcast(form.inv_rc12), b6 * broadcast(form.inv_rc6));
            result.lj = energy_on_grid(
                value_if(counts, fused_minus(fused_minus(b12, t3, b6), t3, at_cutoff)), beyond);
        }
    }
    Doubles f = over_t * t;
    if constexpr (Coulomb != CoulombForm::none) {
        const Doubles inv_r = square_root(t);
        const Doubles u = fused_minus(r2, broadcast(form.scale), broadcast(1.0));
        if constexpr (Forces) {
            Doubles smooth = broadcast(-2.0 * form.field_k);
            if constexpr (Coulomb == CoulombForm::ewald) {
                smooth = polynomial(form.smooth_force, u);
            }
            f = fused(pair.strength, smooth, fused(pair.strength, inv_r, over_t) * t);
        }
        if constexpr (Energies) {
            Doubles unit = inv_r;
            if constexpr (Coulomb == CoulombForm::ewald) {
                unit = unit + (polynomial(form.smooth_energy, u) - broadcast(form.ewald_shift));
            } else {
                unit = unit + fused_minus(r2, broadcast(form.field_k), broadcast(form.field_c));
            }
            result.coulomb = energy_on_grid(value_if(counts, pair.strength * unit), beyond);
        }
    }
    if constexpr (Forces) {
        f = value_if(counts, f);
        beyond = or_beyond(beyond, f, broadcast(form.largest_force_over_r));
        const Doubles scaled = f * broadcast(fixed::force_scale);
        result.x = rounded(scaled * pair.dx);
        result.y = rounded(scaled * pair.dy);
        result.z = rounded(scaled * pair.dz);
    }
    return result;
}
