// Read once for every instruction set, between its lanes and its entry; no include guard. Needs
// lanes-inl (Floats, Ints, Mask and their functions) and exact_sums-inl in the same namespace.
//
// A tile is one vector of 16 lanes: lane 4 a + b holds the a-th atom of the row with the b-th of
// the column. An atom's line in the workspace is [x4|y4|z4|q4], so a column is four broadcast
// loads.
//
// Cost a tile (Ewald, geometric LJ): 9 loads, 3 stores, 40 operations (20 of them multiplications,
// fused or not), among them a division and a root that run beside the others. Forces on the column
// are not added up over the row's atoms: an entry has three lines, x, y and z, and the sum over
// lanes waits for the end of the block. That takes 8 operations from a tile and gives 2 loads and
// stores; measured 11 % less time, also where the lines leave the nearest cache.

/// nm of units of 2^-23 nm; exact below 2 nm.
inline Floats in_nm(const Ints& units)
{
    return to_float(units) * broadcast(1.0F / 8388608.0F);
}

template <bool Integer>
inline Floats displacement(const Floats& own, const float* other)
{
    if constexpr (Integer) {
        return in_nm(subtract(as_ints(own), as_ints(quad(other))));
    } else {
        return own - quad(other);
    }
}

/// A cluster's atoms, each four times.
struct ClusterLanes {
    Floats x, y, z;
    explicit ClusterLanes(const float* line)
        : x(four_times(line)), y(four_times(line + 4)), z(four_times(line + 8))
    {
    }
    /// Squared distances of its atoms from the other line's.
    [[nodiscard]] Floats distances2(const float* other) const
    {
        const Floats dx = x - quad(other), dy = y - quad(other + 4), dz = z - quad(other + 8);
        return fused(dz, dz, fused(dy, dy, dx * dx));
    }
    /// Bit 4 a + b: its a-th atom and the other line's b-th are nearer than the root of the limit.
    [[nodiscard]] std::uint32_t nearer_than(const Floats& limit2, const float* other) const
    {
        return bits_of(is_less(distances2(other), limit2));
    }
};

/// A row's atoms, each four times.
struct RowAtoms {
    Floats x, y, z, charge, lj_a, lj_b;
};
/// What travels between the stages of the pipeline.
struct InFlight {
    Floats dx, dy, dz, r2, inv_r2;
    Mask counts;
};

template <LjRule Lj, CoulombForm Coulomb, bool Integer>
struct PairStages {
    const CubicTable table;
    const Floats cutoff2, cell_scale, minus_two_k;

    explicit PairStages(const BlockForm& form)
        : table(form.cubic), cutoff2(broadcast(form.cutoff2)),
          cell_scale(broadcast(form.cell_scale)), minus_two_k(broadcast(-form.two_k))
    {
    }

    [[gnu::always_inline]] InFlight begin(const RowAtoms& row, const float* column) const
    {
        InFlight s;
        s.dx = displacement<Integer>(row.x, column);
        s.dy = displacement<Integer>(row.y, column + 4);
        s.dz = displacement<Integer>(row.z, column + 8);
        s.r2 = fused(s.dz, s.dz, fused(s.dy, s.dy, s.dx * s.dx));
        s.inv_r2 = reciprocal(s.r2);
        s.counts = is_less(s.r2, cutoff2);
        return s;
    }

