#pragma once

#include "engine/cpu/line_fft_tables.hpp"
#include "engine/cpu/simd/simd_choice.hpp"

#include <array>
#include <cstddef>

namespace tessera
{

/// Three-dimensional real transform whose bits depend on neither threads nor neighbours nor
/// instruction set: every line is transformed whole, in a lane of its own (ADR
/// 0011).
///
///     forward:  S(k) = sum_x  Q(x) exp(-2 pi i k.x/n),  k_z = 0 .. n_z/2
///     backward: Q(x) = sum_k  S(k) exp(+2 pi i k.x/n)   over all k, S(-k) = conj S(k); no factor
///
/// Real arrays are [nx][ny][nz], or have the pitches of `RealRows`. Spectra are two arrays, real
/// and imaginary parts, of spectrum_points() numbers, (x, y, z) at x * plane() + y * pitch() + z;
/// what lies between is zero or not, but finite. R: double or float.
template <class R>
class Fft3d {
public:
    struct Spectrum {
        AlignedVector<R> re, im;
    };

    /// Where real arrays keep (x, y, z): at x * plane + y * pitch + z.
    struct RealRows {
        std::size_t pitch, plane;
    };

    explicit Fft3d(const std::array<int, 3>& size, SimdLevel level = simd_level());
    Fft3d(const std::array<int, 3>& size, const RealRows& rows, SimdLevel level = simd_level());

    [[nodiscard]] const std::array<int, 3>& size() const { return n_; }
    [[nodiscard]] int half() const { return n_[2] / 2 + 1; }
    [[nodiscard]] std::size_t points() const;
    [[nodiscard]] std::size_t pitch() const { return pitch_; }
    [[nodiscard]] std::size_t plane() const { return plane_; }
    [[nodiscard]] std::size_t spectrum_points() const;
    [[nodiscard]] Spectrum make_spectrum() const;

    void forward(const R* real, Spectrum& spectrum, int threads) const;
    /// Overwrites the spectrum.
    void backward(Spectrum& spectrum, R* real, int threads) const;
    /// Replaces Q by the backward transform of factor(k) S(k), with the bits of the three steps;
    /// `factor` as a spectrum. The spectrum is scratch.
    void filter(R* real, const R* factor, Spectrum& spectrum, int threads) const;

    /// The parts of which these are made, for ranks that share a mesh: transforms along z and y of
    /// some planes (of equal x), laid out as in a whole;
    void planes_forward(const R* real, std::size_t planes, Spectrum& spectrum, int threads) const;
    void planes_backward(Spectrum& spectrum, R* real, std::size_t planes, int threads) const;
    /// along z of some rows of real numbers, size()[2] apart, whose spectra are pitch() apart;
    void rows_forward(const R* real, std::size_t rows, Spectrum& spectrum, int threads) const;
    void rows_backward(const Spectrum& spectrum, R* real, std::size_t rows, int threads) const;
    /// and along y or x of `count` lines side by side: element k of line l at k * stride_of(count)
    /// + l. `factor`: of a filter, laid out alike.
    enum class Way { forward, backward, filter };
    void along_y(Spectrum& spectrum, std::size_t count, Way way, int threads) const;
    void along_x(Spectrum& spectrum, std::size_t count, Way way, const R* factor,
                 int threads) const;
    [[nodiscard]] std::size_t stride_of(std::size_t count) const
    {
        // a line of the cache more: strides of a power of two would share sets of the cache
        return (count + lanes - 1) / lanes * lanes + lanes;
    }

private:
    void along(const FftTables<R>& axis, Spectrum& spectrum, std::size_t count, Way way,
               const R* factor, int threads) const;

    static constexpr std::size_t lanes = 64 / sizeof(R);

    std::array<int, 3> n_;
    std::size_t pitch_, plane_, room_;
    RealRows rows_;
    FftTables<R> x_, y_;
    FftRowTables<R> z_;
    const FftKernels<R>& kernels_;
};

} // namespace tessera
