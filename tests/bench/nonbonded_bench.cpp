#include "engine/cpu/long_range.hpp"
#include "engine/cpu/nonbonded.hpp"
#include "engine/plans/pme_plan.hpp"
#include "tests/support/geometries.hpp"
#include "tests/support/systems.hpp"

#include <benchmark/benchmark.h>
#include <bit>

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
BENCHMARK(pair_forces)->Arg(10)->Arg(20)->Unit(benchmark::kMillisecond);
BENCHMARK(pair_forces_mixed)->Arg(10)->Arg(20)->Unit(benchmark::kMillisecond);
BENCHMARK(pair_forces_energies_virial)->Arg(20)->Unit(benchmark::kMillisecond);
BENCHMARK(mesh_forces)->Arg(10)->Arg(20)->Unit(benchmark::kMillisecond);
BENCHMARK(mesh_forces_mixed)->Arg(10)->Arg(20)->Unit(benchmark::kMillisecond);

} // namespace
} // namespace tessera
