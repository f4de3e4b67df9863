// What a step on ranks sends, counted from the plans alone (no run, no clock): one line of numbers
// for each number of ranks, for scaling.py. Water-like systems in a cubic cell.
#include "engine/base/philox.hpp"
#include "engine/plans/domain_plan.hpp"
#include "engine/plans/mesh_plan.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <set>
#include <vector>

namespace
{

using namespace tessera;

struct Water {
    double atoms = 0;
    double density = 100; ///< atoms / nm^3
    double pairs = 1.0;   ///< largest distance of listed pairs, nm
    Extents extents{{0.45, 0.45, 0.45}, {0.11, 0.11, 0.11}};
    double spacing = 0.12; ///< of the mesh, nm
    double drift = 0.1;    ///< of atoms between two cuts, nm
    int order = 4;
    std::size_t number = 4; ///< bytes of a number of the mesh: 4 in mixed, 8 in FP64
};

/// Atoms that a rank must know of at the least: all within the reach above its domain, corners
/// rounded (the eighth shell of K. J. Bowers et al., J. Phys. Conf. Ser. 16, 300 (2005)), with no
/// groups to keep whole.
double least_imported(const Vec3& edge, const std::array<int, 3>& count, double r)
{
    constexpr double pi = std::numbers::pi;
    std::array<bool, 3> cut{};
    for (std::size_t d = 0; d < 3; ++d) {
        cut[d] = count[d] > 1;
    }
    const std::array<double, 3> e{edge.x, edge.y, edge.z};
    double volume = 0;
    for (std::size_t d = 0; d < 3; ++d) {
        const std::size_t a = (d + 1) % 3, b = (d + 2) % 3;
        volume += cut[d] ? r * e[a] * e[b] : 0;                 // above the face
        volume += cut[a] && cut[b] ? pi * r * r / 4 * e[d] : 0; // along the edge
    }
    return volume + (cut[0] && cut[1] && cut[2] ? pi * r * r * r / 6 : 0);
}

/// The next even product of 2, 3, 5 and 7.
int mesh_points(double edge, double spacing)
{
    for (int n = std::max(4, static_cast<int>(std::ceil(edge / spacing)));; ++n) {
        int rest = n;
        for (const int prime : {2, 3, 5, 7}) {
            while (rest % prime == 0) {
                rest /= prime;
            }
        }
        if (rest == 1 && n % 2 == 0) {
            return n;
        }
    }
}

/// Of the rank that sends most in an evaluation.
MeshPlan::Traffic largest_traffic(const MeshPlan& plan, const std::vector<MeshBrick>& bricks,
                                  std::size_t number)
{
    const std::vector<MeshPlan::Traffic> charges = plan.of_bricks(bricks, 1, number);
    MeshPlan::Traffic most;
    for (int r = 0; r < plan.ranks(); ++r) {
        const MeshPlan::Traffic one =
            charges[static_cast<std::size_t>(r)] + plan.of_spectra(r, 1, number);
        most = one.sent > most.sent ? one : most;
    }
    return most;
}

void print_counts(const Water& water, int ranks)
{
    const double edge = std::cbrt(water.atoms / water.density);
    const Box box(Mat3{{{edge, 0, 0}, {0, edge, 0}, {0, 0, edge}}});
    const double wide = water.pairs + 2 * water.extents.groups[0];
    const DomainCut cut =
        make_domain_cut(box, water.pairs, water.extents, choose_domain_grid(box, wide, ranks));
    const std::array<int, 3>& count = cut.grid.count;

    // who knows the atoms of one domain: sampled
    constexpr int samples = 20000;
    std::set<int> partners;
    double copies = 0;
    for (int k = 0; k < samples; ++k) {
        RandomStream random(1, static_cast<std::uint32_t>(k), 0, RandomPurpose::test);
        const auto [x, y] = random.uniform2();
        const Vec3 key{x * edge / count[0], y * edge / count[1],
                       random.uniform2()[0] * edge / count[2]};
        for (const int reader : cut.readers_of(cut.home_of(key))) {
            if (reader != 0) {
                copies += 1;
                partners.insert(reader);
            }
        }
    }
    const double home = water.atoms / ranks;
    const double imported = home * copies / samples;
    const double least =
        water.density *
        least_imported({edge / count[0], edge / count[1], edge / count[2]}, count, water.pairs);

    const int n = mesh_points(edge, water.spacing);
    const MeshPlan plan({n, n, n}, ranks);
    const double drift = water.drift * n / edge;
    const MeshPlan::Traffic mesh = largest_traffic(
        plan, bricks_of_domains(cut.grid, {n, n, n}, water.order, {drift, drift, drift}),
        water.number);
    const int exchanges = plan.pencils().columns > 1 ? 6 : 4;
    fmt::print("{{\"atoms\": {:.0f}, \"ranks\": {}, \"grid\": [{}, {}, {}], \"home\": {:.1f}, "
               "\"imported\": {:.1f}, "
               "\"least_imported\": {:.1f}, \"partners\": {}, \"mesh\": {}, \"mesh_bytes\": {}, "
               "\"mesh_messages\": {}, \"mesh_exchanges\": {}, \"mesh_table\": [{}, {}]}}\n",
               water.atoms, ranks, count[0], count[1], count[2], home, imported, least,
               partners.size(), n, mesh.sent, mesh.messages_sent, exchanges, plan.pencils().rows,
               plan.pencils().columns);
}

} // namespace

int main(int argc, char** argv)
{
    Water water;
    std::vector<int> ranks{1};
    bool fp64 = false;
    CLI::App app("What a step on ranks sends, counted from the plans alone");
    app.add_option("--atoms", water.atoms, "atoms of the system")
        ->required()
        ->check(CLI::Range(1.0, 1e10));
    app.add_option("--ranks", ranks, "numbers of ranks")->check(CLI::Range(1, 1 << 20));
    app.add_option("--density", water.density, "atoms / nm^3")->check(CLI::PositiveNumber);
    app.add_option("--pairs", water.pairs, "largest distance of listed pairs, nm")
        ->check(CLI::PositiveNumber);
    app.add_option("--spacing", water.spacing, "of the mesh, nm")->check(CLI::PositiveNumber);
    app.add_option("--order", water.order, "of the splines")->check(CLI::Range(3, 12));
    app.add_flag("--fp64", fp64, "numbers of the mesh of 8 bytes instead of 4");
    CLI11_PARSE(app, argc, argv);
    water.number = fp64 ? 8 : 4;
    try {
        for (const int p : ranks) {
            print_counts(water, p);
        }
    } catch (const std::exception& e) {
        fmt::print(stderr, "{}\n", e.what());
        return 2;
    }
    return 0;
}
