#include "engine/cpu/position_grid.hpp"
#include "engine/cpu/update_groups.hpp"
#include "engine/simulation/single_point.hpp"
#include "tests/engine/physics/term_geometry.hpp"
#include "tests/support/dynamics.hpp"
#include "tests/support/geometries.hpp"
#include "tests/support/strain.hpp"
#include "tests/support/term_types.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

// The virial of bonded terms, virtual sites and rigid groups is half the derivative of the energy
// by a strain of cell and atoms, in three kinds of cell, molecules broken over its faces.
namespace tessera
{
namespace
{

constexpr double step = 2e-4;
constexpr double tolerance = 1e-7; ///< of the largest element

struct Cell {
    const char* name;
    Mat3 vectors;
};
const Cell cells[] = {
    {"rectangular", {{{1.95, 0, 0}, {0, 2.05, 0}, {0, 0, 2.15}}}},
    {"tilted", {{{2.05, 0, 0}, {0.5, 2.0, 0}, {-0.7, 0.6, 2.1}}}},
    // rhombic dodecahedron of edge 2.6 nm, as files round it
    {"dodecahedron", {{{2.6, 0, 0}, {0, 2.6, 0}, {1.3, 1.3, 1.83848}}}},
};

NonbondedSettings without_pairs()
{
    NonbondedSettings s;
    s.lj_cutoff = s.coulomb_cutoff = 0.7;
    s.electrostatics = Electrostatics::none;
    return s;
}

/// The same place in another cell, another one for every atom.
Vec3 moved(const Box& box, const Vec3& x, std::size_t atom)
{
    const int n = static_cast<int>(atom);
    return x + box.shift(n % 3 - 1, (n / 2) % 2, -(n % 2));
}

double potential(const Topology& topology, const NonbondedSettings& settings, const Box& box,
                 const std::vector<Vec3>& x)
{
    return single_point(std::make_shared<const Topology>(topology), settings, box, x, 1)
        .sums.potential();
}

/// Half the strain derivative of the energy, everything strained alike but virtual sites, which
/// are built anew.
Mat3 affine_derivative(const Topology& topology, const NonbondedSettings& settings, const Box& box,
                       const std::vector<Vec3>& x, double h)
{
    const auto energy = [&](const support::Strain& strain) {
        const auto [strained_box, turn] = support::strained_cell(box, strain);
        std::vector<Vec3> y;
        for (const Vec3& p : x) {
            y.push_back(row_times(strain(p), turn));
        }
        return potential(topology, settings, strained_box, y);
    };
    return support::half_strain_derivative(box, energy, h);
}

template <class Term>
class PressureOfTerms : public ::testing::Test {
};
TYPED_TEST_SUITE(PressureOfTerms, support::AllTerms, support::TermNames);

/// One term of the typical parameters over a bent chain.
template <class Term>
Topology one_term()
{
    constexpr auto atoms = static_cast<std::size_t>(Term::atoms);
    Topology t = support::massive_atoms(std::vector<double>(atoms, 12.0));
    std::array<std::int32_t, atoms> tuple;
    for (std::size_t a = 0; a < atoms; ++a) {
        tuple[a] = static_cast<std::int32_t>(a);
    }
    t.table<Term>().add(tuple, Term::typical());
    return *finish(std::move(t));
}

TYPED_TEST(PressureOfTerms, IsTheDerivativeOfTheEnergyByStrain)
{
    constexpr bool is_restraint = TermVectors<typename TypeParam::Coordinates>::is_absolute;
    const Topology topology = one_term<TypeParam>();
    double worst = 0;
    for (const Cell& cell : cells) {
        const Box box(cell.vectors);
        std::vector<Vec3> x;
        for (const Vec3& p : test::bent_chain<TypeParam>()) {
            x.push_back(moved(box, p, x.size()));
        }
        const Mat3 found =
            single_point(std::make_shared<const Topology>(topology), without_pairs(), box, x, 1)
                .sums.virial();
        Mat3 expected;
        if constexpr (test::has_rigid_frame<TypeParam>()) {
            // the model's force moves S against D in a frame that stands still
            expected = support::half_strain_derivative(
                box,
                [&](const support::Strain& strain) {
                    std::vector<Vec3> y = x;
                    y[4] = y[3] + strain(box.shortest(x[4] - x[3]));
                    return potential(topology, without_pairs(), box, y);
                },
                step);
        } else if constexpr (is_restraint) {
            // the reference stays where it is; no turn of the cell, so off-diagonals are 0
            for (int k = 0; k < 3; ++k) {
                expected[k][k] = affine_derivative(topology, without_pairs(), box, x, step)[k][k];
            }
        } else {
            expected = affine_derivative(topology, without_pairs(), box, x, step);
        }

        const double size = support::largest_element(expected);
        const double error = support::largest_element(found - expected) / size;

        ASSERT_GT(size, 0) << cell.name;
        EXPECT_LT(error, tolerance) << cell.name;
        EXPECT_GT(support::largest_element((1 + 1e-4) * found - expected) / size, 10 * tolerance);
        worst = std::fmax(worst, error);
    }
    this->RecordProperty("worst", fmt::format("{:.1e}", worst));
}

/// Molecules of four charged atoms with one charged virtual site of every kind, and one on sites.
struct Sites {
    Topology topology;
    std::vector<Vec3> positions;
};
Sites molecules_with_sites(const Box& box, double apart)
{
    const std::vector<Vec3> shape = {
        {0.02, 0.01, 0.03}, {0.11, 0.04, -0.02}, {-0.03, 0.12, 0.01}, {0.04, -0.05, 0.12}};
    const std::vector<Vec3> places = {{0.1, 0.05, 0.0}, {apart, 0.9, 0.9}, {0.3, 1.3, 0.8}};
    std::vector<double> charge, mass;
    std::vector<std::int32_t> type;
    std::vector<std::array<std::int32_t, 2>> excluded;
    std::vector<VirtualSite> sites;
    std::vector<Vec3> x;
    for (const Vec3& place : places) {
        const auto o = static_cast<std::int32_t>(x.size());
        for (std::size_t a = 0; a < 13; ++a) {
            charge.push_back(0.3 - 0.09 * static_cast<double>(a * a % 7));
            type.push_back(a % 4 == 0 ? 0 : 1); // atoms and sites with Lennard-Jones
            mass.push_back(a < 4 ? 12.0 : 0.0);
            x.push_back(a < 4 ? moved(box, place + shape[a], a) : Vec3{});
            for (std::size_t b = 0; b < a; ++b) {
                excluded.push_back({o + static_cast<std::int32_t>(b), o + static_cast<int>(a)});
            }
        }
        const std::vector<VirtualSite> each = {
            {VirtualSiteKind::site2, 4, {0, 1}, {0.3}},
            {VirtualSiteKind::site2fd, 5, {0, 2}, {0.07}},
            {VirtualSiteKind::site3, 6, {1, 2, 3}, {0.3, 0.4}},
            {VirtualSiteKind::site3fd, 7, {0, 1, 3}, {0.4, 0.11}},
            {VirtualSiteKind::site3fad, 8, {0, 1, 2}, {0.09, 1.3}},
            {VirtualSiteKind::site3out, 9, {3, 0, 2}, {0.2, 0.3, 5.0}},
            {VirtualSiteKind::site4fdn, 10, {0, 1, 2, 3}, {1.1, 0.9, 0.06}},
            {VirtualSiteKind::siten, 11, {3, 1, 0}, {0.5, 0.3, 0.2}},
            {VirtualSiteKind::site3out, 12, {10, 7, 0}, {0.3, 0.1, -3.0}}};
        for (VirtualSite site : each) {
            site.site += o;
            for (std::int32_t& parent : site.parents) {
                parent += o;
            }
            sites.push_back(site);
        }
    }
    Topology t = support::free_atoms(charge, type, support::mixed_table({0.3, 0.0}, {0.6, 0.0}));
    t.mass = mass;
    t.virtual_sites = sites;
    for (const VirtualSite& site : sites) {
        t.kind[static_cast<std::size_t>(site.site)] = ParticleKind::virtual_site;
    }
    support::exclude(t, excluded);
    return {*finish(std::move(t)), x};
}

NonbondedSettings with_pme()
{
    NonbondedSettings s = without_pairs();
    s.lj_modifier = LjModifier::potential_switch;
    s.lj_switch = 0.5;
    s.electrostatics = Electrostatics::pme;
    s.ewald_beta = 4.2;
    s.pme_grid = {24, 25, 27};
    s.pme_order = 6; // sites move against the mesh: enough derivatives
    return s;
}

TEST(PressureOfVirtualSites, IsTheDerivativeOfTheEnergyByStrainOfTheAtoms)
{
    for (const Cell& cell : cells) {
        const Box box(cell.vectors);
        const NonbondedSettings settings = with_pme();
        Sites system;
        SinglePoint point;
        double apart = 0.9;
        do { // until no pair crosses the cut-off under the strains of the test
            apart += 0.01;
            ASSERT_LT(apart, 1.3);
            system = molecules_with_sites(box, apart);
            point = single_point(std::make_shared<const Topology>(system.topology), settings, box,
                                 system.positions, 1);
        } while (support::has_pair_near(box, point.positions, 0.7, 5 * step * 0.7));

        const Mat3 expected =
            affine_derivative(system.topology, settings, box, system.positions, step);

        const double size = support::largest_element(expected);
        const double error = support::largest_element(point.sums.virial() - expected) / size;
        EXPECT_LT(error, tolerance) << cell.name;
        RecordProperty("worst", fmt::format("{:.1e}", error));
    }
}

/// Rigid waters with the charge on a site, broken over the faces, a methyl group with its bonds to
/// hydrogen constrained, ions.
struct Groups {
    Topology topology;
    State state;
};
Groups rigid_molecules(const Box& box)
{
    std::vector<double> charge, mass;
    std::vector<std::int32_t> type;
    std::vector<std::array<std::int32_t, 2>> excluded;
    std::vector<RigidWater> waters;
    std::vector<DistanceConstraint> constraints;
    std::vector<VirtualSite> sites;
    std::vector<Vec3> x;
    const auto add = [&](double q, double m, std::int32_t t, const Vec3& at) {
        charge.push_back(q);
        mass.push_back(m);
        type.push_back(t);
        x.push_back(at);
        return static_cast<std::int32_t>(x.size()) - 1;
    };
    const auto exclude_since = [&](std::int32_t first) {
        for (auto b = first; b < static_cast<std::int32_t>(x.size()); ++b) {
            for (auto a = first; a < b; ++a) {
                excluded.push_back({a, b});
            }
        }
    };
    const support::WaterLattice lattice = support::water_lattice(2, 0.62);
    for (const RigidWater& w : lattice.topology.rigid_waters) {
        const auto at = [&](std::int32_t a) {
            return lattice.positions[static_cast<std::size_t>(a)] + Vec3{-0.3, -0.25, -0.32};
        };
        const std::int32_t o = add(0, 15.9994, 0, at(w.o));
        add(0.52, 1.008, 1, at(w.h1));
        add(0.52, 1.008, 1, at(w.h2));
        add(-1.04, 0, 1, {});
        waters.push_back({o, o + 1, o + 2, w.d_oh, w.d_hh});
        sites.push_back({VirtualSiteKind::site3, o + 3, {o, o + 1, o + 2}, {0.13, 0.13}});
        exclude_since(o);
    }
    const std::int32_t c = add(-0.27, 12.011, 0, {0.32, 0.31, 0.33});
    for (const Vec3& h : {Vec3{0.1, 0.03, -0.03}, {-0.04, 0.1, -0.02}, {-0.05, -0.06, -0.08}}) {
        const std::int32_t k = add(0.09, 1.008, 1, x[static_cast<std::size_t>(c)] + h);
        constraints.push_back({c, k, norm(h)});
    }
    exclude_since(c);
    add(1, 23, 0, {1.35, 1.3, 1.25});

    Groups out{support::free_atoms(charge, type, support::mixed_table({0.3, 0.0}, {0.6, 0.0})), {}};
    out.topology.mass = mass;
    out.topology.rigid_waters = waters;
    out.topology.constraints = constraints;
    out.topology.virtual_sites = sites;
    for (const VirtualSite& site : sites) {
        out.topology.kind[static_cast<std::size_t>(site.site)] = ParticleKind::virtual_site;
    }
    support::exclude(out.topology, excluded);
    out.topology = *finish(std::move(out.topology));
    out.state = support::at_positions(x, std::vector<Vec3>(x.size()), PositionGrid(box).box());
    return out;
}

/// What a barostat acts on: whole groups, their forces, and the virial of groups as points.
struct Measured {
    std::vector<Vec3> positions;
    Mat3 virial;
};
Measured measure(const Groups& system, const ConstraintPlan& plan)
{
    std::vector<Vec3> broken; // as files hand them over
    for (const GridPosition& g : system.state.position) {
        broken.push_back(system.state.box.wrap(to_nm(g)));
    }
    const SinglePoint point = single_point(std::make_shared<const Topology>(system.topology),
                                           with_pme(), system.state.box, broken, 1);
    std::vector<GridPosition> whole;
    ForceSums forces(broken.size(), SumMode::exact);
    for (std::size_t a = 0; a < broken.size(); ++a) {
        whole.push_back(to_grid(point.positions[a]));
        forces.add(a, point.forces[a]);
    }
    make_groups_whole(system.topology, plan, system.state.box, whole);
    const GroupMotion groups = measure_groups(*plan.update_groups, system.topology.mass, whole,
                                              system.state.velocity, forces, 1);
    Measured out{{}, point.sums.virial() + groups.virial_correction};
    for (const GridPosition& g : whole) {
        out.positions.push_back(to_nm(g));
    }
    return out;
}

TEST(PressureOfRigidGroups, IsTheDerivativeOfTheEnergyByStrainOfTheirCentres)
{
    for (const Cell& cell : cells) {
        const Groups system = rigid_molecules(Box(cell.vectors));
        const Box& box = system.state.box;
        const ConstraintPlan plan = make_constraint_plan(system.topology);
        const Measured measured = measure(system, plan);
        ASSERT_FALSE(support::has_pair_near(box, measured.positions, 0.7, 5 * step * 0.7));
        const std::vector<double>& mass = system.topology.mass;

        const Mat3 expected = support::half_strain_derivative(
            box,
            [&](const support::Strain& strain) {
                const auto [strained_box, turn] = support::strained_cell(box, strain);
                std::vector<Vec3> y = measured.positions;
                for (std::size_t g = 0; g < plan.update_groups->rows(); ++g) {
                    Vec3 centre;
                    double total = 0;
                    for (const auto* a = plan.update_groups->begin(g);
                         a != plan.update_groups->end(g); ++a) {
                        const auto atom = static_cast<std::size_t>(*a);
                        centre += mass[atom] * measured.positions[atom];
                        total += mass[atom];
                    }
                    centre = (1 / total) * centre;
                    for (const auto* a = plan.update_groups->begin(g);
                         a != plan.update_groups->end(g); ++a) {
                        y[static_cast<std::size_t>(*a)] += strain(centre) - centre;
                    }
                }
                for (Vec3& p : y) {
                    p = row_times(p, turn);
                }
                return potential(system.topology, with_pme(), strained_box, y);
            },
            step);

        const double size = support::largest_element(expected);
        const double error = support::largest_element(measured.virial - expected) / size;
        EXPECT_LT(error, tolerance) << cell.name;
        RecordProperty("worst", fmt::format("{:.1e}", error));
    }
}

TEST(PressureOfRigidGroups, IsTheDerivativeOfTheEnergyByTheScalingOfABarostat)
{
    for (const Cell& cell : cells) {
        const Groups system = rigid_molecules(Box(cell.vectors));
        const Box& box = system.state.box;
        const ConstraintPlan plan = make_constraint_plan(system.topology);
        const Measured measured = measure(system, plan);
        const auto energy = [&](double stretch) {
            State scaled = support::at_positions(measured.positions, system.state.velocity,
                                                 PositionGrid(Box(stretch * box.vectors())).box());
            scale_groups(*plan.update_groups, system.topology.mass, box, scaled.box, 1 / stretch,
                         scaled.position, scaled.velocity, 1);
            std::vector<Vec3> y;
            for (const GridPosition& g : scaled.position) {
                y.push_back(to_nm(g));
            }
            return potential(system.topology, with_pme(), scaled.box, y);
        };
        const auto slope = [&](double h) { return (energy(1 + h) - energy(1 - h)) / (2 * h); };

        // dU/d ln(edge) = 2 tr virial
        const double expected = (4 * slope(step) - slope(2 * step)) / 3;

        EXPECT_NEAR(2 * trace(measured.virial) / expected, 1, tolerance) << cell.name;
    }
}

} // namespace
} // namespace tessera
