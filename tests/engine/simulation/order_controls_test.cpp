// Negative controls: small doubles of phases that do what an engine must not do. Each fails the
// comparison that the engine passes; a comparison that does not see them sees nothing.
//
// Not here: a library's exp or log that takes other instructions on another processor (no second
// processor at hand; the engine's random numbers use elementary.hpp), and FFTW_MEASURE, whose
// choice by timing may fall on the same plan twice.
#include "engine/cpu/constraints.hpp"
#include "engine/cpu/long_range.hpp"
#include "engine/cpu/nonbonded.hpp"
#include "engine/cpu/pme.hpp"
#include "engine/cpu/position_grid.hpp"
#include "engine/plans/shuffle.hpp"
#include "tests/support/dynamics.hpp"
#include "tests/support/geometries.hpp"
#include "tests/support/salt_water.hpp"

#include <bit>
#include <cstring>
#include <fftw3.h>
#include <gtest/gtest.h>
#include <numeric>

namespace tessera
{
namespace
{

using support::salt_water;
using support::SaltWater;

std::vector<Vec3> positions_of(const State& state)
{
    std::vector<Vec3> x;
    for (const GridPosition& g : state.position) {
        x.push_back(to_nm(g));
    }
    return x;
}

std::vector<Vec3> forces_of(const ForceSums& sums)
{
    std::vector<Vec3> out;
    for (std::size_t a = 0; a < sums.size(); ++a) {
        out.push_back(sums.force(a));
    }
    return out;
}

// ----- sums in floating point

std::vector<Vec3> pair_forces(const SaltWater& system, SumMode mode, std::uint64_t seed)
{
    NonbondedSettings settings = system.nonbonded;
    settings.shuffle_seed = seed;
    Nonbonded nonbonded(*system.topology, settings);
    const std::vector<Vec3> x = positions_of(system.start);
    nonbonded.search(system.start.box, x);
    ForceSums forces(x.size(), mode);
    EnergySums energies;
    nonbonded.add_forces(system.start.box, x, {}, 1, forces, energies);
    return forces_of(forces);
}

TEST(OrderControls, SumsInDoubleFeelTheOrderOfPairs)
{
    const SaltWater system = salt_water(3);

    EXPECT_EQ(pair_forces(system, SumMode::exact, 1), pair_forces(system, SumMode::exact, 0));
    EXPECT_NE(pair_forces(system, SumMode::floating, 1), pair_forces(system, SumMode::floating, 0));
}

/// Forces of a soft pair potential over a list, each pair rounded to R, summed as Sum.
template <class Sum>
std::vector<std::array<Sum, 3>> soft_forces(const ClusterPairList& list, const Box& box,
                                            const std::vector<Vec3>& x, double cutoff,
                                            bool with_mask)
{
    std::vector<std::array<Sum, 3>> sums(x.size(), {0, 0, 0});
    for (const ClusterPairList::Row& row : list.rows) {
        const auto& k = list.shifts[static_cast<std::size_t>(row.shift)];
        for (std::int64_t c = row.begin; c < row.end; ++c) {
            const ClusterPairList::Column& column = list.columns[static_cast<std::size_t>(c)];
            const bool is_own = row.shift == 0 && row.cluster == column.cluster;
            const std::uint32_t neighbours = is_own ? 0b0000'1000'1100'1110U : 0xFFFFU;
            for (int bit = 0; bit < 16; ++bit) {
                const auto slot = [](std::int32_t cluster, int lane) {
                    return static_cast<std::size_t>(4 * cluster + lane);
                };
                const std::int32_t i = list.order.atom_of_slot[slot(row.cluster, bit / 4)];
                const std::int32_t j = list.order.atom_of_slot[slot(column.cluster, bit % 4)];
                const std::uint32_t mask = with_mask ? column.mask : neighbours;
                if ((mask >> bit & 1U) == 0 || i < 0 || j < 0) {
                    continue;
                }
                const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
                const Vec3 d = x[a] + box.shift(k[0], k[1], k[2]) - x[b];
                if (norm2(d) >= cutoff * cutoff) {
                    continue;
                }
                const Vec3 f = (100 * (1 / norm(d) - 1 / cutoff)) * d;
                for (int n = 0; n < 3; ++n) {
                    const Sum part = std::is_integral_v<Sum>
                                         ? static_cast<Sum>(to_fixed(f[n], fixed::force_scale))
                                         : static_cast<Sum>(f[n]);
                    sums[a][static_cast<std::size_t>(n)] += part;
                    sums[b][static_cast<std::size_t>(n)] -= part;
                }
            }
        }
    }
    return sums;
}

class PairListControls : public ::testing::Test {
protected:
    Mat3 h{{{2.4, 0, 0}, {0.7, 2.3, 0}, {-0.4, 0.9, 2.2}}};
    Box box = PositionGrid(Box(h)).box();
    double cutoff = 0.7, buffer = 0.02; // short on purpose
    std::vector<Vec3> start = on_grid(support::scattered(std::size_t{250}, h, 0.2, 11U));
    ClusterPairList list = make_cluster_pair_list(box, start, no_exclusions(), cutoff + buffer, 1);

