#include "engine/cpu/dispersion_correction.hpp"
#include "engine/cpu/exclusion_corrections.hpp"
#include "engine/cpu/listed.hpp"
#include "engine/cpu/long_range.hpp"
#include "engine/cpu/mesh_c6.hpp"
#include "engine/cpu/nonbonded.hpp"
#include "engine/cpu/virtual_sites.hpp"
#include "engine/simulation/single_point.hpp"
#include "tests/support/strain.hpp"
#include "tests/support/waters.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>

// The virial of every pair form, mesh and correction is half the derivative of the energy by a
// strain of cell and atoms: flexible four-site waters and ions of a net charge, each atom wrapped
// by itself, in three kinds of cell.
namespace tessera
{
namespace
{

constexpr double step = 2e-4;
/// Of the largest contribution: rounding of energies (some 1e-10 kJ/mol) over the step, and h^4.
constexpr double tolerance = 1e-7;

struct Cell {
    const char* name;
    Mat3 vectors;
    friend void PrintTo(const Cell& cell, std::ostream* out) { *out << cell.name; }
};
const Cell cells[] = {
    {"rectangular", {{{1.75, 0, 0}, {0, 1.85, 0}, {0, 0, 1.95}}}},
    {"tilted", {{{1.85, 0, 0}, {0.5, 1.8, 0}, {-0.7, 0.6, 1.9}}}},
    // rhombic dodecahedron of edge 2.4 nm, as files round it
    {"dodecahedron", {{{2.4, 0, 0}, {0, 2.4, 0}, {1.2, 1.2, 1.69706}}}},
};

struct Form {
    const char* name;
    NonbondedSettings settings;
    bool has_c4 = false;
    friend void PrintTo(const Form& form, std::ostream* out) { *out << form.name; }
};

NonbondedSettings plain()
{
    NonbondedSettings s;
    s.lj_cutoff = 0.74;
    s.lj_switch = 0.55;
    s.coulomb_cutoff = 0.7;
    s.lj_modifier = LjModifier::none;
    s.electrostatics = Electrostatics::none;
    s.ewald_beta = 4.2;
    s.lj_ewald_beta = 3.1;
    s.pme_grid = {18, 16, 21};
    return s;
}

std::vector<Form> forms()
{
    using S = NonbondedSettings;
    std::vector<Form> all;
    const auto add = [&](const char* name, auto change, bool has_c4 = false) {
        S s = plain();
        change(s);
        all.push_back({name, s, has_c4});
    };
    const auto modified = [&](LjModifier m) { return [m](S& s) { s.lj_modifier = m; }; };
    add("lj", modified(LjModifier::none));
    add("lj_potential_shift", modified(LjModifier::potential_shift));
    add("lj_force_switch", modified(LjModifier::force_switch));
    add("lj_potential_switch", modified(LjModifier::potential_switch));
    add("c4", modified(LjModifier::none), true);
    add("c4_potential_shift", modified(LjModifier::potential_shift), true);
    add("c4_force_switch", modified(LjModifier::force_switch), true);
    add("c4_potential_switch", modified(LjModifier::potential_switch), true);
    add("coulomb_cutoff", [](S& s) { s.electrostatics = Electrostatics::cutoff; });
    add("coulomb_shift", [](S& s) {
        s.electrostatics = Electrostatics::cutoff;
        s.coulomb_potential_shift = true;
    });
    add("reaction_field", [](S& s) { s.electrostatics = Electrostatics::reaction_field; });
    add("reaction_field_infinite", [](S& s) {
        s.electrostatics = Electrostatics::reaction_field;
        s.reaction_field_permittivity = std::numeric_limits<double>::infinity();
    });
    add("ewald", [](S& s) { s.electrostatics = Electrostatics::ewald; });
    const auto mesh = [](int order) {
        return [order](S& s) {
            s.electrostatics = Electrostatics::pme;
            s.pme_order = order;
        };
    };
    add("pme_order3", mesh(3));
    add("pme_order4", mesh(4));
    add("pme_order5", mesh(5));
    add("pme_order6", mesh(6));
    add("pme_order8", mesh(8));
    add("pme_order12", mesh(12));
    add("pme_potential_shift", [](S& s) {
        s.electrostatics = Electrostatics::pme;
        s.coulomb_potential_shift = true;
    });
    const auto dispersion_mesh = [](LjCombination mixing, LjModifier modifier) {
        return [=](S& s) {
            s.lj_pme = true;
            s.lj_combination = mixing;
            s.lj_modifier = modifier;
        };
    };
    add("lj_pme_geometric", dispersion_mesh(LjCombination::geometric, LjModifier::none));
    add("lj_pme_geometric_shift",
        dispersion_mesh(LjCombination::geometric, LjModifier::potential_shift));
    add("lj_pme_lorentz_berthelot",
        dispersion_mesh(LjCombination::lorentz_berthelot, LjModifier::none));
    add("lj_pme_lorentz_berthelot_shift",
        dispersion_mesh(LjCombination::lorentz_berthelot, LjModifier::potential_shift));
    const auto tail = [](DispersionCorrection correction, LjModifier modifier) {
        return [=](S& s) {
            s.dispersion_correction = correction;
            s.lj_modifier = modifier;
        };
    };
    add("tail_energy", tail(DispersionCorrection::energy, LjModifier::potential_shift));
    add("tail", tail(DispersionCorrection::energy_and_pressure, LjModifier::none));
    add("tail_potential_shift",
        tail(DispersionCorrection::energy_and_pressure, LjModifier::potential_shift));
    add("tail_force_switch",
        tail(DispersionCorrection::energy_and_pressure, LjModifier::force_switch));
    add("tail_potential_switch",
        tail(DispersionCorrection::energy_and_pressure, LjModifier::potential_switch));
    return all;
}

/// Waters and ions none of whose pairs crosses a cut-off (where an energy may jump) under the
/// strains of the test.
support::System fluid(const Mat3& cell, const Form& form)
{
    const Box box(cell);
    constexpr int tries = 2000;
    for (unsigned seed = 1; seed < tries; ++seed) {
        support::System system = support::waters_and_ions(8, 3, cell, seed);
        const auto at_once = [&](double distance) {
            return support::has_pair_near(box, system.positions, distance, 5 * step * distance);
        };
        for (std::size_t s = 3; s < 32; s += 4) { // where the charges are
            const Vec3 o = system.positions[s - 3];
            system.positions[s] =
                o + 0.128 * (system.positions[s - 2] + system.positions[s - 1] - 2.0 * o);
        }
        if (at_once(form.settings.lj_cutoff) || at_once(form.settings.coulomb_cutoff)) {
            continue;
        }
        for (Vec3& x : system.positions) {
            x = box.wrap(x);
        }
        // Lennard-Jones on hydrogens too: excluded pairs that a dispersion mesh holds
        system.topology.pairs = support::mixed_table({0.315, 0.12, 0.25}, {0.65, 0.1, 0.2});
        if (form.has_c4) {
            system.topology.pairs.c4.assign(9, 0.0);
            for (const auto at : {0U, 2U, 6U, 8U}) { // oxygens and ions
                system.topology.pairs.c4[at] = 0.004 + 0.001 * at;
            }
        }
        return system;
    }
    std::abort(); // no seed will do
}

/// Virials of the engine's contributions, each by itself.
struct Part {
    const char* name;
    Mat3 virial;
};
std::vector<Part> parts(const support::System& system, const NonbondedSettings& settings)
{
    const Topology& topology = system.topology;
    const Box box(system.cell);
    const Wanted wanted{true, true};
    std::vector<Vec3> x = system.positions;
    VirtualSites(topology).construct(box, x);
    std::vector<Part> all;
    const auto add = [&](const char* name, const auto& compute) {
        ForceSums forces(x.size(), SumMode::exact);
        EnergySums sums;
        compute(forces, sums);
        all.push_back({name, sums.virial()});
    };
    add("pairs", [&](ForceSums& forces, EnergySums& sums) {
        Nonbonded pairs(topology, settings);
        pairs.search(box, x);
        pairs.add_forces(box, x, wanted, 1, forces, sums);
    });
    add("exclusions", [&](ForceSums& forces, EnergySums& sums) {
        const PositionGrid grid(box);
        ExclusionCorrections(std::make_shared<const Topology>(topology),
                             make_pair_form(settings, topology.coulomb_constant),
                             make_mesh_c6(topology.pairs, settings.lj_combination))
            .add_forces(grid, x, wanted, 1, forces, sums);
    });
    add("mesh", [&](ForceSums& forces, EnergySums& sums) {
        LongRange(topology, settings).add_forces(box, x, wanted, 1, forces, sums);
    });
    add("terms", [&](ForceSums& forces, EnergySums& sums) {
        Listed(topology).add_forces(box, x, wanted, 1, forces, sums);
    });
    add("tail", [&](ForceSums&, EnergySums& sums) {
        DispersionTail(topology, settings).add(box, wanted, sums);
    });
    return all;
}

double largest(const std::vector<Part>& parts)
{
    double size = 0;
    for (const Part& part : parts) {
        size = std::fmax(size, support::largest_element(part.virial));
    }
    return size;
}

/// What the strain of a uniform fluid carries across a plain cut-off: pairs leave with the energy
/// u(rc) = -c6/rc^6 of each. dU/de_kk = -u(rc) N^2/(2V) integral over the sphere of rc n_k^2. A
/// tail's virial holds it, though single pairs that cross are not seen in a derivative.
Mat3 crossing_virial(const Topology& t, const NonbondedSettings& s, double volume)
{
    double c6 = 0, pairs = 0;
    for (std::int32_t a = 0; a < t.atoms(); ++a) {
        for (std::int32_t b = 0; b < a; ++b) {
            const auto row = static_cast<std::size_t>(a);
            if (std::find(t.exclusions.begin(row), t.exclusions.end(row), b) ==
                t.exclusions.end(row)) {
                c6 += t.pairs.c6[t.pairs.at(t.type[row], t.type[static_cast<std::size_t>(b)])];
                pairs += 1;
            }
        }
    }
    const double n = t.atoms(), rc = s.lj_cutoff;
    const double leaving = n * n / (2 * volume) * rc * 4 * std::acos(-1.0) * rc * rc / 3;
    return (0.5 * leaving * (c6 / pairs) * std::pow(rc, -6)) * identity3();
}

/// Half the derivative of the engine's energy, as far as its virial is to hold it.
Mat3 expected_virial(const support::System& system, const NonbondedSettings& settings)
{
    const auto topology = std::make_shared<const Topology>(system.topology);
    const Box box(system.cell);
    const bool with_tail = settings.dispersion_correction != DispersionCorrection::energy;
    const auto energy = [&](const support::Strain& strain) {
        const auto [strained_box, turn] = support::strained_cell(box, strain);
        std::vector<Vec3> x;
        for (const Vec3& p : system.positions) {
            x.push_back(row_times(strain(p), turn));
        }
        const SinglePoint point = single_point(topology, settings, strained_box, x, 1);
        return point.sums.potential() -
               (with_tail ? 0.0 : point.sums.energy(EnergyKind::dispersion_correction));
    };
    Mat3 expected = support::half_strain_derivative(box, energy, step);
    if (settings.dispersion_correction == DispersionCorrection::energy_and_pressure &&
        settings.lj_modifier == LjModifier::none) {
        expected += crossing_virial(system.topology, settings, box.volume());
    }
    return expected;
}

class PressureOfPairs : public testing::TestWithParam<std::tuple<Form, Cell>> {};

TEST_P(PressureOfPairs, IsTheDerivativeOfTheEnergyByStrain)
{
    const auto& [form, cell] = GetParam();
    const support::System system = fluid(cell.vectors, form);
    const auto topology = std::make_shared<const Topology>(system.topology);
    const auto computed = [&](Precision precision) {
        NonbondedSettings s = form.settings;
        s.precision = precision;
        return single_point(topology, s, Box(cell.vectors), system.positions, 2);
    };
    const Mat3 expected = expected_virial(system, form.settings);
    const std::vector<Part> contributions = parts(system, form.settings);
    const double size = largest(contributions);
    const auto error = [&](const Mat3& virial) {
        return support::largest_element(virial - expected) / size;
    };

    const SinglePoint fp64 = computed(Precision::fp64);
    const SinglePoint mixed = computed(Precision::mixed);

    const Mat3 found = fp64.sums.virial();
    EXPECT_LT(error(found), tolerance);
    double moments2 = 0; // 1/2 x F of each atom: mixed forces err by 5e-6, atoms independently
    for (std::size_t a = 0; a < fp64.forces.size(); ++a) {
        moments2 += 0.25 * norm2(fp64.positions[a]) * norm2(fp64.forces[a]);
    }
    const double share = std::sqrt(moments2) / size;
    EXPECT_LT(error(mixed.sums.virial()), 5e-6 * share); // docs/accuracy.md
    RecordProperty("fp64", fmt::format("{:.1e}", error(found)));
    RecordProperty("mixed", fmt::format("{:.1e}, of the moments {:.1e}", error(mixed.sums.virial()),
                                        error(mixed.sums.virial()) / share));
    // negative control: a contribution that is off by one in ten thousand, or a small one that
    // is left out, would be seen
    for (const Part& part : contributions) {
        const double own = support::largest_element(part.virial);
        if (own > 0) {
            EXPECT_GT(error(found + (own > 0.02 * size ? 1e-4 : -1.0) * part.virial),
                      10 * tolerance)
                << part.name;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Forms, PressureOfPairs,
                         testing::Combine(testing::ValuesIn(forms()), testing::ValuesIn(cells)),
                         [](const auto& test) {
                             return std::string(std::get<0>(test.param).name) + "_" +
                                    std::get<1>(test.param).name;
                         });

} // namespace
} // namespace tessera
