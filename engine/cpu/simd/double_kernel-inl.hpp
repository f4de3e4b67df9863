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

template <CoulombForm Coulomb, bool Forces, bool Energies>
struct UnitStage {
    static constexpr bool has_coulomb = Coulomb != CoulombForm::none;
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
        const Doubles none = broadcast(0.0);
        DoublePair pair{atom.x - two_quads(a, b),
                        atom.y - two_quads(a + 4, b + 4),
                        atom.z - two_quads(a + 8, b + 8),
                        none,
                        none,
                        none};
        if constexpr (has_coulomb) {
            pair.strength = atom.charge * two_quads(a + 12, b + 12);
        }
        if constexpr (Lj) {
            const std::int32_t *p = work.type + 4 * l, *q = work.type + 4 * h;
            pair.six_c6 = look_up(atom.six_c6, p, q);
            pair.twelve_c12 = look_up(atom.twelve_c12, p, q);
        }
        const auto listed = static_cast<std::uint8_t>(low >> 16 | high >> 16 << 4);
        const DoublePairResult f =
            double_pair<Coulomb, Lj, Forces, Energies>(form, pair, listed, beyond);
        if constexpr (Energies && Lj) {
            sums.lj = add_longs(sums.lj, f.lj);
        }
        if constexpr (Energies && has_coulomb) {
            sums.coulomb = add_longs(sums.coulomb, f.coulomb);
        }
        if constexpr (Forces) {
            sums.x = add_longs(sums.x, f.x);
            sums.y = add_longs(sums.y, f.y);
            sums.z = add_longs(sums.z, f.z);
            std::int64_t *to = work.force + 12 * l, *other = work.force + 12 * h;
            subtract_quads(to, other, f.x);
            subtract_quads(to + 4, other + 4, f.y);
            subtract_quads(to + 8, other + 8, f.z);
        }
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
    for_each_tile(
        row.all(), task.tiles, [&](const BlockTile& tile) __attribute__((always_inline)) {
            const std::uint32_t bits =
                own.nearer_than(near2, work.near + 16 * std::size_t{tile.entry}) & tile.mask;
            for (std::size_t a = 0; a < 4; ++a) {
                const std::uint32_t four = bits >> 4 * a & 0xFU;
                units[a][count[a]] = tile.entry | four << 16;
                count[a] += four != 0 ? 1 : 0;
            }
        });
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

template <CoulombForm Coulomb, bool Forces, bool Energies>
bool add_doubles_of(const DoubleTask& task, const DoubleForm& form, const DoubleWorkspace& work,
                    DoubleSums& sums)
{
    constexpr std::size_t most_at_once = 128; // pairs a lane: 2^7 energies below 2^55 quanta
    const Floats near2 = broadcast(fill_doubles(task, form, work));
    UnitStage<Coulomb, Forces, Energies> stage{form, work};
    std::int64_t most_tiles = 0;
    for (std::int64_t k = 0; k < task.row_count; ++k) {
        most_tiles = std::max(most_tiles, task.rows[k].all().tiles());
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
                } else if (Coulomb != CoulombForm::none) {
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
    case CoulombForm::none:
        return add_doubles_of<CoulombForm::none, Forces, Energies>(task, form, work, sums);
    case CoulombForm::reaction_field:
        return add_doubles_of<CoulombForm::reaction_field, Forces, Energies>(task, form, work,
                                                                             sums);
    case CoulombForm::ewald:
        break;
    }
    return add_doubles_of<CoulombForm::ewald, Forces, Energies>(task, form, work, sums);
}
