// Read once for every instruction set, behind its lanes of FP32 and FP64; no include guard.
//
// A unit is one atom of a row with the four of a column. Lanes: 0 to 3 the first unit's column, 4
// to 7 the second's; the atom is the same in all, so forces on it are summed lane by lane, and
// forces on columns need no sum over lanes at all.
//
// Cost two units (Ewald, forces): 14 loads of 4, 6 stores, about 50 operations, 31 of them fused
// multiplications and additions, a division and a root; two gathers where the atom has a
// Lennard-Jones parameter. About 0.6 of the lanes are in range.

/// One atom of the row, in all lanes.
struct DoubleAtom {
    Doubles x, y, z, charge;
    const double *six_c6, *twelve_c12; ///< its rows of the tables
};
struct DoubleAtomSums {
    Longs x, y, z, lj, coulomb;
};

/// A polynomial in t, in two chains.
inline Doubles polynomial(const std::array<double, DoubleForm::terms>& c, Doubles t)
{
    const Doubles t2 = t * t;
    Doubles even = broadcast(c[DoubleForm::terms - 2]), odd = broadcast(c[DoubleForm::terms - 1]);
#pragma GCC unroll 24
    for (int k = DoubleForm::terms - 4; k >= 0; k -= 2) {
        even = fused(even, t2, broadcast(c[static_cast<std::size_t>(k)]));
        odd = fused(odd, t2, broadcast(c[static_cast<std::size_t>(k) + 1]));
    }
    return fused(odd, t, even);
}

template <BlockCoulomb Coulomb, bool Forces, bool Energies>
struct UnitStage {
    static constexpr bool has_coulomb = Coulomb != BlockCoulomb::none;
    const DoubleForm& form;
    const DoubleWorkspace& work;
    DoubleMask beyond = no_lanes();

    /// Two units; `low` and `high` hold an entry in 16 bits and which of its atoms count.
    template <bool Lj>
    [[gnu::always_inline]] void add(const DoubleAtom& atom, std::uint32_t low, std::uint32_t high,
                                    DoubleAtomSums& sums)
    {
        const std::size_t l = low & 0xFFFFU, h = high & 0xFFFFU;
        const double *a = work.position + 16 * l, *b = work.position + 16 * h;
        const Doubles dx = atom.x - two_quads(a, b);
        const Doubles dy = atom.y - two_quads(a + 4, b + 4);
        const Doubles dz = atom.z - two_quads(a + 8, b + 8);
        const Doubles r2 = fused(dz, dz, fused(dy, dy, dx * dx));
        const DoubleMask counts = both(is_less(r2, broadcast(form.cutoff2)),
                                       static_cast<std::uint8_t>(low >> 16 | high >> 16 << 4));
        const Doubles t = reciprocal(r2);
        Doubles over_t = broadcast(0.0); // force over distance, over t
        if constexpr (Lj) {
            const std::int32_t *p = work.type + 4 * l, *q = work.type + 4 * h;
            const Doubles c6 = look_up(atom.six_c6, p, q), c12 = look_up(atom.twelve_c12, p, q);
            const Doubles t3 = t * t * t;
            if constexpr (Forces) {
                over_t = fused_minus(c12, t3, c6) * t3;
            }
            if constexpr (Energies) {
                const Doubles b6 = c6 * broadcast(1.0 / 6.0), b12 = c12 * broadcast(1.0 / 12.0);
                const Doubles at_cutoff =
                    fused_minus(b12, broadcast(form.inv_rc12), b6 * broadcast(form.inv_rc6));
                book(value_if(counts, fused_minus(fused_minus(b12, t3, b6), t3, at_cutoff)),
                     sums.lj);
            }
        }
        Doubles f = over_t * t;
        if constexpr (has_coulomb) {
            const Doubles strength = atom.charge * two_quads(a + 12, b + 12);
            const Doubles inv_r = square_root(t);
            const Doubles u = fused_minus(r2, broadcast(form.scale), broadcast(1.0));
            if constexpr (Forces) {
                Doubles smooth = broadcast(-2.0 * form.field_k);
                if constexpr (Coulomb == BlockCoulomb::ewald) {
                    smooth = polynomial(form.smooth_force, u);
                }
                f = fused(strength, smooth, fused(strength, inv_r, over_t) * t);
            }
            if constexpr (Energies) {
                Doubles unit;
                if constexpr (Coulomb == BlockCoulomb::ewald) {
                    unit =
                        inv_r + (polynomial(form.smooth_energy, u) - broadcast(form.ewald_shift));
                } else {
                    unit =
                        inv_r + fused_minus(r2, broadcast(form.field_k), broadcast(form.field_c));
                }
                book(value_if(counts, strength * unit), sums.coulomb);
            }
        }
        if constexpr (Forces) {
            f = value_if(counts, f);
            beyond = or_beyond(beyond, f, broadcast(form.largest_force_over_r));
            const Doubles scaled = f * broadcast(fixed::force_scale);
            const Longs x = rounded(scaled * dx), y = rounded(scaled * dy);
            const Longs z = rounded(scaled * dz);
            sums.x = add_longs(sums.x, x);
            sums.y = add_longs(sums.y, y);
            sums.z = add_longs(sums.z, z);
            std::int64_t *to = work.force + 12 * l, *other = work.force + 12 * h;
            subtract_quads(to, other, x);
            subtract_quads(to + 4, other + 4, y);
            subtract_quads(to + 8, other + 8, z);
        }
    }