    /// Every atom has moved further than the buffer allows.
    [[nodiscard]] std::vector<Vec3> later() const
    {
        std::vector<Vec3> x = start;
        for (std::size_t a = 0; a < x.size(); ++a) {
            x[a] += 0.04 * support::scattered(static_cast<std::uint32_t>(a));
        }
        return on_grid(x);
    }
    static std::vector<Vec3> on_grid(std::vector<Vec3> x)
    {
        for (Vec3& v : x) {
            v = to_nm(to_grid(v));
        }
        return x;
    }
    static RaggedList no_exclusions()
    {
        RaggedList out;
        for (int a = 0; a < 250; ++a) {
            out.add_row({});
        }
        return out;
    }
    template <class Sum>
    [[nodiscard]] bool feels_the_order(bool with_mask) const
    {
        const std::vector<Vec3> x = later();
        return soft_forces<Sum>(list, box, x, cutoff, with_mask) !=
               soft_forces<Sum>(shuffled(list, 5), box, x, cutoff, with_mask);
    }
};

TEST_F(PairListControls, FloatingSumsFeelTheOrderOfPairs)
{
    EXPECT_FALSE(feels_the_order<std::int64_t>(true));
    EXPECT_TRUE(feels_the_order<float>(true));
    EXPECT_TRUE(feels_the_order<double>(true));
}

// A list that lets in whatever shares a tile with a listed pair depends on who shares it.
TEST_F(PairListControls, AListWithoutMaskFeelsTheClusters)
{
    EXPECT_FALSE(feels_the_order<std::int64_t>(true));
    EXPECT_TRUE(feels_the_order<std::int64_t>(false));
}

// ----- constraints that stop together

/// Methyl groups, C H H H, all displaced otherwise.
struct Methyls {
    static constexpr int groups = 64;
    static constexpr double length = 0.109;
    std::vector<Vec3> old, moved; ///< [groups][4]

