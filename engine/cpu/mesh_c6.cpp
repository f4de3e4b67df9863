#include "engine/cpu/mesh_c6.hpp"

#include "engine/base/error.hpp"

#include <cmath>
#include <fmt/format.h>

namespace tessera
{

std::vector<double> make_mesh_c6(const PairTable& pairs, LjCombination combination)
{
    std::vector<double> cg(pairs.c6.size(), 0.0);
    for (std::int32_t a = 0; a < pairs.types; ++a) {
        for (std::int32_t b = 0; b < pairs.types; ++b) {
            const auto i = static_cast<std::size_t>(a);
            const auto j = static_cast<std::size_t>(b);
            if (combination == LjCombination::geometric) {
                const double own_a = pairs.c6[pairs.at(a, a)], own_b = pairs.c6[pairs.at(b, b)];
                if (own_a < 0 || own_b < 0) {
                    throw InputError(fmt::format(
                        "LJ-PME with geometric combination needs c6 >= 0, but the types {} and {} "
                        "have {} and {} kJ/mol nm^6. Switch LJ-PME off.",
                        a + 1, b + 1, own_a, own_b));
                }
                cg[pairs.at(a, b)] = std::sqrt(own_a * own_b);
            } else {
                const double sigma = 0.5 * (pairs.sigma[i] + pairs.sigma[j]);
                const double sigma2 = sigma * sigma;
                cg[pairs.at(a, b)] =
                    4.0 * std::sqrt(pairs.epsilon[i] * pairs.epsilon[j]) * sigma2 * sigma2 * sigma2;
            }
        }
    }
    return cg;
}

} // namespace tessera
