#include "engine/cpu/line_fft_tables.hpp"

#include <cmath>
#include <numbers>
#include <type_traits>

namespace tessera
{

namespace
{

/// exp(-2 pi i k/n), cosine and sine.
template <class R>
void append_root(std::vector<R>& to, std::size_t k, std::size_t n)
{
    const long double angle = 2 * std::numbers::pi_v<long double> *
                              static_cast<long double>(k % n) / static_cast<long double>(n);
    to.push_back(static_cast<R>(std::cos(angle)));
    to.push_back(static_cast<R>(-std::sin(angle)));
}

std::vector<std::size_t> factors(std::size_t n)
{
    std::vector<std::size_t> out;
    if (n == 16) {
        return {4, 4};
    }
    for (const std::size_t radix : {8, 7, 6, 5, 4, 3, 2}) {
        for (; n % radix == 0; n /= radix) {
            out.push_back(radix);
        }
    }
    for (std::size_t prime = 11; n > 1; prime += 2) {
        for (; n % prime == 0; n /= prime) {
            out.push_back(prime);
        }
    }
    return out;
}

} // namespace

template <class R>
FftTables<R>::FftTables(std::size_t n)
{
    std::size_t left = n, interleaved = 1;
    for (const std::size_t radix : factors(n)) {
        const std::size_t m = left / radix;
        std::vector<R>& twiddle = numbers_.emplace_back();
        for (std::size_t p = 0; p < m; ++p) {
            for (std::size_t j = 1; j < radix; ++j) {
                append_root(twiddle, p * j, left);
            }
        }
        std::vector<R> pairs, &roots = numbers_.emplace_back();
        for (std::size_t k = 0; k < radix; ++k) {
            append_root(pairs, k, radix);
        }
        for (std::size_t k = 0; k < radix; ++k) {
            roots.push_back(pairs[2 * k]);
        }
        for (std::size_t k = 0; k < radix; ++k) {
            roots.push_back(-pairs[2 * k + 1]);
        }
        const auto last = numbers_.end();
        stages_.push_back({radix, m, interleaved, last[-2].data(), last[-1].data()});
        left = m;
        interleaved *= radix;
    }
    plan_ = {n, stages_.size(), stages_.data()};
}

template <class R>
FftRowTables<R>::FftRowTables(std::size_t n) : lines_(n % 2 == 0 ? n / 2 : n)
{
    for (std::size_t k = 0; k <= n / 2; ++k) {
        append_root(twiddle_, k, n);
    }
    plan_ = {n, lines_.plan(), twiddle_.data()};
}

template <class R>
const FftKernels<R>& fft_kernels(SimdLevel level)
{
    if constexpr (std::is_same_v<R, float>) {
        return level == SimdLevel::avx512 ? fft_avx512::single_kernels
               : level == SimdLevel::avx2 ? fft_avx2::single_kernels
                                          : fft_baseline::single_kernels;
    } else {
        return level == SimdLevel::avx512 ? fft_avx512::double_kernels
               : level == SimdLevel::avx2 ? fft_avx2::double_kernels
                                          : fft_baseline::double_kernels;
    }
}

template class FftTables<float>;
template class FftTables<double>;
template class FftRowTables<float>;
template class FftRowTables<double>;
template const FftKernels<float>& fft_kernels<float>(SimdLevel);
template const FftKernels<double>& fft_kernels<double>(SimdLevel);

} // namespace tessera