    Methyls()
    {
        for (std::uint32_t g = 0; g < groups; ++g) {
            old.emplace_back(0.3 * (g % 4), 0.3 * (g / 4 % 4), 0.3 * (g / 16));
            const Vec3 c = old.back();
            for (int k = 0; k < 3; ++k) {
                const double turn = 2.0943951 * k;
                const Vec3 d{0.943 * std::cos(turn), 0.943 * std::sin(turn), -0.333};
                old.push_back(c + (length / norm(d)) * d);
            }
            const double size = 0.0005 * (1 + g % 7); // some groups need more sweeps
            for (std::uint32_t a = 0; a < 4; ++a) {
                moved.push_back(size * support::scattered(4 * g + a));
            }
        }
    }
};

enum class Stop { each_by_itself, when_all_have };

/// SHAKE over batches of eight groups in the given order; returns displacements by group.
std::vector<Vec3> shaken(const Methyls& m, const std::vector<std::int32_t>& order, Stop stop)
{
    constexpr double mass[4] = {1 / 12.011, 1 / 1.008, 1 / 1.008, 1 / 1.008};
    constexpr double limit = 1e-9;
    std::vector<Vec3> d = m.moved;
    const auto sweep = [&](std::int32_t group) {
        const auto c = static_cast<std::size_t>(4 * group);
        double worst = 0;
        for (std::size_t k = 1; k < 4; ++k) {
            const Vec3 before = m.old[c + k] - m.old[c];
            const Vec3 side = before + d[c + k] - d[c];
            const double off = m.length * m.length - norm2(side);
            worst = std::fmax(worst, std::fabs(off));
            const double g = off / (2 * (mass[0] + mass[k]) * dot(side, before));
            d[c + k] += (mass[k] * g) * before;
            d[c] -= (mass[0] * g) * before;
        }
        return worst < limit * m.length * m.length;
    };
    for (std::size_t first = 0; first < order.size(); first += 8) {
        bool done[8] = {};
        while (!std::all_of(std::begin(done), std::end(done), [](bool b) { return b; })) {
            for (std::size_t k = 0; k < 8; ++k) {
                if (stop == Stop::when_all_have || !done[k]) {
                    done[k] = sweep(order[first + k]);
                }
            }
        }
    }
    return d;
}

std::vector<Vec3> constrained_by_engine(const Methyls& m, const std::vector<std::int32_t>& order,
                                        int threads)
{
    std::vector<double> mass;
    std::vector<Vec3> moved, x;
    for (const std::int32_t g : order) {
        mass.insert(mass.end(), {12.011, 1.008, 1.008, 1.008});
        for (std::size_t a = 0; a < 4; ++a) {
            x.push_back(m.old[static_cast<std::size_t>(4 * g) + a]);
            moved.push_back(m.moved[static_cast<std::size_t>(4 * g) + a]);
        }
    }
    Topology topology = support::massive_atoms(mass);
    for (std::int32_t g = 0; g < Methyls::groups; ++g) {
        for (std::int32_t k = 1; k < 4; ++k) {
            topology.constraints.push_back({4 * g, 4 * g + k, Methyls::length});
        }
    }
    Constraints constraints(topology, make_constraint_plan(topology));
    std::vector<Vec3> correction(x.size()), out(x.size());
    const auto broken = constraints.constrain_positions(
        Box(), support::at_positions(x, {}).position, moved, correction, threads);
    EXPECT_FALSE(broken.has_value());
    for (std::size_t k = 0; k < order.size(); ++k) {
        std::copy_n(correction.begin() + static_cast<std::ptrdiff_t>(4 * k), 4,
                    out.begin() + 4 * order[k]);
    }
    return out;
}

TEST(OrderControls, ConstraintsThatStopTogetherFeelTheirCompany)
{
    const Methyls methyls;
    std::vector<std::int32_t> order(Methyls::groups);
    std::iota(order.begin(), order.end(), 0);
    std::vector<std::int32_t> other = order;
    ShuffleNumbers(3).permute(other.begin(), other.end());

    EXPECT_EQ(constrained_by_engine(methyls, other, 3), constrained_by_engine(methyls, order, 1));
    EXPECT_EQ(shaken(methyls, other, Stop::each_by_itself),
              shaken(methyls, order, Stop::each_by_itself));
    EXPECT_NE(shaken(methyls, other, Stop::when_all_have),
              shaken(methyls, order, Stop::when_all_have));
}

// ----- positions that are wrapped

TEST(OrderControls, Fp64PositionsFeelWhenTheyAreWrapped)
{
    const double edge = from_fixed(to_fixed(3.1, fixed::position_scale), fixed::position_scale);
    const std::int64_t edge_units = to_fixed(edge, fixed::position_scale);
    int differ = 0, integers_differ = 0;
    for (std::uint32_t a = 0; a < 1000; ++a) {
        double x[2] = {};
        std::int64_t g[2] = {};
        const double v = 0.8 + 0.1 * support::scattered(a).x;
        for (const int wrap_every : {1, 5}) {
            const int run = wrap_every == 1 ? 0 : 1;
            for (int step = 1; step <= 50; ++step) {
                x[run] += v;
                g[run] += to_fixed(v, fixed::position_scale);
                if (step % wrap_every == 0) {
                    x[run] -= edge * std::floor(x[run] / edge);
                    g[run] %= edge_units;
                }
            }
        }
        differ += x[0] != x[1] ? 1 : 0;
        integers_differ += g[0] != g[1] ? 1 : 0;
    }

    EXPECT_EQ(integers_differ, 0);
    EXPECT_GT(differ, 500);
}

TEST(OrderControls, SplinesOfAShiftedImageAreOthers)
{
    const SaltWater system = salt_water(3);
    const NonbondedSettings& s = system.nonbonded;
    const PositionGrid grid(system.start.box);
    const std::vector<Vec3> x = canonical_positions(grid, positions_of(system.start), 1);
    std::vector<Vec3> shifted = x;
    for (std::size_t a = 0; a < x.size(); a += 2) {
        shifted[a] += grid.box().shift(1, -1, 2);
    }
    LongRange engine(*system.topology, s);
    Pme without_wrapping(s.pme_grid, s.pme_order,
                         CoulombWaves{system.topology->coulomb_constant, s.ewald_beta},
                         {system.topology->charge}, EnergyKind::coulomb_reciprocal);
    const auto forces = [&](auto& mesh, const auto& at) {
        ForceSums sums(at.size(), SumMode::exact);
        EnergySums energies;
        mesh.add_forces(grid.box(), at, {}, 1, sums, energies);
        return forces_of(sums);
    };

    EXPECT_EQ(forces(engine, shifted), forces(engine, x));
    EXPECT_NE(forces(without_wrapping, CanonicalPositions(shifted)),
              forces(without_wrapping, CanonicalPositions(x)));
}

// ----- transforms; that the engine's own does not feel its neighbours: fft_test.cpp

TEST(OrderControls, PlansForOtherNumbersOfLinesHaveOtherBits)
{
    constexpr int lines = 64;
    int differ = 0;
    for (const int n : {25, 32, 48, 60, 64}) {
        const auto points = static_cast<std::size_t>(n * lines);
        auto* in = fftw_alloc_complex(points);
        auto* together = fftw_alloc_complex(points);
        auto* alone = fftw_alloc_complex(points);
        const auto plan = [&](int howmany) {
            return fftw_plan_many_dft(1, &n, howmany, in, nullptr, lines, 1, together, nullptr,
                                      lines, 1, FFTW_FORWARD, FFTW_ESTIMATE | FFTW_UNALIGNED);
        };
        const fftw_plan all = plan(lines), one = plan(1);
        for (std::size_t k = 0; k < points; ++k) {
            const Vec3 r = support::scattered(static_cast<std::uint32_t>(k));
            in[k][0] = r.x;
            in[k][1] = r.y;
        }
        fftw_execute_dft(all, in, together);
        for (int line = 0; line < lines; ++line) {
            fftw_execute_dft(one, in + line, alone + line);
        }
        differ += std::memcmp(together, alone, points * sizeof(fftw_complex)) != 0 ? 1 : 0;
        fftw_destroy_plan(all);
        fftw_destroy_plan(one);
        fftw_free(in);
        fftw_free(together);
        fftw_free(alone);
    }

    EXPECT_GT(differ, 0);
}

} // namespace
} // namespace tessera
