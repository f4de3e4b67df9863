#include "engine/cpu/phase_hashes.hpp"

#include "engine/cpu/position_grid.hpp"

namespace tessera
{

BitHash hash_of_positions(const Box& box, std::span<const Vec3> positions)
{
    const PositionGrid grid(box);
    BitHash hash;
    for (std::size_t a = 0; a < positions.size(); ++a) {
        const GridPosition x = grid.canonical(positions[a]);
        hash.add(a, {bits_of(x.x), bits_of(x.y), bits_of(x.z)});
    }
    return hash;
}

BitHash hash_of_added_forces(const ForceSums& before, const ForceSums& after)
{
    const bool from_zero = before.size() == 0;
    BitHash hash;
    if (after.mode() == SumMode::floating) {
        for (std::size_t a = 0; a < after.size(); ++a) {
            const Vec3 f = after.force(a) - (from_zero ? Vec3{} : before.force(a));
            hash.add(a, {bits_of(f.x), bits_of(f.y), bits_of(f.z)});
        }
        return hash;
    }
    for (std::size_t a = 0; a < after.size(); ++a) {
        std::uint64_t f[3];
        for (std::size_t k = 0; k < 3; ++k) { // sums may have wrapped: unsigned
            f[k] = bits_of(after.fixed()[a][k]) - (from_zero ? 0 : bits_of(before.fixed()[a][k]));
        }
        hash.add(a, {f[0], f[1], f[2]});
    }
    return hash;
}

} // namespace tessera
