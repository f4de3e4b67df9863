#include "engine/math/units.hpp"
#include "forcefields/amber_parameters.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tessera::amber
{

PairCoefficients read_pair_coefficients(const Source& source)
{
    AmberSections& file = source.file;
    const std::int64_t types = source.pointers.types;
    const auto rows = static_cast<std::size_t>(types * (types + 1) / 2);
    const std::string why = "NTYPES (NTYPES + 1) / 2";
    PairCoefficients pairs;
    pairs.types = static_cast<std::int32_t>(types);
    pairs.index = file.integers("NONBONDED_PARM_INDEX", static_cast<std::size_t>(types * types),
                                "NTYPES squared");
    pairs.a = file.reals("LENNARD_JONES_ACOEF", rows, why);
    pairs.b = file.reals("LENNARD_JONES_BCOEF", rows, why);
    constexpr double largest = 1e30; // kcal/mol A^12: two atoms of 20 nm
    const auto refuse_meaningless = [&](std::string_view flag, const std::vector<double>& values) {
        for (std::size_t k = 0; k < values.size(); ++k) {
            if (!(values[k] >= 0 && values[k] < largest)) {
                file.error(
                    flag, static_cast<std::int64_t>(k),
                    fmt::format("a coefficient of {} (0 to {} can be meant)", values[k], largest),
                    "correct the value");
                return;
            }
        }
    };
    refuse_meaningless("LENNARD_JONES_ACOEF", pairs.a);
    refuse_meaningless("LENNARD_JONES_BCOEF", pairs.b);
    pairs.a14 = pairs.a;
    pairs.b14 = pairs.b;
    if (source.chamber && file.has("LENNARD_JONES_14_ACOEF")) {
        pairs.a14 = file.reals("LENNARD_JONES_14_ACOEF", rows, why);
        pairs.b14 = file.reals("LENNARD_JONES_14_BCOEF", rows, why);
    }
    if (file.has("LENNARD_JONES_CCOEF")) {
        pairs.c = file.reals("LENNARD_JONES_CCOEF", rows, why);
    }
    const auto hydrogen_bonds = static_cast<std::size_t>(source.pointers.hydrogen_bond_types);
    const auto hbond_a = file.reals("HBOND_ACOEF", hydrogen_bonds, "POINTERS NPHB");
    const auto hbond_b = file.reals("HBOND_BCOEF", hydrogen_bonds, "POINTERS NPHB");

    bool refused = false;
    for (std::size_t k = 0; k < pairs.index.size(); ++k) {
        const std::int64_t row = pairs.index[k];
        const auto place = static_cast<std::int64_t>(k);
        if (row > static_cast<std::int64_t>(rows) ||
            -row > static_cast<std::int64_t>(hydrogen_bonds)) {
            file.error("NONBONDED_PARM_INDEX", place,
                       fmt::format("{} names no pair of parameters (there are {}, and {} of 10-12 "
                                   "hydrogen bonds)",
                                   row, rows, hydrogen_bonds),
                       "the file is damaged: write it anew");
            pairs.index[k] = 0;
        } else if (row < 0) {
            const auto h = static_cast<std::size_t>(-row - 1);
            if ((hbond_a[h] != 0 || hbond_b[h] != 0) && !refused) {
                refused = true;
                file.error(
                    "HBOND_ACOEF", static_cast<std::int64_t>(h),
                    "10-12 hydrogen bonds are not supported (their coefficients are not zero)",
                    "use a force field of 1994 or later, which has none");
            }
            pairs.index[k] = 0;
        }
    }
    for (std::int64_t i = 0; i < types; ++i) {
        for (std::int64_t j = 0; j < i; ++j) {
            if (pairs.index[static_cast<std::size_t>(i * types + j)] !=
                pairs.index[static_cast<std::size_t>(j * types + i)]) {
                file.error("NONBONDED_PARM_INDEX", i * types + j,
                           fmt::format("types {} and {} have other parameters than types {} and {}",
                                       i + 1, j + 1, j + 1, i + 1),
                           "the table must be symmetric: write the file anew");
            }
        }
    }

    const double nm2 = units::angstrom * units::angstrom;
    const double nm6 = nm2 * nm2 * nm2;
    const auto scale = [](std::vector<double>& values, double factor) {
        for (double& v : values) {
            v *= factor;
        }
    };
    scale(pairs.a, units::kilocalorie * nm6 * nm6);
    scale(pairs.b, units::kilocalorie * nm6);
    scale(pairs.a14, units::kilocalorie * nm6 * nm6);
    scale(pairs.b14, units::kilocalorie * nm6);
    scale(pairs.c, units::kilocalorie * nm2 * nm2);
    return pairs;
}

void add_pair_table(const PairCoefficients& pairs, Topology& topology)
{
    PairTable& table = topology.pairs;
    table.types = pairs.types;
    const std::size_t cells =
        static_cast<std::size_t>(pairs.types) * static_cast<std::size_t>(pairs.types);
    table.c6.assign(cells, 0);
    table.c12.assign(cells, 0);
    table.c4.assign(pairs.c.empty() ? 0 : cells, 0);
    for (std::size_t k = 0; k < cells; ++k) {
        if (pairs.index[k] > 0) {
            const auto row = static_cast<std::size_t>(pairs.index[k] - 1);
            table.c12[k] = pairs.a[row];
            table.c6[k] = pairs.b[row];
            if (!pairs.c.empty()) {
                table.c4[k] = pairs.c[row];
            }
        }
    }
    table.sigma.assign(static_cast<std::size_t>(pairs.types), 0);
    table.epsilon.assign(static_cast<std::size_t>(pairs.types), 0);
    for (std::int32_t t = 0; t < pairs.types; ++t) {
        const double c6 = table.c6[table.at(t, t)], c12 = table.c12[table.at(t, t)];
        if (c6 > 0 && c12 > 0) {
            table.sigma[static_cast<std::size_t>(t)] = std::pow(c12 / c6, 1.0 / 6.0);
            table.epsilon[static_cast<std::size_t>(t)] = c6 * c6 / (4 * c12);
        }
    }
}

void add_exclusions(const Source& source, Topology& topology)
{
    AmberSections& file = source.file;
    const std::size_t n = source.atoms();
    const auto counts = file.integers("NUMBER_EXCLUDED_ATOMS", n, "POINTERS NATOM");
    const auto list = file.integers(
        "EXCLUDED_ATOMS_LIST", static_cast<std::size_t>(source.pointers.excluded), "POINTERS NNB");
    std::vector<std::vector<std::int32_t>> partners(n);
    std::int64_t next = 0;
    for (std::size_t a = 0; a < n; ++a) {
        if (counts[a] < 0 || counts[a] > static_cast<std::int64_t>(list.size()) - next) {
            file.error("NUMBER_EXCLUDED_ATOMS", static_cast<std::int64_t>(a),
                       fmt::format("{} excluded atoms, but EXCLUDED_ATOMS_LIST holds {} more",
                                   counts[a], static_cast<std::int64_t>(list.size()) - next),
                       "the two sections disagree: write the file anew");
            break;
        }
        for (std::int64_t k = 0; k < counts[a]; ++k, ++next) {
            const std::int64_t b = list[static_cast<std::size_t>(next)];
            if (b == 0) {
                continue; // the placeholder of an atom that excludes nothing
            }
            if (b < 0 || b > source.pointers.atoms || b == static_cast<std::int64_t>(a) + 1) {
                file.error("EXCLUDED_ATOMS_LIST", next,
                           fmt::format("atom {} cannot exclude atom {} (there are {} atoms)", a + 1,
                                       b, source.pointers.atoms),
                           "the file is damaged: write it anew");
                continue;
            }
            partners[a].push_back(static_cast<std::int32_t>(b - 1));
            partners[static_cast<std::size_t>(b - 1)].push_back(static_cast<std::int32_t>(a));
        }
    }
    if (next != static_cast<std::int64_t>(list.size()) && next > 0) {
        file.error("EXCLUDED_ATOMS_LIST", -1,
                   fmt::format("the section holds {} values, but NUMBER_EXCLUDED_ATOMS sums to {}",
                               list.size(), next),
                   "the two sections disagree: write the file anew");
    }
    for (auto& row : partners) {
        std::sort(row.begin(), row.end());
        row.erase(std::unique(row.begin(), row.end()), row.end());
        topology.exclusions.add_row(row);
    }
}

} // namespace tessera::amber
