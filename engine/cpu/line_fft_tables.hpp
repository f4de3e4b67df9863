#pragma once

#include "engine/base/aligned_vector.hpp"
#include "engine/cpu/simd/line_fft.hpp"
#include "engine/cpu/simd_level.hpp"

#include <memory>
#include <vector>

namespace tessera
{

/// Factors and roots of unity of one length: radices 8 to 2, largest first, then other
/// primes. A function of the length alone; roots from 80-bit functions, which have no variants by
/// processor. Any length from 1 works; products of 2, 3, 5, 7 are swift.
template <class R>
class FftTables {
public:
    explicit FftTables(std::size_t n);
    FftTables(const FftTables&) = delete;
    FftTables& operator=(const FftTables&) = delete;

    [[nodiscard]] const FftPlan<R>& plan() const { return plan_; }

private:
    std::vector<std::vector<R>> numbers_;
    std::vector<FftStage<R>> stages_;
    FftPlan<R> plan_;
};

/// The same for rows of n real numbers.
template <class R>
class FftRowTables {
public:
    explicit FftRowTables(std::size_t n);
    FftRowTables(const FftRowTables&) = delete;
    FftRowTables& operator=(const FftRowTables&) = delete;

    [[nodiscard]] const FftRowPlan<R>& plan() const { return plan_; }

private:
    FftTables<R> lines_;
    std::vector<R> twiddle_;
    FftRowPlan<R> plan_;
};

template <class R>
const FftKernels<R>& fft_kernels(SimdLevel level);

} // namespace tessera
