#include "forcefields/gromacs_molecule.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tessera
{

namespace
{

bool all_positive(const std::vector<double>& p, std::size_t first, std::size_t last)
{
    return std::all_of(p.begin() + static_cast<std::ptrdiff_t>(first),
                       p.begin() + static_cast<std::ptrdiff_t>(last),
                       [](double value) { return value > 0; });
}

} // namespace

void GromacsMoleculeReader::read_polarization(const GromacsRow& row)
{
    const auto atoms = atoms_of_row(row, 2);
    const auto function = report_.integer(row, 2, "the function type");
    const auto p = report_.numbers(row, 3);
    if (!atoms || !function || !p) {
        return;
    }
    const std::size_t wanted = *function == 1 ? 1 : 3;
    if (*function < 1 || *function > 2 || p->size() != wanted || !all_positive(*p, 0, 1)) {
        report_.error(row, {},
                      "a [ polarization ] line is atom, shell, the function type and a "
                      "polarizability above 0 (nm^3); function type 2 has a distance (nm) and a "
                      "force constant (kJ/mol/nm^4) in addition");
        return;
    }
    const double shell = molecule_.parts.charge[static_cast<std::size_t>((*atoms)[1])];
    const double k = coulomb_constant_ * shell * shell / (*p)[0];
    const std::array pair = {(*atoms)[0], (*atoms)[1]};
    if (*function == 1) {
        molecule_.parts.table<Polarization>().add(pair, {.k = k});
    } else {
        molecule_.parts.table<AnharmonicPolarization>().add(
            pair, {.k = k, .r_cut = (*p)[1], .k_hyper = (*p)[2]});
    }
}

void GromacsMoleculeReader::read_water_polarization(const GromacsRow& row)
{
    // O H1 H2 D S function al_x al_y al_z r_OH r_HH r_OD
    const auto atoms = atoms_of_row(row, 5);
    const auto function = report_.integer(row, 5, "the function type");
    const auto p = report_.numbers(row, 6);
    if (!atoms || !function || !p) {
        return;
    }
    if (*function != 1 || p->size() != 6 || !all_positive(*p, 0, 6)) {
        report_.error(
            row, {},
            "a [ water_polarization ] line is O, H, H, D, shell, the function type 1, three "
            "polarizabilities (nm^3) and three distances (nm), all above 0");
        return;
    }
    const double shell = molecule_.parts.charge[static_cast<std::size_t>((*atoms)[4])];
    const double k = coulomb_constant_ * shell * shell;
    molecule_.parts.table<WaterPolarization>().add(
        {(*atoms)[0], (*atoms)[1], (*atoms)[2], (*atoms)[3], (*atoms)[4]},
        {.k_x = k / (*p)[0], .k_y = k / (*p)[1], .k_z = k / (*p)[2], .r_hh = (*p)[4]});
}

void GromacsMoleculeReader::read_thole_polarization(const GromacsRow& row)
{
    // core 1, shell 1, core 2, shell 2, function, a, alpha 1, alpha 2
    const auto atoms = atoms_of_row(row, 4);
    const auto function = report_.integer(row, 4, "the function type");
    const auto p = report_.numbers(row, 5);
    if (!atoms || !function || !p) {
        return;
    }
    if (*function != 1 || p->size() != 3 || !all_positive(*p, 0, 3)) {
        report_.error(
            row, {},
            "a [ thole_polarization ] line is core, shell, core, shell, the function type "
            "1, the damping a and two polarizabilities (nm^3), all above 0");
        return;
    }
    const Topology& t = molecule_.parts;
    const double shells = t.charge[static_cast<std::size_t>((*atoms)[1])] *
                          t.charge[static_cast<std::size_t>((*atoms)[3])];
    molecule_.parts.table<TholePolarization>().add(
        {(*atoms)[0], (*atoms)[1], (*atoms)[2], (*atoms)[3]},
        {.strength = coulomb_constant_ * shells,
         .screening = (*p)[0] / std::pow((*p)[1] * (*p)[2], 1.0 / 6.0)});
}

} // namespace tessera