    /// Force over distance; zero where the pair does not count.
    [[gnu::always_inline]] Floats middle(const RowAtoms& row, const InFlight& s,
                                         const float* column, const float* lj) const
    {
        const Floats t = s.inv_r2;
        // f over t: Lennard-Jones, and what of the charges has the factor t
        Floats first, second;
        if constexpr (Lj == LjRule::geometric) {
            const Floats t3 = t * t * t;
            first = fused_minus(row.lj_b * quad(lj + 4), t3, row.lj_a * quad(lj));
            second = t3;
        } else {
            const Floats sigma = row.lj_a + quad(lj), u = sigma * sigma * t, u3 = u * u * u;
            first = row.lj_b * quad(lj + 4) * u3;
            second = fused_minus(broadcast(2.0F), u3, broadcast(1.0F));
        }
        Floats f;
        if constexpr (Coulomb == CoulombForm::none) {
            f = first * second * t;
        } else {
            const Floats strength = row.charge * quad(column + 12);
            f = fused(first, second, strength * square_root(t)) * t;
            if constexpr (Coulomb == CoulombForm::reaction_field) {
                f = fused(strength, minus_two_k, f);
            } else {
                // 1.5 2^23: the nearest whole number comes to stand in the lowest bits
                const Ints cell = as_ints(fused(s.r2, cell_scale, broadcast(12582912.0F)));
                f = fused(strength, table.value(cell, s.r2), f);
            }
        }
        return value_if(s.counts, f);
    }
};

/// Forces on the row's cluster, added up, and the largest |force over distance| met.
struct RowSums {
    Ints x, y, z, largest;
};

[[gnu::always_inline]] inline void finish_tile(const InFlight& s, const Floats& f,
                                               std::int32_t* force, RowSums& sums)
{
    sums.largest = larger_of(sums.largest, f);
    const Ints x = summand(f * s.dx), y = summand(f * s.dy), z = summand(f * s.dz);
    sums.x = plus(sums.x, x);
    sums.y = plus(sums.y, y);
    sums.z = plus(sums.z, z);
    store(force, minus(load(force), x));
    store(force + 16, minus(load(force + 16), y));
    store(force + 32, minus(load(force + 32), z));
}

template <class Stages, bool Masked>
inline void add_tiles_of_row(const Stages& stages, const RowAtoms& row, const std::uint16_t* tile,
                             const std::uint16_t* end, BlockWorkspace work, RowSums& sums)
{
    // a copy of the workspace's pointers: stores of forces cannot change them
    const auto column = [&](const std::uint16_t* t) {
        return work.position + 16 * std::size_t{*t};
    };
    const auto lj = [&](const std::uint16_t* t) { return work.lj + 8 * std::size_t{*t}; };
    const auto force = [&](const std::uint16_t* t) { return work.force + 48 * std::size_t{*t}; };
    const auto begin = [&](const std::uint16_t* t) __attribute__((always_inline))
    {
        InFlight s = stages.begin(row, column(t));
        if constexpr (Masked) {
            s.counts = both(s.counts, BlockTile::of<true>(t).mask);
        }
        return s;
    };
    const auto middle = [&](const std::uint16_t* t, const InFlight& s)
        __attribute__((always_inline))
    {
        return stages.middle(row, s, column(t), lj(t));
    };
    constexpr std::ptrdiff_t one = BlockTile::size<Masked>;
    if (end - tile < 2 * one) {
        for (; tile < end; tile += one) {
            const InFlight s = begin(tile);
            finish_tile(s, middle(tile, s), force(tile), sums);
        }
        return;
    }
    // three tiles in flight, so that the long latencies of one are hidden by the others
    InFlight oldest = begin(tile);
    Floats f = middle(tile, oldest);
    InFlight next = begin(tile + one);
    for (tile += 2 * one; tile < end; tile += one) {
        const InFlight newest = begin(tile);
        const Floats f_of_next = middle(tile - one, next);
        // last, else it fills the processor's schedulers with waiting for f: 8 % of AVX-512's time
        finish_tile(oldest, f, force(tile - 2 * one), sums);
        f = f_of_next;
        oldest = next;
        next = newest;
    }
    finish_tile(oldest, f, force(tile - 2 * one), sums);
    finish_tile(next, middle(tile - one, next), force(tile - one), sums);
}

/// An entry's line relative to the origin.
inline Ints local_line(const BlockTask& task, std::int64_t entry)
{
    const auto c = static_cast<std::size_t>(task.cluster[entry]);
    return subtract(load(task.xyzq + 16 * c),
                    load(task.origin + 16 * std::size_t{task.offset[entry]}));
}

