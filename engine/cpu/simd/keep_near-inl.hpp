// Read once for every instruction set, behind the kernels; no include guard.

inline float place_entries(const PlacedEntries& from, std::size_t count, float* lines)
{
    Floats farthest2 = broadcast(0.0F);
    for (std::size_t e = 0; e < count; ++e) {
        const Ints local =
            subtract(load(from.xyzq + 16 * static_cast<std::size_t>(from.cluster[e])),
                     load(from.subtracted + 16 * std::size_t{from.shift[e]}));
        const Floats x = in_nm(positions_of(local));
        store_line(lines + 16 * e, as_ints(x));
        farthest2 = larger_of(farthest2, x * x);
    }
    alignas(64) float each[16];
    store_line(each, as_ints(farthest2));
    return std::sqrt(*std::max_element(each, each + 16));
}

template <bool Masked>
inline std::size_t keep_near(const float* row, const float* lines, const std::uint16_t* tiles,
                             std::size_t count, float limit2, std::uint16_t* out)
{
    constexpr auto size = static_cast<std::size_t>(BlockTile::size<Masked>);
    const ClusterLanes own(row);
    const Floats limit = broadcast(limit2);
    std::size_t kept = 0;
    for (std::size_t k = 0; k < count; k += size) {
        const BlockTile tile = BlockTile::of<Masked>(tiles + k);
        std::uint32_t near = own.nearer_than(limit, lines + 16 * std::size_t{tile.entry});
        out[kept] = tile.entry;
        if constexpr (Masked) {
            near &= tile.mask;
            out[kept + 1] = static_cast<std::uint16_t>(near);
        }
        kept += near != 0 ? size : 0; // no branch: it could not be foretold
    }
    return kept;
}

inline std::size_t part_near(const float* row, const float* lines, const std::uint16_t* entries,
                             std::size_t count, float limit2, std::uint16_t* near,
                             std::uint16_t* others)
{
    const ClusterLanes own(row);
    const Floats limit = broadcast(limit2);
    std::size_t found = 0;
    for (std::size_t k = 0; k < count; ++k) {
        const std::uint16_t entry = entries[k];
        const std::uint32_t is_near =
            own.nearer_than(limit, lines + 16 * std::size_t{entry}) != 0 ? 1 : 0;
        others[k - found] = entry;
        near[found] = entry; // no branch: it could not be foretold
        found += is_near;
    }
    return found;
}

inline SplitTiles split_near(const float* row, const float* lines, const std::uint16_t* entries,
                             std::size_t count, SplitLimits limits2, std::uint16_t* near,
                             std::uint16_t* far)
{
    const ClusterLanes own(row);
    const Floats near2 = broadcast(limits2.near), far2 = broadcast(limits2.far);
    SplitTiles found{0, 0};
    for (std::size_t k = 0; k < count; ++k) {
        const std::uint16_t entry = entries[k];
        const Floats r2 = own.distances2(lines + 16 * std::size_t{entry});
        const std::uint32_t is_near = bits_of(is_less(r2, near2)) != 0 ? 1 : 0;
        const std::uint32_t is_found = bits_of(is_less(r2, far2)) != 0 ? 1 : 0;
        near[found.near] = entry;
        far[found.far] = entry;
        found.near += is_near;
        found.far += is_found & ~is_near;
    }
    return found;
}

inline std::size_t find_boxes(const float* box, const float* boxes, std::size_t begin,
                              std::size_t end, float limit2, std::uint16_t* out)
{
    Floats low[3], high[3];
    for (std::size_t k = 0; k < 3; ++k) {
        low[k] = broadcast(box[k]);
        high[k] = broadcast(box[3 + k]);
    }
    const Floats limit = broadcast(limit2), none = broadcast(0.0F);
    std::size_t found = 0;
    for (std::size_t first = begin / 16 * 16; first < end; first += 16) {
        const float* const lines = boxes + 6 * first;
        const auto gap = [&](std::size_t k) {
            return larger_of(larger_of(load_floats(lines + 16 * k) - high[k],
                                       low[k] - load_floats(lines + 16 * (3 + k))),
                             none);
        };
        const Floats x = gap(0), y = gap(1), z = gap(2);
        std::uint32_t near = bits_of(is_less(fused(z, z, fused(y, y, x * x)), limit));
        for (; near != 0; near &= near - 1) {
            out[found] = static_cast<std::uint16_t>(first + std::countr_zero(near));
            ++found;
        }
    }
    return found;
}
