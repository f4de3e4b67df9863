#include "engine/cpu/block_form.hpp"
#include "engine/cpu/block_walker.hpp"
#include "engine/cpu/kernel_grid.hpp"
#include "engine/cpu/long_range.hpp"
#include "engine/cpu/nonbonded.hpp"
#include "engine/plans/pme_plan.hpp"
#include "tests/bench/kernel_bounds.hpp"
#include "tests/support/geometries.hpp"
#include "tests/support/systems.hpp"

#include <benchmark/benchmark.h>
#include <bit>
#include <cmath>

// Pair list, pair forces and mesh of a box of three-site water as large as the usual protein
// benchmark (23.4k atoms); one thread. Argument: molecules along an edge.
namespace tessera
{
namespace
{

struct Water {
    Topology topology;
    Box box;
    std::vector<Vec3> x;
    NonbondedSettings settings;
};

/// Molecules on a jittered cubic lattice of 0.3106 nm, the density of water.
Water make_water(int edge)
{
    const double spacing = 0.3106, length = spacing * edge;
    support::Dice dice(1);
    std::vector<double> charge;
    std::vector<std::int32_t> type;
    std::vector<std::array<std::int32_t, 2>> excluded;
    Water w;
    for (int m = 0; m < edge * edge * edge; ++m) {
        const Vec3 o =
            Vec3{spacing * (m % edge), spacing * (m / edge % edge), spacing * (m / (edge * edge))} +
            dice.in_cube(0.03);
        const Vec3 u = dice.in_cube(1), v = dice.in_cube(1);
        w.x.insert(w.x.end(), {o, o + (0.1 / norm(u)) * u, o + (0.1 / norm(v)) * v});
        charge.insert(charge.end(), {-0.834, 0.417, 0.417});
        type.insert(type.end(), {0, 1, 1});
        excluded.insert(excluded.end(),
                        {{3 * m, 3 * m + 1}, {3 * m, 3 * m + 2}, {3 * m + 1, 3 * m + 2}});
    }
    w.topology =
        support::free_atoms(charge, type, support::mixed_table({0.315, 0.0}, {0.636, 0.0}));
    support::exclude(w.topology, excluded);
    w.box = Box(Mat3{{{length, 0, 0}, {0, length, 0}, {0, 0, length}}});
    w.settings.lj_cutoff = w.settings.coulomb_cutoff = 0.9;
    w.settings.lj_modifier = LjModifier::none;
    w.settings.ewald_beta = ewald_beta_for_tolerance(0.9, 1e-5);
    w.settings.pme_grid = pme_grid_for_spacing(w.box, 0.112);
    return w;
}

double listed_pairs(const ClusterPairList& list)
{
    double pairs = 0;
    for (const ClusterPairList::Column& column : list.columns) {
        pairs += std::popcount(column.mask);
    }
    return pairs;
}

void search_pairs(benchmark::State& state)
{
    const Water w = make_water(static_cast<int>(state.range(0)));
    Nonbonded nonbonded(w.topology, w.settings);
    for (auto _ : state) {
        nonbonded.search(w.box, w.x);
    }
    state.counters["pairs/s"] = benchmark::Counter(listed_pairs(nonbonded.pair_list()),
                                                   benchmark::Counter::kIsIterationInvariantRate);
}

/// Counts pairs within the cut-off; about 110 flops and 11 loads and stores of 8 bytes each.
void add_pair_forces(benchmark::State& state, Wanted wanted, Precision precision = Precision::fp64)
{
    Water w = make_water(static_cast<int>(state.range(0)));
    w.settings.precision = precision;
    NonbondedSettings exact_list = w.settings;
    exact_list.list_buffer = 0;
    exact_list.precision = Precision::fp64;
    Nonbonded counting(w.topology, exact_list), nonbonded(w.topology, w.settings);
    counting.search(w.box, w.x);
    nonbonded.search(w.box, w.x);
    for (auto _ : state) {
        ForceSums forces(w.x.size(), SumMode::exact);
        EnergySums energies;
        nonbonded.add_forces(w.box, w.x, wanted, 1, forces, energies);
        benchmark::DoNotOptimize(forces.force(0));
    }
    state.counters["pairs/s"] = benchmark::Counter(listed_pairs(counting.pair_list()),
                                                   benchmark::Counter::kIsIterationInvariantRate);
}
void pair_forces(benchmark::State& state)
{
    add_pair_forces(state, {false, false});
}
void pair_forces_mixed(benchmark::State& state)
{
    add_pair_forces(state, {false, false}, Precision::mixed);
}
void pair_forces_energies_virial(benchmark::State& state)
{
    add_pair_forces(state, {true, true});
}

/// The kernel of blocks alone, with filling and emptying of workspaces, on one instruction set;
/// with its own sums, which are exact, or with FP32 sums. "of FMA ceiling": vectors multiplied,
/// fused or not, over as many as the processor can (20 a tile of 16 lanes: block_kernel-inl.hpp).
void pair_kernel(benchmark::State& state, SimdLevel level, bool float_sums = false)
{
    if (level > supported_simd_levels().back() || (float_sums && !kernel_of_float_sums())) {
        state.SkipWithError("this processor lacks the instruction set");
        return;
    }
    use_simd_level(level);
    Water w = make_water(static_cast<int>(state.range(0)));
    w.settings.precision = Precision::mixed;
    NonbondedSettings exact_list = w.settings;
    exact_list.list_buffer = 0;
    Nonbonded counting(w.topology, exact_list), nonbonded(w.topology, w.settings);
    counting.search(w.box, w.x);
    nonbonded.search(w.box, w.x);
    const ClusterPairList& list = nonbonded.pair_list();
    const PairForm form = make_pair_form(w.settings, w.topology.coulomb_constant);
    const PairTable& table = w.topology.pairs;
    const auto parameters =
        make_block_parameters(form, make_tile_form(form, true).value(), table.c6, table.c12, {});

    const PositionGrid grid(w.box);
    const KernelGrid kernel_grid(grid);
    AlignedVector<std::uint32_t> xyzq(4 * list.order.atom_of_slot.size(), 0);
    AlignedVector<float> lj(2 * list.order.atom_of_slot.size(), 0.0F);
    for (std::size_t s = 0; s < list.order.atom_of_slot.size(); ++s) {
        if (list.order.atom_of_slot[s] < 0) {
            continue;
        }
        const auto a = static_cast<std::size_t>(list.order.atom_of_slot[s]);
        const GridPosition x = kernel_grid.image(grid.canonical(w.x[a]), {0, 0, 0});
        const double q = w.topology.charge[a] * std::sqrt(w.topology.coulomb_constant);
        std::uint32_t* to = xyzq.data() + s / 4 * 16 + s % 4;
        to[0] = KernelGrid::unit(x.x);
        to[4] = KernelGrid::unit(x.y);
        to[8] = KernelGrid::unit(x.z);
        to[12] = std::bit_cast<std::uint32_t>(static_cast<float>(q * parameters->charge_scale));
        const auto type = static_cast<std::size_t>(w.topology.type[a]);
        lj[s / 4 * 8 + s % 4] = parameters->of_type[type][0];
        lj[s / 4 * 8 + 4 + s % 4] = parameters->of_type[type][1];
    }
    std::vector<Vec3> shift_vectors;
    std::vector<BlockWalker::Units> shifts;
    const auto units = [](const GridPosition& x) {
        return BlockWalker::Units{KernelGrid::unit(x.x), KernelGrid::unit(x.y),
                                  KernelGrid::unit(x.z)};
    };
    for (const auto& k : list.shifts) {
        shift_vectors.push_back(w.box.shift(k[0], k[1], k[2]));
        shifts.push_back(units(kernel_grid.shift(k)));
    }
    const PairBlocks blocks = make_pair_blocks(list, shift_vectors, {});
    BlockRoom room;
    BlockWalker walker(parameters->form, blocks, xyzq, lj, shifts, room,
                       float_sums ? *kernel_of_float_sums() : pair_kernels().mixed);
    for (auto _ : state) {
        for (std::size_t b = 0; b < blocks.blocks.size(); ++b) {
            const Vec3& origin = blocks.blocks[b].origin;
            walker.walk(static_cast<std::int64_t>(b), units(to_grid(origin)), false, false);
        }
    }
    const double pairs = listed_pairs(counting.pair_list());
    double tiles = 0;
    for (const BlockRow& row : blocks.rows) {
        tiles += static_cast<double>(row.all().tiles());
    }
    state.counters["pairs/s"] =
        benchmark::Counter(pairs, benchmark::Counter::kIsIterationInvariantRate);
    state.counters["lanes in range"] = pairs / (16.0 * tiles);
    if (level != SimdLevel::baseline) {
        const double vectors = level == SimdLevel::avx512 ? 20 : 40;
        state.counters["of FMA ceiling"] =
            benchmark::Counter(vectors * tiles / fused_vectors_per_second(level),
                               benchmark::Counter::kIsIterationInvariantRate);
    }
    state.counters["entries a block"] =
        static_cast<double>(blocks.cluster.size()) / static_cast<double>(blocks.blocks.size());
    use_simd_level(supported_simd_levels().back());
}

void add_mesh_forces(benchmark::State& state, Precision precision)
{
    Water w = make_water(static_cast<int>(state.range(0)));
    w.settings.precision = precision;
    LongRange mesh(w.topology, w.settings);
    for (auto _ : state) {
        ForceSums forces(w.x.size(), SumMode::exact);
        EnergySums energies;
        mesh.add_forces(w.box, w.x, {false, false}, 1, forces, energies);
        benchmark::DoNotOptimize(forces.force(0));
    }
    state.counters["atoms/s"] = benchmark::Counter(static_cast<double>(w.x.size()),
                                                   benchmark::Counter::kIsIterationInvariantRate);
}

void mesh_forces(benchmark::State& state)
{
    add_mesh_forces(state, Precision::fp64);
}
void mesh_forces_mixed(benchmark::State& state)
{
    add_mesh_forces(state, Precision::mixed);
}

BENCHMARK(search_pairs)->Arg(10)->Arg(20)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(pair_kernel, avx512, SimdLevel::avx512)->Arg(20)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(pair_kernel, avx512_float_sums, SimdLevel::avx512, true)
    ->Arg(20)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(pair_kernel, avx2, SimdLevel::avx2)->Arg(20)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(pair_kernel, baseline, SimdLevel::baseline)
    ->Arg(10)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(pair_forces)->Arg(10)->Arg(20)->Unit(benchmark::kMillisecond);
BENCHMARK(pair_forces_mixed)->Arg(10)->Arg(20)->Unit(benchmark::kMillisecond);
BENCHMARK(pair_forces_energies_virial)->Arg(20)->Unit(benchmark::kMillisecond);
BENCHMARK(mesh_forces)->Arg(10)->Arg(20)->Unit(benchmark::kMillisecond);
BENCHMARK(mesh_forces_mixed)->Arg(10)->Arg(20)->Unit(benchmark::kMillisecond);

} // namespace
} // namespace tessera