    [[gnu::always_inline]] void book(const Doubles& energy, Longs& sum)
    {
        beyond = or_beyond(beyond, energy, broadcast(DoubleForm::largest_energy));
        sum = add_longs(sum, rounded(energy * broadcast(fixed::energy_scale)));
    }
};

/// Copies the entries into the workspace. Returns the square of the distance below which a pair in
/// FP32 may be in range in FP64.
inline float fill_doubles(const DoubleTask& task, const DoubleForm& form,
                          const DoubleWorkspace& work)
{
    double farthest = 0;
    for (std::int64_t e = 0; e < task.entries; ++e) {
        const auto c = static_cast<std::size_t>(task.cluster[e]);
        const auto to = static_cast<std::size_t>(e);
        const double* from = task.xyzq + 16 * c;
        const double* shift = task.shift + 4 * std::size_t{task.offset[e]};
        for (std::size_t k = 0; k < 3; ++k) {
            for (std::size_t a = 4 * k; a < 4 * k + 4; ++a) {
                const double x = from[a] - shift[k], local = x - task.origin[k];
                work.position[16 * to + a] = x;
                work.near[16 * to + a] = static_cast<float>(local);
                farthest = std::max(farthest, std::fabs(local));
            }
        }
        for (std::size_t a = 0; a < 4; ++a) {
            work.position[16 * to + 12 + a] = form.charge_scale * from[12 + a];
            work.type[4 * to + a] = task.type[4 * c + a];
        }
        std::fill(work.force + 12 * to, work.force + 12 * to + 12, 0);
    }
    // coordinates err by 2^-24 of the farthest, differences by a little more than twice that
    const double cutoff = std::sqrt(form.cutoff2);
    return static_cast<float>(form.cutoff2 * (1 + 2e-6) + 2e-6 * cutoff * farthest);
}

/// Lists, for each atom of a row, the units near it; pairs them up with one where no pair counts.
inline void find_units(const DoubleTask& task, const BlockRow& row, const DoubleWorkspace& work,
                       Floats near2, std::uint32_t* const (&units)[4], std::size_t (&count)[4])
{
    const ClusterLanes own(work.near + 16 * static_cast<std::size_t>(row.entry));
    for (std::int64_t k = row.begin; k < row.end; ++k) {
        const BlockTile& tile = task.tiles[k];
        const std::uint32_t bits =
            own.nearer_than<false>(near2, work.near + 16 * std::size_t{tile.entry}) & tile.mask;
        for (std::size_t a = 0; a < 4; ++a) {
            const std::uint32_t four = bits >> 4 * a & 0xFU;
            units[a][count[a]] = tile.entry | four << 16;
            count[a] += four != 0 ? 1 : 0;
        }
    }
    for (std::size_t a = 0; a < 4; ++a) {
        units[a][count[a]] = static_cast<std::uint32_t>(row.entry);
        count[a] += count[a] % 2;
    }
}

