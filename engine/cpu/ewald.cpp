#include "engine/cpu/ewald.hpp"

#include "engine/math/constants.hpp"

#include <cmath>

namespace tessera
{

namespace
{

struct Wave {
    Vec3 k;            ///< 1/nm
    WaveWeight weight; ///< value: both k and -k, over the volume
};

/// Every wave of one half space that matters.
std::vector<Wave> make_waves(const Box& box, const CoulombWaves& waves)
{
    constexpr double exponent = 39.2; // exp(-39.2) = 1e-17
    const double largest = 2.0 * waves.beta * std::sqrt(exponent);
    const double largest2 = largest * largest;
    const Mat3& h = box.vectors();
    // |m_d| = |k . h_d|/2pi <= |k| |h_d|/2pi
    int reach[3];
    for (int d = 0; d < 3; ++d) {
        reach[d] = static_cast<int>(largest * norm(h[d]) / (2.0 * constants::pi));
    }
    std::vector<Wave> list;
    for (int mz = 0; mz <= reach[2]; ++mz) {
        for (int my = mz > 0 ? -reach[1] : 0; my <= reach[1]; ++my) {
            for (int mx = mz > 0 || my > 0 ? -reach[0] : 1; mx <= reach[0]; ++mx) {
                const Vec3 m{static_cast<double>(mx), static_cast<double>(my),
                             static_cast<double>(mz)};
                const Vec3 k = 2.0 * constants::pi * times(box.inverse(), m);
                if (norm2(k) <= largest2) {
                    WaveWeight weight = wave_weight(waves, norm2(k));
                    weight.value *= 2.0 / box.volume();
                    list.push_back({k, weight});
                }
            }
        }
    }
    return list;
}

} // namespace

Ewald::Ewald(const CoulombWaves& waves, std::vector<double> charges)
    : waves_(waves), charge_(std::move(charges))
{
}

void Ewald::add_forces(const Box& box, std::span<const Vec3> canonical, Wanted wanted, int threads,
                       ForceSums& forces, EnergySums& energies) const
{
    const std::vector<Wave> waves = make_waves(box, waves_);
    const auto count = static_cast<std::int64_t>(waves.size());
    const auto atoms = static_cast<std::int64_t>(canonical.size());
    std::vector<double> re(waves.size()), im(waves.size());
#pragma omp parallel num_threads(threads)
    {
        EnergySums mine;
#pragma omp for schedule(static) nowait
        for (std::int64_t w = 0; w < count; ++w) {
            const Wave& wave = waves[static_cast<std::size_t>(w)];
            double c = 0, s = 0;
            for (std::size_t a = 0; a < canonical.size(); ++a) {
                const double phase = dot(wave.k, canonical[a]);
                c += charge_[a] * std::cos(phase);
                s += charge_[a] * std::sin(phase);
            }
            re[static_cast<std::size_t>(w)] = c;
            im[static_cast<std::size_t>(w)] = s;
            const double e = wave.weight.value * (c * c + s * s);
            if (wanted.energies) {
                mine.add(EnergyKind::coulomb_reciprocal, e);
            }
            if (wanted.virial) {
                mine.add_virial(-0.5 * (e * identity3() +
                                        (2.0 * e * wave.weight.slope) * outer(wave.k, wave.k)));
            }
        }
        if (wanted.energies || wanted.virial) {
#pragma omp critical(ewald_energies)
            energies.merge(mine);
        }
    }
    std::vector<Vec3> force(canonical.size());
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::int64_t a = 0; a < atoms; ++a) { // one atom, all waves in one order
        const auto i = static_cast<std::size_t>(a);
        Vec3 sum;
        for (std::size_t w = 0; w < waves.size(); ++w) {
            const double phase = dot(waves[w].k, canonical[i]);
            const double along = re[w] * std::sin(phase) - im[w] * std::cos(phase);
            sum += (2.0 * waves[w].weight.value * along) * waves[w].k;
        }
        force[i] = charge_[i] * sum;
    }
    for (std::size_t a = 0; a < force.size(); ++a) {
        forces.add(a, force[a]);
    }
}

} // namespace tessera