/// Whether FP32 holds all positions that count: what is farther than 2 nm from the origin, and so
/// inexact, is farther than the cut-off from rows that are all this near to it.
inline bool is_exact(const BlockTask& task, const BlockForm& form)
{
    const Ints reach = broadcast_int(form.exact_reach);
    Ints farthest = zero();
    for (std::int64_t k = 0; k < task.row_count; ++k) {
        farthest = larger(farthest, positions_of(add(local_line(task, task.rows[k].entry), reach)));
    }
    alignas(64) std::int32_t each[16];
    store(each, farthest);
    return std::all_of(each, each + 12, [&](std::int32_t x) {
        return static_cast<std::uint32_t>(x) <= 2 * static_cast<std::uint32_t>(form.exact_reach);
    });
}

/// Copies the entries into the workspace, relative to the origin, as integers or in FP32.
inline void fill_workspace(const BlockTask& task, const BlockWorkspace& work, bool integer)
{
    for (std::int64_t e = 0; e < task.entries; ++e) {
        const auto c = static_cast<std::size_t>(task.cluster[e]);
        const auto to = static_cast<std::size_t>(e);
        const Ints line = load(task.xyzq + 16 * c);
        const Ints local = local_line(task, e);
        store_line(work.position + 16 * to, integer ? local : with_charge(in_nm(local), line));
        copy8(work.lj + 8 * to, task.lj + 8 * c);
        for (std::size_t k = 0; k < 3; ++k) {
            store(work.force + 48 * to + 16 * k, zero());
        }
    }
}

inline RowAtoms row_atoms(const BlockWorkspace& work, std::int32_t entry)
{
    const float* own = work.position + 16 * static_cast<std::size_t>(entry);
    const float* lj = work.lj + 8 * static_cast<std::size_t>(entry);
    return {four_times(own),      four_times(own + 4), four_times(own + 8),
            four_times(own + 12), four_times(lj),      four_times(lj + 4)};
}

template <class Stages>
bool add_block(const Stages& stages, const BlockTask& task, const BlockForm& form,
               const BlockWorkspace& work)
{
    Ints largest = zero();
    for (std::int64_t k = 0; k < task.row_count; ++k) {
        const BlockRow& row = task.rows[k];
        const TileRange chosen = row.chosen();
        if (chosen.begin == chosen.end) {
            continue;
        }
        const RowAtoms atoms = row_atoms(work, row.entry);
        RowSums sums{zero(), zero(), zero(), zero()};
        add_tiles_of_row<Stages, true>(stages, atoms, task.tiles + chosen.begin,
                                       task.tiles + chosen.plain, work, sums);
        add_tiles_of_row<Stages, false>(stages, atoms, task.tiles + chosen.plain,
                                        task.tiles + chosen.end, work, sums);
        plus_lines(work.force + 48 * static_cast<std::size_t>(row.entry),
                   summed_over_column(sums.x, sums.y, sums.z));
        largest = larger(largest, sums.largest);
    }
    return all_below(largest, form.largest_force_over_r);
}

template <class Use>
[[gnu::always_inline]] inline void for_each_tile(const TileRange& range,
                                                 const std::uint16_t* numbers, const Use& use)
{
    for (std::ptrdiff_t k = range.begin; k < range.plain; k += BlockTile::size<true>) {
        use(BlockTile::of<true>(numbers + k));
    }
    for (std::ptrdiff_t k = range.plain; k < range.end; k += BlockTile::size<false>) {
        use(BlockTile::of<false>(numbers + k));
    }
}