template <bool Lj, class Stage>
inline void add_units(Stage& stage, const DoubleAtom& atom, const std::uint32_t* units,
                      std::size_t count, DoubleAtomSums& sums)
{
    for (std::size_t k = 0; k < count; k += 2) {
        stage.template add<Lj>(atom, units[k], units[k + 1], sums);
    }
}

template <BlockCoulomb Coulomb, bool Forces, bool Energies>
bool add_doubles_of(const DoubleTask& task, const DoubleForm& form, const DoubleWorkspace& work,
                    DoubleSums& sums)
{
    constexpr std::size_t most_at_once = 128; // pairs a lane: 2^7 energies below 2^55 quanta
    const Floats near2 = broadcast(fill_doubles(task, form, work));
    UnitStage<Coulomb, Forces, Energies> stage{form, work};
    std::int64_t most_tiles = 0;
    for (std::int64_t k = 0; k < task.row_count; ++k) {
        most_tiles = std::max(most_tiles, task.rows[k].end - task.rows[k].begin);
    }
    const auto room = static_cast<std::size_t>(most_tiles) + 2;
    std::uint32_t* const units[4] = {work.units, work.units + room, work.units + 2 * room,
                                     work.units + 3 * room};
    for (std::int64_t k = 0; k < task.row_count; ++k) {
        const BlockRow& row = task.rows[k];
        const auto entry = static_cast<std::size_t>(row.entry);
        std::size_t count[4] = {};
        find_units(task, row, work, near2, units, count);
        for (std::size_t a = 0; a < 4; ++a) {
            const double* own = work.position + 16 * entry + a;
            const auto type = static_cast<std::size_t>(work.type[4 * entry + a]);
            const std::size_t table = type * static_cast<std::size_t>(form.types);
            const DoubleAtom atom{broadcast(own[0]),  broadcast(own[4]),   broadcast(own[8]),
                                  broadcast(own[12]), form.six_c6 + table, form.twelve_c12 + table};
            for (std::size_t done = 0; done < count[a]; done += 2 * most_at_once) {
                const std::size_t now = std::min(count[a] - done, 2 * most_at_once);
                DoubleAtomSums own_sums{zero_longs(), zero_longs(), zero_longs(), zero_longs(),
                                        zero_longs()};
                if (form.has_lj[type] != 0) {
                    add_units<true>(stage, atom, units[a] + done, now, own_sums);
                } else if (Coulomb != BlockCoulomb::none) {
                    add_units<false>(stage, atom, units[a] + done, now, own_sums);
                }
                if constexpr (Forces) {
                    const auto add = [](std::int64_t& to, std::int64_t f) {
                        to = static_cast<std::int64_t>(static_cast<std::uint64_t>(to) +
                                                       static_cast<std::uint64_t>(f));
                    };
                    std::int64_t* to = work.force + 12 * entry + a;
                    add(to[0], sum_of(own_sums.x));
                    add(to[4], sum_of(own_sums.y));
                    add(to[8], sum_of(own_sums.z));
                }
                if constexpr (Energies) {
                    add_lanes(sums.lj, own_sums.lj);
                    add_lanes(sums.coulomb, own_sums.coulomb);
                }
            }
        }
    }
    return !is_any(stage.beyond);
}

template <bool Forces, bool Energies>
bool add_doubles(const DoubleTask& task, const DoubleForm& form, const DoubleWorkspace& work,
                 DoubleSums& sums)
{
    switch (form.coulomb) {
    case BlockCoulomb::none:
        return add_doubles_of<BlockCoulomb::none, Forces, Energies>(task, form, work, sums);
    case BlockCoulomb::reaction_field:
        return add_doubles_of<BlockCoulomb::reaction_field, Forces, Energies>(task, form, work,
                                                                              sums);
    case BlockCoulomb::ewald:
        break;
    }
    return add_doubles_of<BlockCoulomb::ewald, Forces, Energies>(task, form, work, sums);
}
