#include "forcefields/gromacs_functions.hpp"

#include "engine/math/units.hpp"

#include <array>
#include <cmath>

namespace tessera
{

namespace
{

using enum BondedFamily;

constexpr std::array functions = {
    BondedFunction{bond, 1, 2, 2, "harmonic bond", true},
    BondedFunction{bond, 2, 2, 2, "GROMOS-96 bond", true},
    BondedFunction{bond, 3, 3, 3, "Morse bond", true},
    BondedFunction{bond, 4, 3, 0, "cubic bond", true},
    BondedFunction{bond, 5, 0, 0, "connection", true},
    BondedFunction{bond, 6, 2, 2, "harmonic potential"},
    BondedFunction{bond, 7, 2, 0, "FENE bond", true},
    BondedFunction{bond, 8, 2, 2, "tabulated bond", true, true},
    BondedFunction{bond, 9, 2, 2, "tabulated bond without exclusion", false, true},
    BondedFunction{bond, 10, 4, 4, "restraint potential"},
    BondedFunction{angle, 1, 2, 2, "harmonic angle"},
    BondedFunction{angle, 2, 2, 2, "GROMOS-96 angle"},
    BondedFunction{angle, 3, 3, 0, "bond-bond cross term"},
    BondedFunction{angle, 4, 4, 0, "bond-angle cross term"},
    BondedFunction{angle, 5, 4, 4, "Urey-Bradley angle"},
    BondedFunction{angle, 6, 6, 0, "quartic angle"},
    BondedFunction{angle, 8, 2, 2, "tabulated angle", false, true},
    BondedFunction{angle, 9, 2, 2, "linear angle"},
    BondedFunction{angle, 10, 2, 2, "restricted angle"},
    BondedFunction{dihedral, 1, 3, 3, "proper dihedral"},
    BondedFunction{dihedral, 2, 2, 2, "harmonic improper"},
    BondedFunction{dihedral, 3, 6, 6, "Ryckaert-Bellemans dihedral"},
    BondedFunction{dihedral, 4, 3, 3, "periodic improper"},
    BondedFunction{dihedral, 5, 4, 4, "Fourier dihedral"},
    BondedFunction{dihedral, 8, 2, 2, "tabulated dihedral", false, true},
    BondedFunction{dihedral, 9, 3, 3, "proper dihedral (several lines)"},
    BondedFunction{dihedral, 10, 2, 2, "restricted dihedral"},
    BondedFunction{dihedral, 11, 6, 6, "combined bending-torsion"},
    BondedFunction{constraint, 1, 1, 1, "constraint", true},
    BondedFunction{constraint, 2, 1, 1, "constraint without exclusion"},
};

double radians(double degrees)
{
    return degrees * units::degree;
}

std::array<std::int32_t, 2> ordered(std::span<const std::int32_t> a)
{
    return {std::min(a[0], a[1]), std::max(a[0], a[1])};
}

void add_bond(Topology& t, int function, std::span<const std::int32_t> a, std::span<const double> p)
{
    const std::array pair = {a[0], a[1]};
    switch (function) {
    case 1:
    case 6:
        t.table<HarmonicBond>().add(pair, {.k = p[1], .r0 = p[0]});
        break;
    case 2:
        t.table<G96Bond>().add(pair, {.k = p[1], .r0 = p[0]});
        break;
    case 3:
        t.table<MorseBond>().add(pair, {.depth = p[1], .steepness = p[2], .r0 = p[0]});
        break;
    case 4:
        t.table<CubicBond>().add(pair, {.k = p[1], .k_cubic = p[2], .r0 = p[0]});
        break;
    case 7:
        t.table<FeneBond>().add(pair, {.k = p[1], .r_max = p[0]});
        break;
    case 10:
        t.table<RestraintBond>().add(pair, {.k = p[3], .low = p[0], .up1 = p[1], .up2 = p[2]});
        break;
    default:
        break; // 5, a connection, has no energy
    }
    if (function <= 5 || function == 7) {
        t.bonds.push_back(ordered(a));
    }
}

void add_angle(Topology& t, int function, std::span<const std::int32_t> a,
               std::span<const double> p)
{
    const std::array triple = {a[0], a[1], a[2]};
    switch (function) {
    case 1:
        t.table<HarmonicAngle>().add(triple, {.k = p[1], .theta0 = radians(p[0])});
        break;
    case 2:
        t.table<G96Angle>().add(triple, {.k = p[1], .cos_theta0 = std::cos(radians(p[0]))});
        break;
    case 3:
        t.table<CrossBondBond>().add(triple, {.k = p[2], .r1 = p[0], .r2 = p[1]});
        break;
    case 4:
        t.table<CrossBondAngle>().add(triple, {.k = p[3], .r1 = p[0], .r2 = p[1], .r3 = p[2]});
        break;
    case 5:
        t.table<UreyBradley>().add(triple,
                                   {.k = p[1], .theta0 = radians(p[0]), .k_ub = p[3], .r13 = p[2]});
        break;
    case 6:
        t.table<QuarticAngle>().add(
            triple,
            {.theta0 = radians(p[0]), .c0 = p[1], .c1 = p[2], .c2 = p[3], .c3 = p[4], .c4 = p[5]});
        break;
    case 9:
        t.table<LinearAngle>().add(triple, {.a = p[0], .k = p[1]});
        break;
    case 10:
        t.table<RestrictedAngle>().add(triple, {.k = p[1], .cos_theta0 = std::cos(radians(p[0]))});
        break;
    default:
        break;
    }
}

void add_dihedral(Topology& t, int function, std::span<const std::int32_t> a,
                  std::span<const double> p)
{
    const std::array quad = {a[0], a[1], a[2], a[3]};
    switch (function) {
    case 1:
    case 9:
        t.table<PeriodicDihedral>().add(quad,
                                        {.k = p[1], .phi0 = radians(p[0]), .multiplicity = p[2]});
        break;
    case 4:
        t.table<PeriodicImproper>().add(quad,
                                        {.k = p[1], .phi0 = radians(p[0]), .multiplicity = p[2]});
        break;
    case 2:
        t.table<HarmonicImproper>().add(quad, {.k = p[1], .xi0 = radians(p[0])});
        break;
    case 3:
        t.table<RyckaertBellemans>().add(quad, {p[0], p[1], p[2], p[3], p[4], p[5]});
        break;
    case 5:
        // 1/2 [F1 (1 + cos) + F2 (1 - cos 2) + F3 (1 + cos 3) + F4 (1 - cos 4)] in powers of cos
        t.table<RyckaertBellemans>().add(quad, {.c0 = p[1] + 0.5 * (p[0] + p[2]),
                                                .c1 = 0.5 * (3.0 * p[2] - p[0]),
                                                .c2 = 4.0 * p[3] - p[1],
                                                .c3 = -2.0 * p[2],
                                                .c4 = -4.0 * p[3],
                                                .c5 = 0.0});
        break;
    case 10:
        t.table<RestrictedDihedral>().add(quad, {.k = p[1], .cos_phi0 = std::cos(radians(p[0]))});
        break;
    case 11:
        t.table<CombinedBendingTorsion>().add(quad, {p[0], p[1], p[2], p[3], p[4], p[5]});
        break;
    default:
        break;
    }
}

} // namespace

std::string_view directive_of(BondedFamily family)
{
    switch (family) {
    case bond:
        return "bonds";
    case angle:
        return "angles";
    case dihedral:
        return "dihedrals";
    case constraint:
        break;
    }
    return "constraints";
}

std::string_view types_directive_of(BondedFamily family)
{
    switch (family) {
    case bond:
        return "bondtypes";
    case angle:
        return "angletypes";
    case dihedral:
        return "dihedraltypes";
    case constraint:
        break;
    }
    return "constrainttypes";
}

const BondedFunction* find_function(BondedFamily family, int function)
{
    for (const BondedFunction& one : functions) {
        if (one.family == family && one.function == function) {
            return &one;
        }
    }
    return nullptr;
}

void add_bonded(Topology& topology, const BondedFunction& function,
                std::span<const std::int32_t> atom, std::span<const double> p)
{
    switch (function.family) {
    case bond:
        add_bond(topology, function.function, atom, p);
        break;
    case angle:
        add_angle(topology, function.function, atom, p);
        break;
    case dihedral:
        add_dihedral(topology, function.function, atom, p);
        break;
    case constraint:
        topology.constraints.push_back({atom[0], atom[1], p[0]});
        topology.bonds.push_back(ordered(atom));
        break;
    }
}

} // namespace tessera
