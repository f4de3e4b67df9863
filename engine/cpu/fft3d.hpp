#pragma once

#include "engine/cpu/line_fft_tables.hpp"
#include "engine/cpu/simd/simd_choice.hpp"

#include <array>
#include <cstddef>

namespace tessera
{

/// Numbers of a mesh: (x, y, z) at x * plane + y * pitch + z.
template <class T>
struct MeshView {
    T* at;
    std::size_t pitch, plane;
};

/// The same of complex numbers.
template <class R>
struct SpectrumView {
    R *re, *im;
    std::size_t pitch, plane;
};

/// Three-dimensional real transform whose bits depend on neither threads nor neighbours nor
/// instruction set: every line is transformed whole, in a lane of its own (ADR
/// 0011).
///
///     forward:  S(k) = sum_x  Q(x) exp(-2 pi i k.x/n),  k_z = 0 .. n_z/2
///     backward: Q(x) = sum_k  S(k) exp(+2 pi i k.x/n)   over all k, S(-k) = conj S(k); no factor
///
/// Rows of spectra have room for pitch() numbers, of which half() mean something. A spectrum may
/// lie where the real numbers are, each row in its own: that of real parts, that of imaginary parts
/// behind it (in_place()). R: double or float.
template <class R>
class Fft3d {
public:
    explicit Fft3d(const std::array<int, 3>& size, SimdLevel level = simd_level());

    [[nodiscard]] const std::array<int, 3>& size() const { return n_; }
    [[nodiscard]] int half() const { return n_[2] / 2 + 1; }
    [[nodiscard]] std::size_t pitch() const { return pitch_; }
    /// Planes of a spectrum whose rows stand side by side.
    [[nodiscard]] std::size_t plane() const
    {
        return stride_of(static_cast<std::size_t>(n_[1]) * pitch_);
    }

    /// The spectrum of a mesh whose first row begins at `at`; pitch is at least 2 pitch().
    [[nodiscard]] SpectrumView<R> in_place(const MeshView<R>& mesh) const
    {
        return {mesh.at, mesh.at + pitch_, mesh.pitch, mesh.plane};
    }

    /// Along z and y, of some planes (of equal x).
    void planes_forward(const MeshView<R>& real, std::size_t planes,
                        const SpectrumView<R>& spectrum, int threads) const;
    void planes_backward(const SpectrumView<R>& spectrum, const MeshView<R>& real,
                         std::size_t planes, int threads) const;
    /// Along x: `rows` rows of `count` lines side by side. `factor` (of a filter: forward, times
    /// factor, backward, with the bits of the three steps) has the same rows.
    enum class Way { forward, backward, filter };
    void along_x(const SpectrumView<R>& spectrum, std::size_t rows, std::size_t count, Way way,
                 const MeshView<const R>& factor, int threads) const;

    /// For ranks that share a mesh: along z, of some rows of real numbers, size()[2] apart, whose
    /// spectra are pitch() apart;
    void rows_forward(const R* real, std::size_t rows, const SpectrumView<R>& spectrum,
                      int threads) const;
    void rows_backward(const SpectrumView<R>& spectrum, R* real, std::size_t rows,
                       int threads) const;
    /// and along y, of `count` lines side by side.
    void along_y(const FftLines<R>& lines, std::size_t count, Way way, int threads) const;
    /// A good distance of elements of lines of which `count` stand side by side.
    [[nodiscard]] static std::size_t stride_of(std::size_t count)
    {
        // a line of the cache more: strides of a power of two would share sets of the cache
        return (count + lanes - 1) / lanes * lanes + lanes;
    }

private:
    static constexpr std::size_t lanes = 64 / sizeof(R);

    std::array<int, 3> n_;
    std::size_t pitch_, room_;
    FftTables<R> x_, y_;
    FftRowTables<R> z_;
    const FftKernels<R>& kernels_;
};

} // namespace tessera
