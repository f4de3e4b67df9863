#include "engine/cpu/fft3d.hpp"

#include <algorithm>
#include <cstdint>

namespace tessera
{

namespace
{

std::size_t at(std::int64_t k)
{
    return static_cast<std::size_t>(k);
}

} // namespace

template <class R>
Fft3d<R>::Fft3d(const std::array<int, 3>& size, SimdLevel level)
    : n_(size), pitch_((at(half()) + lanes - 1) / lanes * lanes),
      room_(fft_room<R>(at(std::max({n_[0], n_[1], n_[2]})))), x_(at(n_[0])), y_(at(n_[1])),
      z_(at(n_[2])), kernels_(fft_kernels<R>(level))
{
}

template <class R>
void Fft3d<R>::planes_forward(const MeshView<R>& real, std::size_t planes,
                              const SpectrumView<R>& spectrum, int threads) const
{
    const std::size_t ny = at(n_[1]), pitch = spectrum.pitch, unused = pitch_ - at(half());
#pragma omp parallel num_threads(threads)
    {
        AlignedVector<R> room(room_);
#pragma omp for schedule(static)
        for (std::size_t x = 0; x < planes; ++x) { // a plane stays in the cache for both directions
            R* const re = spectrum.re + x * spectrum.plane;
            R* const im = spectrum.im + x * spectrum.plane;
            for (std::size_t y = 0; y < ny; y += lanes) {
                const std::size_t some = std::min(lanes, ny - y);
                kernels_.rows_forward(z_.plan(), real.at + x * real.plane + y * real.pitch,
                                      real.pitch, some, re + y * pitch, im + y * pitch, pitch,
                                      room.data());
                for (std::size_t row = y; row < y + some; ++row) { // bits of integers may be NaN
                    std::fill_n(re + row * pitch + half(), unused, R(0));
                    std::fill_n(im + row * pitch + half(), unused, R(0));
                }
            }
            for (std::size_t z = 0; z < pitch_; z += lanes) {
                kernels_.lines(y_.plan(), {re + z, im + z, pitch}, false, room.data());
            }
        }
    }
}

template <class R>
void Fft3d<R>::planes_backward(const SpectrumView<R>& spectrum, const MeshView<R>& real,
                               std::size_t planes, int threads) const
{
    const std::size_t ny = at(n_[1]), pitch = spectrum.pitch;
#pragma omp parallel num_threads(threads)
    {
        AlignedVector<R> room(room_);
#pragma omp for schedule(static)
        for (std::size_t x = 0; x < planes; ++x) {
            R* const re = spectrum.re + x * spectrum.plane;
            R* const im = spectrum.im + x * spectrum.plane;
            for (std::size_t z = 0; z < pitch_; z += lanes) {
                kernels_.lines(y_.plan(), {re + z, im + z, pitch}, true, room.data());
            }
            for (std::size_t y = 0; y < ny; y += lanes) {
                kernels_.rows_backward(
                    z_.plan(), re + y * pitch, im + y * pitch, pitch, std::min(lanes, ny - y),
                    real.at + x * real.plane + y * real.pitch, real.pitch, room.data());
            }
        }
    }
}

template <class R>
void Fft3d<R>::rows_forward(const R* real, std::size_t rows, const SpectrumView<R>& spectrum,
                            int threads) const
{
    const std::size_t nz = at(n_[2]);
#pragma omp parallel num_threads(threads)
    {
        AlignedVector<R> room(room_);
#pragma omp for schedule(static)
        for (std::size_t r = 0; r < rows; r += lanes) {
            kernels_.rows_forward(z_.plan(), real + r * nz, nz, std::min(lanes, rows - r),
                                  spectrum.re + r * pitch_, spectrum.im + r * pitch_, pitch_,
                                  room.data());
        }
    }
}

template <class R>
void Fft3d<R>::rows_backward(const SpectrumView<R>& spectrum, R* real, std::size_t rows,
                             int threads) const
{
    const std::size_t nz = at(n_[2]);
#pragma omp parallel num_threads(threads)
    {
        AlignedVector<R> room(room_);
#pragma omp for schedule(static)
        for (std::size_t r = 0; r < rows; r += lanes) {
            kernels_.rows_backward(z_.plan(), spectrum.re + r * pitch_, spectrum.im + r * pitch_,
                                   pitch_, std::min(lanes, rows - r), real + r * nz, nz,
                                   room.data());
        }
    }
}

template <class R>
void Fft3d<R>::along_y(const FftLines<R>& lines_along_y, std::size_t count, Way way,
                       int threads) const
{
#pragma omp parallel num_threads(threads)
    {
        AlignedVector<R> room(room_);
#pragma omp for schedule(static)
        for (std::size_t first = 0; first < count; first += lanes) {
            kernels_.lines(
                y_.plan(),
                {lines_along_y.re + first, lines_along_y.im + first, lines_along_y.stride},
                way == Way::backward, room.data());
        }
    }
}

template <class R>
void Fft3d<R>::along_x(const SpectrumView<R>& spectrum, std::size_t rows, std::size_t count,
                       Way way, const MeshView<const R>& factor, int threads) const
{
    const std::size_t blocks = (count + lanes - 1) / lanes; // of a row
#pragma omp parallel num_threads(threads)
    {
        AlignedVector<R> room(room_);
#pragma omp for schedule(static)
        for (std::size_t b = 0; b < rows * blocks; ++b) {
            const std::size_t row = b / blocks, first = b % blocks * lanes;
            const std::size_t i = row * spectrum.pitch + first;
            const FftLines<R> lines{spectrum.re + i, spectrum.im + i, spectrum.plane};
            if (way == Way::filter) {
                kernels_.filter(x_.plan(), lines, factor.at + row * factor.pitch + first,
                                factor.plane, room.data());
            } else {
                kernels_.lines(x_.plan(), lines, way == Way::backward, room.data());
            }
        }
    }
}

template class Fft3d<double>;
template class Fft3d<float>;

} // namespace tessera
