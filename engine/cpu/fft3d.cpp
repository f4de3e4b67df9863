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
    : Fft3d(size, {at(size[2]), at(size[1]) * at(size[2])}, level)
{
}

template <class R>
Fft3d<R>::Fft3d(const std::array<int, 3>& size, const RealRows& rows, SimdLevel level)
    : n_(size), pitch_((at(half()) + lanes - 1) / lanes * lanes),
      plane_(stride_of(at(n_[1]) * pitch_)),
      room_(fft_room<R>(at(std::max({n_[0], n_[1], n_[2]})))), rows_(rows), x_(at(n_[0])),
      y_(at(n_[1])), z_(at(n_[2])), kernels_(fft_kernels<R>(level))
{
}

template <class R>
std::size_t Fft3d<R>::points() const
{
    return at(n_[0]) * at(n_[1]) * at(n_[2]);
}

template <class R>
std::size_t Fft3d<R>::spectrum_points() const
{
    return at(n_[0]) * plane_;
}

template <class R>
typename Fft3d<R>::Spectrum Fft3d<R>::make_spectrum() const
{
    return {AlignedVector<R>(spectrum_points()), AlignedVector<R>(spectrum_points())};
}

template <class R>
void Fft3d<R>::planes_forward(const R* real, std::size_t planes, Spectrum& spectrum,
                              int threads) const
{
    const std::size_t ny = at(n_[1]);
#pragma omp parallel num_threads(threads)
    {
        AlignedVector<R> room(room_);
#pragma omp for schedule(static)
        for (std::size_t x = 0; x < planes; ++x) { // a plane stays in the cache for both directions
            R* const re = spectrum.re.data() + x * plane_;
            R* const im = spectrum.im.data() + x * plane_;
            for (std::size_t y = 0; y < ny; y += lanes) {
                kernels_.rows_forward(z_.plan(), real + x * rows_.plane + y * rows_.pitch,
                                      rows_.pitch, std::min(lanes, ny - y), re + y * pitch_,
                                      im + y * pitch_, pitch_, room.data());
            }
            for (std::size_t z = 0; z < pitch_; z += lanes) {
                kernels_.lines(y_.plan(), {re + z, im + z, pitch_}, false, room.data());
            }
        }
    }
}

template <class R>
void Fft3d<R>::planes_backward(Spectrum& spectrum, R* real, std::size_t planes, int threads) const
{
    const std::size_t ny = at(n_[1]);
#pragma omp parallel num_threads(threads)
    {
        AlignedVector<R> room(room_);
#pragma omp for schedule(static)
        for (std::size_t x = 0; x < planes; ++x) {
            R* const re = spectrum.re.data() + x * plane_;
            R* const im = spectrum.im.data() + x * plane_;
            for (std::size_t z = 0; z < pitch_; z += lanes) {
                kernels_.lines(y_.plan(), {re + z, im + z, pitch_}, true, room.data());
            }
            for (std::size_t y = 0; y < ny; y += lanes) {
                kernels_.rows_backward(
                    z_.plan(), re + y * pitch_, im + y * pitch_, pitch_, std::min(lanes, ny - y),
                    real + x * rows_.plane + y * rows_.pitch, rows_.pitch, room.data());
            }
        }
    }
}

template <class R>
void Fft3d<R>::rows_forward(const R* real, std::size_t rows, Spectrum& spectrum, int threads) const
{
    const std::size_t nz = at(n_[2]);
#pragma omp parallel num_threads(threads)
    {
        AlignedVector<R> room(room_);
#pragma omp for schedule(static)
        for (std::size_t r = 0; r < rows; r += lanes) {
            kernels_.rows_forward(z_.plan(), real + r * nz, nz, std::min(lanes, rows - r),
                                  spectrum.re.data() + r * pitch_, spectrum.im.data() + r * pitch_,
                                  pitch_, room.data());
        }
    }
}

template <class R>
void Fft3d<R>::rows_backward(const Spectrum& spectrum, R* real, std::size_t rows, int threads) const
{
    const std::size_t nz = at(n_[2]);
#pragma omp parallel num_threads(threads)
    {
        AlignedVector<R> room(room_);
#pragma omp for schedule(static)
        for (std::size_t r = 0; r < rows; r += lanes) {
            kernels_.rows_backward(z_.plan(), spectrum.re.data() + r * pitch_,
                                   spectrum.im.data() + r * pitch_, pitch_,
                                   std::min(lanes, rows - r), real + r * nz, nz, room.data());
        }
    }
}

template <class R>
void Fft3d<R>::along(const FftTables<R>& axis, Spectrum& spectrum, std::size_t count, Way way,
                     const R* factor, int threads) const
{
    const auto blocks = static_cast<std::int64_t>((count + lanes - 1) / lanes);
    const std::size_t stride = stride_of(count);
#pragma omp parallel num_threads(threads)
    {
        AlignedVector<R> room(room_);
#pragma omp for schedule(static)
        for (std::int64_t b = 0; b < blocks; ++b) {
            const std::size_t first = at(b) * lanes;
            const FftLines<R> lines{spectrum.re.data() + first, spectrum.im.data() + first, stride};
            if (way == Way::filter) {
                kernels_.filter(axis.plan(), lines, factor + first, room.data());
            } else {
                kernels_.lines(axis.plan(), lines, way == Way::backward, room.data());
            }
        }
    }
}

template <class R>
void Fft3d<R>::along_y(Spectrum& spectrum, std::size_t count, Way way, int threads) const
{
    along(y_, spectrum, count, way, nullptr, threads);
}

template <class R>
void Fft3d<R>::along_x(Spectrum& spectrum, std::size_t count, Way way, const R* factor,
                       int threads) const
{
    along(x_, spectrum, count, way, factor, threads);
}

template <class R>
void Fft3d<R>::forward(const R* real, Spectrum& spectrum, int threads) const
{
    planes_forward(real, at(n_[0]), spectrum, threads);
    along_x(spectrum, at(n_[1]) * pitch_, Way::forward, nullptr, threads);
}

template <class R>
void Fft3d<R>::backward(Spectrum& spectrum, R* real, int threads) const
{
    along_x(spectrum, at(n_[1]) * pitch_, Way::backward, nullptr, threads);
    planes_backward(spectrum, real, at(n_[0]), threads);
}

template <class R>
void Fft3d<R>::filter(R* real, const R* factor, Spectrum& spectrum, int threads) const
{
    planes_forward(real, at(n_[0]), spectrum, threads);
    along_x(spectrum, at(n_[1]) * pitch_, Way::filter, factor, threads);
    planes_backward(spectrum, real, at(n_[0]), threads);
}

template class Fft3d<double>;
template class Fft3d<float>;

} // namespace tessera
