#pragma once

#include <cstddef>

// Plain structures only: the files that see this header are compiled for several instruction sets,
// and an inline function of a header would be compiled for one and used by all.

namespace tessera
{

/// One pass of a Stockham transform: n = radix m of what is left, s lines interleaved by earlier
/// passes.
template <class R>
struct FftStage {
    std::size_t radix, m, s;
    const R* twiddle; ///< [m][radix - 1][2]: exp(-2 pi i p j/(radix m)), cosine and sine
    const R* roots;   ///< [2][radix]: cosines, then sines, of 2 pi k/radix
};

/// Transform of one length: S(k) = sum_x Q(x) exp(-2 pi i k x/n).
template <class R>
struct FftPlan {
    std::size_t n = 1, stages = 0;
    const FftStage<R>* stage = nullptr;
};

/// Rows of real numbers: of even length by the transform of half the length of (even, odd) pairs,
/// of odd length by the complex transform.
template <class R>
struct FftRowPlan {
    std::size_t n = 0;
    FftPlan<R> plan;            ///< of n/2 or n
    const R* twiddle = nullptr; ///< [n/2 + 1][2]: exp(-2 pi i k/n), where n is even
};

/// A block: a line a lane of a vector of 64 bytes (16 floats, 8 doubles). Element k of all lines
/// stands at k * stride in both arrays. Lanes never meet, so no line's bits depend on its company.
template <class R>
struct FftLines {
    R *re, *im;
    std::size_t stride;
};

/// Numbers of scratch (aligned to 64 bytes) for lines of up to n elements.
template <class R>
constexpr std::size_t fft_room(std::size_t n)
{
    return (10 * n + 16) * (64 / sizeof(R));
}

/// What one instruction set offers; each call does one block. Plain multiplications and additions,
/// so that instruction sets without fused ones give the same bits.
template <class R>
struct FftKernels {
    /// Lines in place; backward: exp(+...), no factor.
    void (*lines)(const FftPlan<R>&, const FftLines<R>&, bool backward, R* room);
    /// Forward, times filter[k * filter_stride] lane by lane, backward.
    void (*filter)(const FftPlan<R>&, const FftLines<R>&, const R* filter,
                   std::size_t filter_stride, R* room);
    /// `count` rows of n real numbers, neighbours `from_stride` apart, to rows of n/2 + 1 elements,
    /// `to_stride` apart; what is written may lie where these rows were.
    void (*rows_forward)(const FftRowPlan<R>&, const R* from, std::size_t from_stride,
                         std::size_t count, R* re, R* im, std::size_t to_stride, R* room);
    void (*rows_backward)(const FftRowPlan<R>&, const R* re, const R* im, std::size_t from_stride,
                          std::size_t count, R* to, std::size_t to_stride, R* room);
};

namespace fft_avx512
{
extern const FftKernels<float> single_kernels;
extern const FftKernels<double> double_kernels;
} // namespace fft_avx512
namespace fft_avx2
{
extern const FftKernels<float> single_kernels;
extern const FftKernels<double> double_kernels;
} // namespace fft_avx2
namespace fft_baseline
{
extern const FftKernels<float> single_kernels;
extern const FftKernels<double> double_kernels;
} // namespace fft_baseline

} // namespace tessera
