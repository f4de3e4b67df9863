#include "engine/cpu/mesh_splines.hpp"
#include "engine/math/bspline.hpp"
#include "tests/support/geometries.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace tessera
{
namespace
{

const Box cell(Mat3{{{2.6, 0, 0}, {0.9, 2.5, 0}, {-0.8, 0.7, 2.4}}});

std::vector<Vec3> atoms_in_cell(std::size_t count)
{
    support::Dice dice(1);
    std::vector<Vec3> out;
    for (std::size_t a = 0; a < count; ++a) {
        out.push_back({dice.between(0, 2.6), dice.between(0, 2.5), dice.between(0, 2.4)});
    }
    out.push_back({0, 0, 0});
    out.push_back({2.6 - 1e-15, 2.5 - 1e-15, 2.4 - 1e-15});
    return out;
}

template <class R>
struct Case {
    MeshLayout layout;
    std::vector<MeshAtom<R>> atoms;
    std::vector<R> charge;

    explicit Case(int order) : layout({13, 16, order == 12 ? 12 : 10}, order), atoms(203)
    {
        locate_on_mesh<R>(layout, cell, atoms_in_cell(201), atoms);
        support::Dice dice(2);
        for (std::size_t a = 0; a < atoms.size(); ++a) {
            charge.push_back(static_cast<R>(dice.between(-1, 1) * 1048576.0)); // 2^20 units
        }
    }
    /// Weights and slopes by ascending point, FP64.
    void splines(std::size_t atom, int d, double* weight, double* slope) const
    {
        bspline_weights(layout.order, static_cast<double>(atoms[atom].above[d]), weight, slope);
        std::reverse(weight, weight + layout.order);
        std::reverse(slope, slope + layout.order);
    }
};

template <class R>
class EveryMeshNumber : public testing::Test {
};
using Numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(EveryMeshNumber, Numbers);

TYPED_TEST(EveryMeshNumber, SpreadsWhatTheRecursionOfSplinesSaysAtEveryLevel)
{
    using R = TypeParam;
    for (const int order : {3, 4, 5, 6, 8, 12}) {
        const Case<R> c(order);
        std::vector<double> expected(c.layout.size);
        for (std::size_t a = 0; a < c.atoms.size(); ++a) {
            double w[3][largest_spline_order], ignored[largest_spline_order];
            for (int d = 0; d < 3; ++d) {
                c.splines(a, d, w[d], ignored);
            }
            for (int k = 0; k < order * order * order; ++k) {
                const int x = k / (order * order), y = k / order % order, z = k % order;
                expected[c.atoms[a].first + static_cast<std::size_t>(x) * c.layout.plane +
                         static_cast<std::size_t>(y) * c.layout.pitch +
                         static_cast<std::size_t>(z)] += c.charge[a] * w[0][x] * w[1][y] * w[2][z];
            }
        }
        std::vector<MeshWhole<R>> first;
        for (const SimdLevel level : supported_simd_levels()) {
            std::vector<MeshWhole<R>> mesh(c.layout.size);

            spread_on_mesh<R>(c.layout, c.atoms, c.charge.data(), mesh.data(), level);

            if (first.empty()) {
                first = mesh;
                for (std::size_t p = 0; p < mesh.size(); ++p) {
                    // 203 atoms at most, each rounded to half a unit, of 2^20 units and of 2^-24
                    EXPECT_NEAR(static_cast<double>(mesh[p]), expected[p], 30.0) << order;
                }
            }
            EXPECT_TRUE(mesh == first) << order;
        }
    }
}

TYPED_TEST(EveryMeshNumber, GathersWhatTheRecursionOfSplinesSaysAtEveryLevel)
{
    using R = TypeParam;
    for (const int order : {3, 4, 5, 6, 8, 12}) {
        const Case<R> c(order);
        support::Dice dice(3);
        std::vector<R> potential(c.layout.size);
        for (R& v : potential) {
            v = static_cast<R>(dice.between(-1, 1));
        }
        using Slope = std::array<R, 4>;
        std::vector<Slope> first;
        for (const SimdLevel level : supported_simd_levels()) {
            std::vector<Slope> slope(c.atoms.size());

            gather_from_mesh<R>(c.layout, c.atoms, potential.data(),
                                reinterpret_cast<R(*)[4]>(slope.data()), level);

            if (first.empty()) {
                first = slope;
            }
            EXPECT_TRUE(slope == first) << order;
        }
        for (std::size_t a = 0; a < c.atoms.size(); ++a) {
            double w[3][largest_spline_order], s[3][largest_spline_order], sum[3] = {};
            for (int d = 0; d < 3; ++d) {
                c.splines(a, d, w[d], s[d]);
            }
            for (int k = 0; k < order * order * order; ++k) {
                const int x = k / (order * order), y = k / order % order, z = k % order;
                const double phi =
                    potential[c.atoms[a].first + static_cast<std::size_t>(x) * c.layout.plane +
                              static_cast<std::size_t>(y) * c.layout.pitch +
                              static_cast<std::size_t>(z)];
                sum[0] += phi * s[0][x] * w[1][y] * w[2][z];
                sum[1] += phi * w[0][x] * s[1][y] * w[2][z];
                sum[2] += phi * w[0][x] * w[1][y] * s[2][z];
            }
            for (std::size_t d = 0; d < 3; ++d) {
                // potentials of at most 1 under weights that add up to 1, a few roundings each
                EXPECT_NEAR(static_cast<double>(first[a][d]), sum[d], sizeof(R) == 4 ? 2e-6 : 4e-15)
                    << order;
            }
        }
    }
}

TEST(MeshSplines, RoundsChargesBeyondTheSwiftRangeAlike)
{
    Case<double> c(4);
    for (double& q : c.charge) {
        q *= 4294967296.0; // 2^32: up to 2^52 units
    }
    std::vector<std::int64_t> first(c.layout.size);
    spread_on_mesh<double>(c.layout, c.atoms, c.charge.data(), first.data(), SimdLevel::baseline);
    std::int64_t sum = 0;
    double charge = 0;
    for (const std::int64_t v : first) {
        sum += v;
    }
    for (const double q : c.charge) {
        charge += q;
    }

    EXPECT_NEAR(static_cast<double>(sum) / 4503599627370496.0, charge / 4503599627370496.0, 1e-13);
    for (const SimdLevel level : supported_simd_levels()) {
        std::vector<std::int64_t> mesh(c.layout.size);
        spread_on_mesh<double>(c.layout, c.atoms, c.charge.data(), mesh.data(), level);
        EXPECT_TRUE(mesh == first);
    }
}

} // namespace
} // namespace tessera