template <class Stages>
void add_block_wide(const Stages& stages, const BlockTask& task, const BlockForm& form,
                    const BlockWorkspace& work, const WideBlockSums& sums)
{
    alignas(64) float f[3][16];
    for (std::int64_t k = 0; k < task.row_count; ++k) {
        const BlockRow& row = task.rows[k];
        const RowAtoms atoms = row_atoms(work, row.entry);
        std::int64_t* own = sums.force + 12 * static_cast<std::size_t>(row.entry);
        for_each_tile(row.chosen(), task.tiles, [&](const BlockTile& tile) {
            const float* column = work.position + 16 * std::size_t{tile.entry};
            InFlight s = stages.begin(atoms, column);
            s.counts = both(s.counts, tile.mask);
            const Floats over_r =
                stages.middle(atoms, s, column, work.lj + 8 * std::size_t{tile.entry});
            store_line(f[0], as_ints(value_if(s.counts, over_r * s.dx)));
            store_line(f[1], as_ints(value_if(s.counts, over_r * s.dy)));
            store_line(f[2], as_ints(value_if(s.counts, over_r * s.dz)));
            std::int64_t* other = sums.force + 12 * std::size_t{tile.entry};
            for (int lane = 0; lane < 16; ++lane) {
                const float size =
                    std::fabs(f[0][lane]) + std::fabs(f[1][lane]) + std::fabs(f[2][lane]);
                if (!(size < form.largest_force)) { // also NaN
                    sums.report(sums.to, {row.entry, tile.entry, lane});
                    continue;
                }
                for (int c = 0; c < 3; ++c) {
                    const auto whole = static_cast<std::int64_t>(std::nearbyint(f[c][lane]));
                    own[4 * c + lane / 4] += whole;
                    other[4 * c + lane % 4] -= whole;
                }
            }
        });
    }
}

/// Adds the sums of the entries to those of their clusters; an entry's own stay in its first line.
inline void empty_workspace(const BlockTask& task, const BlockWorkspace& work, std::int32_t* force)
{
    for (std::int64_t e = 0; e < task.entries; ++e) {
        std::int32_t* lines = work.force + 48 * static_cast<std::size_t>(e);
        std::int32_t* to = force + 16 * static_cast<std::size_t>(task.cluster[e]);
        const Ints sum = summed_over_row(load(lines), load(lines + 16), load(lines + 32));
        store(lines, sum);
        store(to, plus(load(to), sum));
    }
}

template <LjRule Lj, CoulombForm Coulomb>
bool add_of(const BlockTask& task, const BlockForm& form, const BlockWorkspace& work)
{
    if (is_exact(task, form)) {
        fill_workspace(task, work, false);
        return add_block(PairStages<Lj, Coulomb, false>(form), task, form, work);
    }
    fill_workspace(task, work, true);
    return add_block(PairStages<Lj, Coulomb, true>(form), task, form, work);
}
template <LjRule Lj, CoulombForm Coulomb>
void add_wide_of(const BlockTask& task, const BlockForm& form, const BlockWorkspace& work,
                 const WideBlockSums& sums)
{
    fill_workspace(task, work, true);
    add_block_wide(PairStages<Lj, Coulomb, true>(form), task, form, work, sums);
}

/// Calls function.template operator()<rule, form>() with those of `form`.
template <class Function>
auto with_form(const BlockForm& form, const Function& function)
{
    using enum CoulombForm;
    const auto with_rule = [&]<LjRule Lj>() {
        switch (form.coulomb) {
        case none:
            return function.template operator()<Lj, none>();
        case reaction_field:
            return function.template operator()<Lj, reaction_field>();
        case ewald:
            break;
        }
        return function.template operator()<Lj, ewald>();
    };
    return form.lj == LjRule::geometric
               ? with_rule.template operator()<LjRule::geometric>()
               : with_rule.template operator()<LjRule::lorentz_berthelot>();
}

bool add(const BlockTask& task, const BlockForm& form, const BlockWorkspace& work,
         std::int32_t* force)
{
    const bool fits = with_form(form, [&]<LjRule Lj, CoulombForm Coulomb>() {
        return add_of<Lj, Coulomb>(task, form, work);
    });
    if (fits) {
        empty_workspace(task, work, force);
    }
    return fits;
}
void add_wide(const BlockTask& task, const BlockForm& form, const BlockWorkspace& work,
              const WideBlockSums& sums)
{
    with_form(form, [&]<LjRule Lj, CoulombForm Coulomb>() {
        add_wide_of<Lj, Coulomb>(task, form, work, sums);
    });
}
