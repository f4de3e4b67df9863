// Read once for every instruction set, behind the kernels; no include guard.

inline std::size_t keep_near(const float* row, const float* lines, const BlockTile* tiles,
                             std::size_t count, float limit2, BlockTile* out)
{
    const ClusterLanes own(row);
    const Floats limit = broadcast(limit2);
    std::size_t kept = 0;
    for (std::size_t t = 0; t < count; ++t) {
        const BlockTile tile = tiles[t];
        const std::uint32_t near = own.nearer_than<true>(limit, lines + 16 * std::size_t{tile.entry});
        out[kept] = tile;
        kept += (near & tile.mask) != 0 ? 1 : 0; // no branch: it could not be foretold
    }
    return kept;
}

inline std::size_t find_tiles(const float* row, const float* lines, const std::uint16_t* entries,
                              std::size_t count, float limit2, BlockTile* out)
{
    const ClusterLanes own(row);
    const Floats limit = broadcast(limit2);
    std::size_t found = 0;
    for (std::size_t k = 0; k < count; ++k) {
        const std::uint16_t entry = entries[k];
        const std::uint32_t near = own.nearer_than<false>(limit, lines + 16 * std::size_t{entry});
        out[found] = {entry, static_cast<std::uint16_t>(near)};
        found += near != 0 ? 1 : 0;
    }
    return found;
}
