// What a mesh sum does wave by wave: the filter, energies and virial.
#include "engine/cpu/pme.hpp"
#include "engine/math/constants.hpp"

#include <algorithm>
#include <array>

namespace tessera
{

namespace
{

std::size_t at(std::int64_t k)
{
    return static_cast<std::size_t>(k);
}

constexpr std::array<double, 7> binomials{1, 6, 15, 20, 15, 6, 1};

} // namespace

template <class R>
typename BasicPme<R>::Influence BasicPme<R>::influence_of(const Box& box, int x, int y, int z) const
{
    const Vec3 m{static_cast<double>(signed_wave(x, fft_.size()[0])),
                 static_cast<double>(signed_wave(y, fft_.size()[1])), static_cast<double>(z)};
    const Vec3 k = 2.0 * constants::pi * times(box.inverse(), m);
    const WaveWeight w =
        std::visit([&](const auto& waves) { return wave_weight(waves, norm2(k)); }, waves_);
    const double scale = coefficient_scale_ * coefficient_scale_ / box.volume();
    return {k, scale * w.value * (moduli_[0][at(x)] * moduli_[1][at(y)] * moduli_[2][at(z)]),
            w.slope};
}

template <class R>
void BasicPme<R>::prepare_filter(const Box& box, int threads)
{
    if (!filter_.empty() && box == filter_box_) {
        return;
    }
    const int nx = fft_.size()[0];
    const WavePart mine = filter_part();
    filter_.resize(at(nx) * mine.plane);
    filter_box_ = box;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int x = 0; x < nx; ++x) {
        for (int y = 0; y < mine.y.count; ++y) {
            for (int z = 0; z < mine.z.count; ++z) {
                filter_[at(x) * mine.plane + at(y) * mine.pitch + at(z)] = static_cast<R>(
                    2.0 * influence_of(box, x, mine.y.first + y, mine.z.first + z).value);
            }
        }
    }
}

/// Energy and virial of the waves of this rank's lines along x, each summed in one order.
template <class R>
void BasicPme<R>::add_sums(const Box& box, Wanted wanted, int threads, EnergySums& energies)
{
    const int nx = fft_.size()[0], nz = fft_.size()[2];
    const WavePart waves = this->waves();
    const std::size_t sets = coefficient_.size();
#pragma omp parallel num_threads(threads)
    {
        EnergySums mine;
        std::vector<double> energy(at(waves.z.count));
        std::vector<Mat3> tensor(at(waves.z.count));
#pragma omp for schedule(static) nowait
        for (int y = waves.y.first; y < waves.y.end(); ++y) {
            std::fill(energy.begin(), energy.end(), 0);
            std::fill(tensor.begin(), tensor.end(), Mat3{});
            for (int x = 0; x < nx; ++x) {
                const std::size_t line = at(x) * waves.plane + at(y - waves.y.first) * waves.pitch;
                for (std::size_t l = 0; l < energy.size(); ++l) {
                    const std::size_t i = line + l;
                    const int z = waves.z.first + static_cast<int>(l);
                    double square = 0;
                    for (std::size_t k = 0; k < sets; ++k) {
                        const Spectrum s = spectrum(k), partner = spectrum(sets - 1 - k);
                        square +=
                            mixing(k) *
                            (static_cast<double>(s.re[i]) * static_cast<double>(partner.re[i]) +
                             static_cast<double>(s.im[i]) * static_cast<double>(partner.im[i]));
                    }
                    const double both = z == 0 || 2 * z == nz ? 1.0 : 2.0; // k and -k
                    const Influence w = influence_of(box, x, y, z);        // too large to be kept
                    const double e = both * w.value * square;
                    energy[l] += e;
                    if (wanted.virial) {
                        tensor[l] += outer((e * w.slope) * w.k, w.k);
                    }
                }
            }
            for (std::size_t l = 0; l < energy.size(); ++l) {
                if (wanted.energies) {
                    mine.add(kind_, energy[l]);
                }
                if (wanted.virial) {
                    mine.add_virial(-0.5 * (energy[l] * identity3() + 2.0 * tensor[l]));
                }
            }
        }
#pragma omp critical(pme_energies)
        energies.merge(mine);
    }
}

template <class R>
double BasicPme<R>::mixing(std::size_t set) const
{
    return coefficient_.size() == 1 ? 1.0 : binomials[set] / 64.0;
}

/// Turns the spectra of charges into those of potentials: set k acts through its partner.
template <class R>
void BasicPme<R>::convolve(int threads)
{
    const std::size_t sets = coefficient_.size();
    const WavePart waves = this->waves(), factors = filter_part();
    const int nx = fft_.size()[0];
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int x = 0; x < nx; ++x) {
        for (int y = 0; y < waves.y.count; ++y) {
            const R* const filter = filter_.data() + at(x) * factors.plane + at(y) * factors.pitch;
            const std::size_t line = at(x) * waves.plane + at(y) * waves.pitch;
            for (std::size_t k = 0; 2 * k < sets; ++k) {
                const Spectrum a = spectrum(k), b = spectrum(sets - 1 - k);
                const R mixed = sets == 1 ? R(1) : static_cast<R>(mixing(k));
                for (std::size_t z = 0; z < at(waves.z.count); ++z) {
                    const std::size_t i = line + z;
                    const R factor = filter[z] * mixed, re = a.re[i], im = a.im[i];
                    a.re[i] = factor * b.re[i];
                    a.im[i] = factor * b.im[i];
                    if (a.re != b.re) {
                        b.re[i] = factor * re;
                        b.im[i] = factor * im;
                    }
                }
            }
        }
    }
}

template void BasicPme<double>::prepare_filter(const Box&, int);
template void BasicPme<double>::add_sums(const Box&, Wanted, int, EnergySums&);
template void BasicPme<double>::convolve(int);
template void BasicPme<float>::prepare_filter(const Box&, int);
template void BasicPme<float>::add_sums(const Box&, Wanted, int, EnergySums&);
template void BasicPme<float>::convolve(int);

} // namespace tessera
