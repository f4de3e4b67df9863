#include "engine/cpu/fft3d.hpp"
#include "engine/cpu/mesh_splines.hpp"
#include "tests/support/geometries.hpp"
#include "tests/support/mesh_in_place.hpp"

#include <benchmark/benchmark.h>
#include <fftw3.h>
#include <vector>

// Parts of the mesh alone, one thread: transforms there and back of n^3 numbers, beside FFTW's
// measured plan in FP64, and splines of 24,000 atoms of order 4 at 54^3.
namespace tessera
{
namespace
{

template <class R>
void transforms(benchmark::State& state)
{
    const int n = static_cast<int>(state.range(0));
    const Fft3d<R> fft({n, n, n});
    const AlignedVector<R> factor(static_cast<std::size_t>(n) * fft.plane(), R(1e-6));
    support::MeshInPlace<R> mesh(fft);
    mesh.view().at[1] = 1;
    for (auto _ : state) {
        mesh.filter(factor.data(), 1);
        benchmark::DoNotOptimize(mesh.view().at[0]);
    }
    state.counters["points/s"] = benchmark::Counter(static_cast<double>(n) * n * n,
                                                    benchmark::Counter::kIsIterationInvariantRate);
}

void fftw_measured(benchmark::State& state)
{
    const int n = static_cast<int>(state.range(0));
    const auto points = static_cast<std::size_t>(n * n * n);
    std::vector<double> real(points);
    std::vector<fftw_complex> spectrum(static_cast<std::size_t>(n * n * (n / 2 + 1)));
    const fftw_plan forward =
        fftw_plan_dft_r2c_3d(n, n, n, real.data(), spectrum.data(), FFTW_MEASURE);
    const fftw_plan backward =
        fftw_plan_dft_c2r_3d(n, n, n, spectrum.data(), real.data(), FFTW_MEASURE);
    for (auto _ : state) {
        fftw_execute(forward);
        fftw_execute(backward);
        benchmark::DoNotOptimize(real[0]);
    }
    fftw_destroy_plan(forward);
    fftw_destroy_plan(backward);
    state.counters["points/s"] = benchmark::Counter(static_cast<double>(points),
                                                    benchmark::Counter::kIsIterationInvariantRate);
}

/// 64 points an atom of order 4: read, add, write.
template <class R>
struct Splines {
    MeshLayout layout{{54, 54, 54}, 4};
    std::vector<MeshAtom<R>> atoms{24000};
    std::vector<R> charge;

    Splines()
    {
        support::Dice dice(1);
        std::vector<Vec3> x;
        for (std::size_t a = 0; a < atoms.size(); ++a) { // molecules of three, 0.1 nm wide
            x.push_back(a % 3 == 0
                            ? Vec3{dice.between(0.1, 6), dice.between(0.1, 6), dice.between(0.1, 6)}
                            : x[a / 3 * 3] + dice.in_cube(0.1));
            charge.push_back(a % 3 == 0 ? R(-5e7) : R(2.5e7));
        }
        const Box box(Mat3{{{6.2, 0, 0}, {0, 6.2, 0}, {0, 0, 6.2}}});
        locate_on_mesh<R>(layout, box, x, atoms);
    }
};

template <class R>
void spread(benchmark::State& state)
{
    const Splines<R> s;
    std::vector<MeshWhole<R>> mesh(s.layout.size);
    for (auto _ : state) {
        spread_on_mesh<R>(s.layout, s.atoms, s.charge.data(), mesh.data());
        benchmark::DoNotOptimize(mesh[0]);
    }
    state.counters["atoms/s"] = benchmark::Counter(static_cast<double>(s.atoms.size()),
                                                   benchmark::Counter::kIsIterationInvariantRate);
}

template <class R>
void gather(benchmark::State& state)
{
    const Splines<R> s;
    const std::vector<R> potential(s.layout.size, R(1));
    std::vector<R> slope(4 * s.atoms.size());
    for (auto _ : state) {
        gather_from_mesh<R>(s.layout, s.atoms, potential.data(),
                            reinterpret_cast<R(*)[4]>(slope.data()));
        benchmark::DoNotOptimize(slope[0]);
    }
    state.counters["atoms/s"] = benchmark::Counter(static_cast<double>(s.atoms.size()),
                                                   benchmark::Counter::kIsIterationInvariantRate);
}

BENCHMARK_TEMPLATE(transforms, float)
    ->Arg(54)
    ->Arg(56)
    ->Arg(64)
    ->Arg(96)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_TEMPLATE(transforms, double)->Arg(54)->Arg(56)->Arg(64)->Unit(benchmark::kMicrosecond);
BENCHMARK(fftw_measured)->Arg(54)->Arg(56)->Arg(64)->Unit(benchmark::kMicrosecond);
BENCHMARK_TEMPLATE(spread, float)->Unit(benchmark::kMicrosecond);
BENCHMARK_TEMPLATE(spread, double)->Unit(benchmark::kMicrosecond);
BENCHMARK_TEMPLATE(gather, float)->Unit(benchmark::kMicrosecond);
BENCHMARK_TEMPLATE(gather, double)->Unit(benchmark::kMicrosecond);

} // namespace
} // namespace tessera
