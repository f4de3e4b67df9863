#include "cuda/integer_sums.hpp"

namespace tessera
{

void merge_forces(std::span<const DeviceInteger> from, ForceSums& forces)
{
    auto& to = forces.fixed();
    for (std::size_t a = 0; a < to.size(); ++a) {
        for (std::size_t c = 0; c < 3; ++c) {
            to[a][c] =
                static_cast<std::int64_t>(static_cast<DeviceInteger>(to[a][c]) + from[3 * a + c]);
        }
    }
}

} // namespace tessera
