#include "engine/cpu/fft3d.hpp"
#include "tests/support/geometries.hpp"
#include "tests/support/mesh_in_place.hpp"

#include <cmath>
#include <complex>
#include <cstring>
#include <fftw3.h>
#include <gtest/gtest.h>

namespace tessera
{
namespace
{

template <class R>
constexpr std::size_t lanes = 64 / sizeof(R);

/// Products of 2, 3, 5, 7 up to 256, and lengths with other primes.
std::vector<std::size_t> lengths()
{
    std::vector<std::size_t> out{11, 13, 22, 31, 37, 121, 143};
    for (std::size_t n = 1; n <= 256; ++n) {
        std::size_t left = n;
        for (const std::size_t p : {2, 3, 5, 7}) {
            while (left % p == 0) {
                left /= p;
            }
        }
        if (left == 1) {
            out.push_back(n);
        }
    }
    return out;
}

template <class R>
std::vector<R> random_numbers(std::size_t n, unsigned seed)
{
    support::Dice dice(seed);
    std::vector<R> out(n);
    for (R& x : out) {
        x = static_cast<R>(dice.between(-1, 1));
    }
    return out;
}

std::size_t points_of(const std::array<int, 3>& size)
{
    return static_cast<std::size_t>(size[0] * size[1] * size[2]);
}

/// Relative root mean square errors allowed: a rounding of 2^-24 or 2^-53 for each of about log2 n
/// levels adds up as a random walk.
template <class R>
constexpr double tolerance = sizeof(R) == 4 ? 3e-7 : 6e-16;

/// A block of lines of which one is `line` and the others are noise.
template <class R>
std::vector<std::complex<R>> transform_in_block(const FftTables<R>& tables, SimdLevel level,
                                                const std::vector<std::complex<R>>& line,
                                                std::size_t lane, bool has_company)
{
    const std::size_t n = line.size(), stride = lanes<R> * 3;
    AlignedVector<R> re(n * stride), im(n * stride), room(fft_room<R>(n));
    if (has_company) {
        const std::vector<R> noise = random_numbers<R>(n * stride, 7);
        std::copy(noise.begin(), noise.end(), re.begin());
        std::copy(noise.rbegin(), noise.rend(), im.begin());
    }
    for (std::size_t k = 0; k < n; ++k) {
        re[k * stride + lane] = line[k].real();
        im[k * stride + lane] = line[k].imag();
    }
    fft_kernels<R>(level).lines(tables.plan(), {re.data(), im.data(), stride}, false, room.data());
    std::vector<std::complex<R>> out;
    for (std::size_t k = 0; k < n; ++k) {
        out.emplace_back(re[k * stride + lane], im[k * stride + lane]);
    }
    return out;
}

template <class R>
double relative_error(const std::vector<std::complex<R>>& a,
                      const std::vector<std::complex<double>>& reference)
{
    double error = 0, size = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
        error += std::norm(std::complex<double>(a[k]) - reference[k]);
        size += std::norm(reference[k]);
    }
    return std::sqrt(error / size);
}

template <class R>
class EveryNumber : public testing::Test {
};
using Numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(EveryNumber, Numbers);

TYPED_TEST(EveryNumber, LinesAgreeWithFftwAndDoNotFeelTheirCompany)
{
    using R = TypeParam;
    for (const std::size_t n : lengths()) {
        const FftTables<R> tables(n);
        const std::vector<R> numbers = random_numbers<R>(2 * n, 1);
        std::vector<std::complex<R>> line;
        std::vector<std::complex<double>> expected(n);
        for (std::size_t k = 0; k < n; ++k) {
            line.emplace_back(numbers[2 * k], numbers[2 * k + 1]);
            expected[k] = line[k];
        }
        auto* const raw = reinterpret_cast<fftw_complex*>(expected.data());
        const fftw_plan plan =
            fftw_plan_dft_1d(static_cast<int>(n), raw, raw, FFTW_FORWARD, FFTW_ESTIMATE);
        fftw_execute(plan);
        fftw_destroy_plan(plan);

        const auto alone = transform_in_block(tables, SimdLevel::baseline, line, 0, false);

        EXPECT_LT(relative_error(alone, expected), tolerance<R>) << n;
        for (const SimdLevel level : supported_simd_levels()) {
            for (const std::size_t lane : {std::size_t{0}, lanes<R> / 2 + 1, lanes<R> - 1}) {
                EXPECT_TRUE(transform_in_block(tables, level, line, lane, true) == alone)
                    << n << " lane " << lane;
            }
        }
    }
}

TYPED_TEST(EveryNumber, RowsAgreeWithFftwAndComeBackAtEveryLevel)
{
    using R = TypeParam;
    for (const std::size_t n : lengths()) {
        const FftRowTables<R> tables(n);
        const std::size_t half = n / 2 + 1;
        const std::vector<R> rows = random_numbers<R>(n * lanes<R>, 2);
        AlignedVector<R> room(fft_room<R>(n));
        std::vector<R> first_re, first_back;
        for (const SimdLevel level : supported_simd_levels()) {
            for (const std::size_t count : {lanes<R>, lanes<R> / 2 - 1, std::size_t{1}}) {
                std::vector<R> re(half * count), im(half * count), back(n * count);
                const FftKernels<R>& kernels = fft_kernels<R>(level);

                kernels.rows_forward(tables.plan(), rows.data(), n, count, re.data(), im.data(),
                                     half, room.data());
                kernels.rows_backward(tables.plan(), re.data(), im.data(), half, count, back.data(),
                                      n, room.data());

                if (first_re.empty()) {
                    first_re = re;
                    first_back = back;
                    std::vector<double> in(rows.begin(), rows.begin() + static_cast<int>(n));
                    std::vector<std::complex<double>> expected(half);
                    std::vector<std::complex<R>> row;
                    const fftw_plan plan = fftw_plan_dft_r2c_1d(
                        static_cast<int>(n), in.data(),
                        reinterpret_cast<fftw_complex*>(expected.data()), FFTW_ESTIMATE);
                    fftw_execute(plan);
                    fftw_destroy_plan(plan);
                    double error = 0, size = 0;
                    for (std::size_t k = 0; k < half; ++k) {
                        row.emplace_back(re[k], im[k]);
                    }
                    for (std::size_t k = 0; k < n; ++k) {
                        error += std::pow(back[k] / static_cast<double>(n) - rows[k], 2);
                        size += std::pow(rows[k], 2);
                    }
                    EXPECT_LT(relative_error(row, expected), tolerance<R>) << n;
                    EXPECT_LT(std::sqrt(error / size), 1.5 * tolerance<R>) << n;
                }
                EXPECT_EQ(std::memcmp(re.data(), first_re.data(), re.size() * sizeof(R)), 0) << n;
                EXPECT_EQ(std::memcmp(back.data(), first_back.data(), back.size() * sizeof(R)), 0)
                    << n;
            }
        }
    }
}

TYPED_TEST(EveryNumber, MeshesHaveTheSameBitsForAnyThreadsAndLevelAndFilterAsInThreeSteps)
{
    using R = TypeParam;
    for (const std::array<int, 3>& size :
         {std::array<int, 3>{12, 20, 30}, std::array<int, 3>{5, 33, 21},
          std::array<int, 3>{11, 4, 64}}) {
        using Way = typename Fft3d<R>::Way;
        const Fft3d<R> plain(size, SimdLevel::baseline);
        const std::vector<R> q = random_numbers<R>(points_of(size), 3);
        const auto planes = static_cast<std::size_t>(size[0]),
                   rows = static_cast<std::size_t>(size[1]),
                   half = static_cast<std::size_t>(plain.half());
        const std::vector<R> factor = random_numbers<R>(planes * plain.plane(), 4);
        support::MeshInPlace<R> mesh(plain);
        mesh.put(q);
        mesh.planes_forward(1);
        mesh.along_x(Way::forward, nullptr, 1);
        const SpectrumView<R> spectrum = mesh.spectrum();
        for (std::size_t x = 0; x < planes; ++x) {
            for (std::size_t y = 0; y < rows; ++y) {
                for (std::size_t z = 0; z < half; ++z) {
                    const std::size_t k = x * spectrum.plane + y * spectrum.pitch + z;
                    const R f = factor[x * plain.plane() + y * plain.pitch() + z];
                    spectrum.re[k] *= f;
                    spectrum.im[k] *= f;
                }
            }
        }
        mesh.along_x(Way::backward, nullptr, 1);
        mesh.planes_backward(1);
        const std::vector<R> expected = mesh.points();
        for (const SimdLevel level : supported_simd_levels()) {
            const Fft3d<R> fft(size, level);
            support::MeshInPlace<R> filtered(fft);
            for (const int threads : {1, 2, 3}) {
                filtered.put(q);
                filtered.filter(factor.data(), threads);
                EXPECT_TRUE(filtered.points() == expected) << size[0] << " threads " << threads;
            }
        }
    }
}

TYPED_TEST(EveryNumber, SpectraInTheirMeshOrBesideItHaveTheSameBits)
{
    using R = TypeParam;
    const Fft3d<R> fft({5, 33, 21});
    support::MeshInPlace<R> mesh(fft);
    mesh.put(random_numbers<R>(points_of(fft.size()), 6));
    const std::size_t planes = 5, numbers = planes * fft.plane();
    AlignedVector<R> re(numbers), im(numbers);
    fft.planes_forward(mesh.view(), planes, {re.data(), im.data(), fft.pitch(), fft.plane()}, 1);

    mesh.planes_forward(1);

    const SpectrumView<R> there = mesh.spectrum();
    for (std::size_t x = 0; x < planes; ++x) {
        for (std::size_t y = 0; y < 33; ++y) {
            const std::size_t k = x * there.plane + y * there.pitch;
            const std::size_t l = x * fft.plane() + y * fft.pitch();
            const std::size_t row = fft.pitch() * sizeof(R); // unused places are zero in both
            EXPECT_EQ(std::memcmp(there.re + k, re.data() + l, row), 0) << x << ' ' << y;
            EXPECT_EQ(std::memcmp(there.im + k, im.data() + l, row), 0) << x << ' ' << y;
        }
    }
}

TYPED_TEST(EveryNumber, MeshesAgreeWithFftw)
{
    using R = TypeParam;
    for (const std::array<int, 3>& size :
         {std::array<int, 3>{12, 20, 30}, std::array<int, 3>{5, 33, 21}}) {
        const Fft3d<R> fft(size);
        const std::vector<R> q = random_numbers<R>(points_of(size), 5);
        support::MeshInPlace<R> mesh(fft);
        const auto half = static_cast<std::size_t>(fft.half());
        const auto nx = static_cast<std::size_t>(size[0]), ny = static_cast<std::size_t>(size[1]);
        std::vector<double> in(q.begin(), q.end());
        std::vector<std::complex<double>> expected(nx * ny * half);
        const fftw_plan plan =
            fftw_plan_dft_r2c_3d(size[0], size[1], size[2], in.data(),
                                 reinterpret_cast<fftw_complex*>(expected.data()), FFTW_ESTIMATE);
        fftw_execute(plan);
        fftw_destroy_plan(plan);

        mesh.put(q);
        mesh.planes_forward(2);
        mesh.along_x(Fft3d<R>::Way::forward, nullptr, 2);

        const SpectrumView<R> spectrum = mesh.spectrum();
        std::vector<std::complex<R>> values;
        for (std::size_t x = 0; x < nx; ++x) {
            for (std::size_t y = 0; y < ny; ++y) {
                for (std::size_t z = 0; z < half; ++z) {
                    const std::size_t k = x * spectrum.plane + y * spectrum.pitch + z;
                    values.emplace_back(spectrum.re[k], spectrum.im[k]);
                }
            }
        }
        EXPECT_LT(relative_error(values, expected), tolerance<R>);
    }
}

} // namespace
} // namespace tessera
