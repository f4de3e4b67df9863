#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <memory>
#include <vector>

namespace tessera
{

/// Three-dimensional real transform whose bits depend on neither threads nor neighbours: every line
/// is transformed whole, eight lines side by side, by one plan for exactly eight lines on aligned
/// scratch (numerics.md 9.10).
///
///     forward:  S(k) = sum_x  Q(x) exp(-2 pi i k.x/n),  k_z = 0 .. n_z/2
///     backward: Q(x) = sum_k  S(k) exp(+2 pi i k.x/n)   over all k, S(-k) = conj S(k); no factor
///
/// Real arrays are [nx][ny][nz], spectra [nx][ny][nz/2 + 1]. R: double or float.
template <class R>
class Fft3d {
public:
    explicit Fft3d(const std::array<int, 3>& size);
    ~Fft3d();
    Fft3d(const Fft3d&) = delete;
    Fft3d& operator=(const Fft3d&) = delete;

    [[nodiscard]] const std::array<int, 3>& size() const { return n_; }
    [[nodiscard]] int half() const { return n_[2] / 2 + 1; }
    [[nodiscard]] std::size_t points() const;
    [[nodiscard]] std::size_t spectrum_points() const;

    void forward(const R* real, std::complex<R>* spectrum, int threads) const;
    /// Overwrites the spectrum.
    void backward(std::complex<R>* spectrum, R* real, int threads) const;

private:
    struct Plans;
    enum class Direction { forward, backward };
    void lines_along_y(std::complex<R>* spectrum, Direction direction, int threads) const;
    void lines_along_x(std::complex<R>* spectrum, Direction direction, int threads) const;

    std::array<int, 3> n_;
    std::unique_ptr<Plans> plans_;
};

} // namespace tessera
