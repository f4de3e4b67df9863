#include "engine/app/tune_mesh.hpp"

#include "engine/app/force_error_estimate.hpp"
#include "engine/base/lent.hpp"
#include "engine/cpu/long_range.hpp"
#include "engine/plans/pme_plan.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <memory>

namespace tessera
{

namespace
{

constexpr double gain = 0.98; // of the time, below which another mesh is worth it

double widest_spacing(const Box& box, const std::array<int, 3>& grid)
{
    const Mat3& h = box.vectors();
    return std::max({norm(h[0]) / grid[0], norm(h[1]) / grid[1], norm(h[2]) / grid[2]});
}

/// Where atoms are, and the forces of meshes on them.
class Trial {
public:
    Trial(const Assembly& assembly, const State& start, int threads)
        : topology_(*assembly.topology), settings_(assembly.nonbonded), box_(start.box),
          threads_(threads)
    {
        for (const GridPosition& g : start.position) {
            x_.push_back(to_nm(g));
        }
        NonbondedSettings fine = settings_;
        fine.precision = Precision::fp64;
        fine.pme_order = std::max(8, settings_.pme_order);
        fine.pme_grid = pme_grid_for_spacing(box_, 0.5 * widest_spacing(box_, settings_.pme_grid),
                                             fine.pme_order);
        reference_ = forces(fine);
    }

    [[nodiscard]] NonbondedSettings with(const std::array<int, 3>& grid, int order) const
    {
        NonbondedSettings out = settings_;
        out.pme_grid = grid;
        out.pme_order = order;
        return out;
    }

    [[nodiscard]] TriedMesh of(const std::array<int, 3>& grid, int order) const
    {
        return {grid, order, error_of(forces(with(grid, order))), 0};
    }

    /// Meshes take turns, so that a busy moment of the machine meets all of them.
    void time(std::vector<TriedMesh>& meshes) const
    {
        constexpr int rounds = 21;
        std::vector<std::unique_ptr<LongRange>> parts;
        for (TriedMesh& mesh : meshes) {
            parts.push_back(
                std::make_unique<LongRange>(lent(topology_), with(mesh.grid, mesh.order)));
            mesh.seconds = std::numeric_limits<double>::infinity();
        }
        using Clock = std::chrono::steady_clock;
        for (int round = 0; round < rounds; ++round) {
            for (std::size_t m = 0; m < meshes.size(); ++m) {
                ForceSums sums(x_.size(), SumMode::exact);
                EnergySums energies;
                const auto begin = Clock::now();
                parts[m]->add_forces(box_, x_, {false, false}, threads_, sums, energies);
                const double took = std::chrono::duration<double>(Clock::now() - begin).count();
                meshes[m].seconds = std::min(meshes[m].seconds, took);
            }
        }
    }

private:
    [[nodiscard]] std::vector<Vec3> forces(const NonbondedSettings& settings) const
    {
        LongRange part(lent(topology_), settings);
        ForceSums sums(x_.size(), SumMode::exact);
        EnergySums energies;
        part.add_forces(box_, x_, {false, false}, threads_, sums, energies);
        std::vector<Vec3> out;
        for (std::size_t a = 0; a < x_.size(); ++a) {
            out.push_back(sums.force(a));
        }
        return out;
    }
    [[nodiscard]] double error_of(const std::vector<Vec3>& forces) const
    {
        double square = 0;
        for (std::size_t a = 0; a < forces.size(); ++a) {
            square += norm2(forces[a] - reference_[a]);
        }
        return std::sqrt(square / static_cast<double>(std::max<std::size_t>(1, forces.size())));
    }

    const Topology& topology_;
    NonbondedSettings settings_;
    Box box_;
    int threads_;
    std::vector<Vec3> x_, reference_;
};

/// The widest spacing whose estimated error is not above that of the settings.
double spacing_of_equal_error(double beta, double spacing, int order, int other_order)
{
    const double error = mesh_error_in_water(beta, spacing, order);
    double low = 0.1 * spacing, high = 10 * spacing;
    for (int k = 0; k < 50; ++k) {
        const double middle = 0.5 * (low + high);
        (mesh_error_in_water(beta, middle, other_order) > error ? high : low) = middle;
    }
    return low;
}

} // namespace

TunedMesh tune_mesh(const Assembly& assembly, const State& start, int threads)
{
    const NonbondedSettings& given = assembly.nonbonded;
    const Trial trial(assembly, start, threads);
    TunedMesh out;
    out.tried.push_back(trial.of(given.pme_grid, given.pme_order));
    const double spacing = widest_spacing(start.box, given.pme_grid);
    for (int order = 4; order <= 8; ++order) {
        // estimates are good to a factor of two: what is asked for is measured
        double wide = spacing_of_equal_error(given.ewald_beta, spacing, given.pme_order, order);
        for (int k = 0; k < 12; ++k, wide *= 0.96) {
            const auto grid = pme_grid_for_spacing(start.box, wide, order);
            if (order == given.pme_order && grid == given.pme_grid) {
                break;
            }
            const TriedMesh mesh = trial.of(grid, order);
            if (mesh.force_error <= out.tried.front().force_error) {
                out.tried.push_back(mesh);
                break;
            }
        }
    }
    trial.time(out.tried);
    const auto fastest =
        std::min_element(out.tried.begin(), out.tried.end(),
                         [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
    if (fastest->seconds < gain * out.tried.front().seconds) {
        out.chosen = static_cast<std::size_t>(fastest - out.tried.begin());
    }
    return out;
}

std::string in_words(const TunedMesh& tuned)
{
    std::string out;
    for (std::size_t m = 0; m < tuned.tried.size(); ++m) {
        const TriedMesh& mesh = tuned.tried[m];
        out +=
            fmt::format("{:<13} {} x {} x {}, order {}: error of forces {:.3g} kJ/mol/nm, {:.3g} "
                        "ms{}{}\n",
                        m == 0 ? "pme.tune" : "", mesh.grid[0], mesh.grid[1], mesh.grid[2],
                        mesh.order, mesh.force_error, 1e3 * mesh.seconds,
                        m == 0 ? " (as given)" : "", m == tuned.chosen ? ": chosen" : "");
    }
    return out;
}

std::string tuned_mesh_in_words(const Deck& deck, const NonbondedSettings& nonbonded)
{
    const auto& grid = nonbonded.pme_grid;
    return deck.pme.tune ? fmt::format("  # pme.tune chose grid = [{}, {}, {}], order = {}\n",
                                       grid[0], grid[1], grid[2], nonbonded.pme_order)
                         : "";
}

} // namespace tessera
