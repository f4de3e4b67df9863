#include "engine/math/constants.hpp"
#include "engine/math/units.hpp"
#include "forcefields/amber_parameters.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <string>
#include <utility>

namespace tessera::amber
{

namespace
{

constexpr double kcal = units::kilocalorie;
constexpr double kcal_per_angstrom2 = units::kilocalorie / (units::angstrom * units::angstrom);

/// A parameter's row, from 0; -1 after a fault.
std::int32_t type_at(const Source& source, std::string_view flag, std::int64_t place,
                     std::int64_t type, std::int64_t types)
{
    if (type < 1 || type > types) {
        source.file.error(
            flag, place,
            fmt::format("{} names no parameters (there are {} of this kind)", type, types),
            "the list is damaged: write the file anew");
        return -1;
    }
    return static_cast<std::int32_t>(type - 1);
}

/// N atoms of a list that numbers them from 1, as coordinate indices.
template <std::size_t N>
std::array<std::int64_t, N> as_coordinates(const std::vector<std::int64_t>& list, std::size_t from)
{
    std::array<std::int64_t, N> out{};
    for (std::size_t k = 0; k < N; ++k) {
        out[k] = 3 * (list[from + k] - 1);
    }
    return out;
}

/// The values of a list whose entries hold `stride` numbers each.
std::vector<std::int64_t> entries(const Source& source, std::string_view flag, std::int64_t count,
                                  std::int64_t stride, std::string_view pointer)
{
    return source.file.integers(flag, static_cast<std::size_t>(count * stride),
                                fmt::format("{} x {}, POINTERS {}", stride, count, pointer));
}

std::vector<double> parameters(const Source& source, std::string_view flag, std::int64_t count,
                               std::string_view pointer)
{
    return source.file.reals(flag, static_cast<std::size_t>(count),
                             fmt::format("POINTERS {}", pointer));
}

/// Refuses the first value below zero, or above `most`: no force field means it.
void refuse_outside(const Source& source, std::string_view flag, const std::vector<double>& values,
                    std::string_view name, double most = std::numeric_limits<double>::infinity())
{
    const auto bad = std::find_if(values.begin(), values.end(),
                                  [most](double v) { return !(v >= 0 && v <= most); });
    if (bad != values.end()) {
        source.file.error(flag, bad - values.begin(),
                          fmt::format("{} of {} ({})", name, *bad,
                                      *bad < 0 ? "it must not be negative"
                                               : fmt::format("at most {:.6g} is possible", most)),
                          "correct the value");
    }
}

} // namespace

bool read_atoms(const Source& source, std::string_view flag, std::int64_t place,
                std::span<const std::int64_t> coordinate, std::span<std::int32_t> atom)
{
    const auto fault = [&](std::size_t k, const std::string& what) {
        source.file.error(flag, place + static_cast<std::int64_t>(k), what,
                          "the list is damaged: write the file anew");
        return false;
    };
    bool good = true;
    for (std::size_t k = 0; k < atom.size(); ++k) {
        const std::int64_t c = coordinate[k];
        if (c % 3 != 0 || c < 0 || c / 3 >= source.pointers.atoms) {
            good = fault(k, fmt::format("{} names no atom (it must be three times an atom's "
                                        "number from 0, and there are {} atoms)",
                                        c, source.pointers.atoms));
            continue;
        }
        atom[k] = static_cast<std::int32_t>(c / 3);
        if (good && std::find(atom.begin(), atom.begin() + static_cast<std::ptrdiff_t>(k),
                              atom[k]) != atom.begin() + static_cast<std::ptrdiff_t>(k)) {
            good = fault(k, fmt::format("atom {} stands twice in one term", atom[k] + 1));
        }
    }
    return good;
}

std::vector<Bond> add_bonds(const Source& source, Topology& topology)
{
    const Pointers& n = source.pointers;
    const auto k = parameters(source, "BOND_FORCE_CONSTANT", n.bond_types, "NUMBND");
    const auto r0 = parameters(source, "BOND_EQUIL_VALUE", n.bond_types, "NUMBND");
    refuse_outside(source, "BOND_FORCE_CONSTANT", k, "a force constant");
    refuse_outside(source, "BOND_EQUIL_VALUE", r0, "a length");
    auto& table = topology.table<HarmonicBond>();
    for (std::size_t p = 0; p < k.size(); ++p) {
        table.parameters.push_back({2 * k[p] * kcal_per_angstrom2, r0[p] * units::angstrom});
    }
    std::vector<Bond> bonds;
    const auto read = [&](std::string_view flag, std::int64_t count, std::string_view pointer,
                          bool with_hydrogen) {
        const auto list = entries(source, flag, count, 3, pointer);
        for (std::size_t e = 0; e + 2 < list.size(); e += 3) {
            const auto place = static_cast<std::int64_t>(e);
            std::array<std::int32_t, 2> atom{};
            const bool good = read_atoms(source, flag, place, std::span(list).subspan(e, 2), atom);
            const std::int32_t type = type_at(source, flag, place + 2, list[e + 2], n.bond_types);
            if (good && type >= 0) {
                bonds.push_back({atom[0], atom[1], type, with_hydrogen});
            }
        }
    };
    read("BONDS_INC_HYDROGEN", n.bonds_hydrogen, "NBONH", true);
    read("BONDS_WITHOUT_HYDROGEN", n.bonds_other, "NBONA", false);

    for (const Bond& bond : bonds) {
        topology.bonds.push_back({std::min(bond.i, bond.j), std::max(bond.i, bond.j)});
        const auto i = static_cast<std::size_t>(bond.i), j = static_cast<std::size_t>(bond.j);
        if (source.is_extra_point[i] != 0 || source.is_extra_point[j] != 0) {
            continue; // a virtual site keeps its distance by construction
        }
        table.entries.push_back({{bond.i, bond.j}, bond.type});
        if (bond.with_hydrogen) {
            if (topology.mass[i] <= topology.mass[j]) {
                topology.is_hydrogen[i] = 1;
            }
            if (topology.mass[j] <= topology.mass[i]) {
                topology.is_hydrogen[j] = 1;
            }
        }
    }
    return bonds;
}

void add_angles(const Source& source, Topology& topology)
{
    const Pointers& n = source.pointers;
    const auto k = parameters(source, "ANGLE_FORCE_CONSTANT", n.angle_types, "NUMANG");
    const auto theta0 = parameters(source, "ANGLE_EQUIL_VALUE", n.angle_types, "NUMANG");
    constexpr double half_turn = 3.1416; // pi as files round it
    refuse_outside(source, "ANGLE_FORCE_CONSTANT", k, "a force constant");
    refuse_outside(source, "ANGLE_EQUIL_VALUE", theta0, "an angle (rad)", half_turn);

    struct EndPair {
        double k, r0;
        std::int64_t place;
        bool used;
    };
    std::map<std::pair<std::int32_t, std::int32_t>, EndPair> end_pairs;
    constexpr std::string_view urey_bradley = "CHARMM_UREY_BRADLEY";
    if (source.chamber && source.file.has(urey_bradley)) {
        const auto count = source.file.integers("CHARMM_UREY_BRADLEY_COUNT", 2, "terms and types");
        const auto list = source.file.integers(
            urey_bradley, static_cast<std::size_t>(std::max<std::int64_t>(0, count[0] * 3)),
            "CHARMM_UREY_BRADLEY_COUNT");
        const auto types = static_cast<std::size_t>(std::max<std::int64_t>(0, count[1]));
        const auto ub_k = source.file.reals("CHARMM_UREY_BRADLEY_FORCE_CONSTANT", types,
                                            "CHARMM_UREY_BRADLEY_COUNT");
        const auto ub_r0 = source.file.reals("CHARMM_UREY_BRADLEY_EQUIL_VALUE", types,
                                             "CHARMM_UREY_BRADLEY_COUNT");
        for (std::size_t e = 0; e + 2 < list.size(); e += 3) {
            const auto place = static_cast<std::int64_t>(e);
            std::array<std::int32_t, 2> atom{};
            const bool good =
                read_atoms(source, urey_bradley, place, as_coordinates<2>(list, e), atom);
            const std::int32_t type = type_at(source, urey_bradley, place + 2, list[e + 2],
                                              static_cast<std::int64_t>(ub_k.size()));
            if (!good || type < 0) {
                continue;
            }
            const auto p = static_cast<std::size_t>(type);
            end_pairs[std::minmax(atom[0], atom[1])] = {2 * ub_k[p] * kcal_per_angstrom2,
                                                        ub_r0[p] * units::angstrom, place, false};
        }
    }
    const auto read = [&](std::string_view flag, std::int64_t count, std::string_view pointer) {
        const auto list = entries(source, flag, count, 4, pointer);
        for (std::size_t e = 0; e + 3 < list.size(); e += 4) {
            const auto place = static_cast<std::int64_t>(e);
            std::array<std::int32_t, 3> atom{};
            const bool good = read_atoms(source, flag, place, std::span(list).subspan(e, 3), atom);
            const std::int32_t type = type_at(source, flag, place + 3, list[e + 3], n.angle_types);
            if (!good || type < 0) {
                continue;
            }
            const auto p = static_cast<std::size_t>(type);
            const double stiffness = 2 * k[p] * kcal;
            if (!source.chamber) {
                topology.table<HarmonicAngle>().add(atom, {stiffness, theta0[p]});
                continue;
            }
            UreyBradley term = {stiffness, theta0[p], 0, 0};
            const auto ends =
                end_pairs.find({std::min(atom[0], atom[2]), std::max(atom[0], atom[2])});
            if (ends != end_pairs.end() && !ends->second.used) {
                term.k_ub = ends->second.k;
                term.r13 = ends->second.r0;
                ends->second.used = true;
            }
            topology.table<UreyBradley>().add(atom, term);
        }
    };
    read("ANGLES_INC_HYDROGEN", n.angles_hydrogen, "NTHETH");
    read("ANGLES_WITHOUT_HYDROGEN", n.angles_other, "NTHETA");

    for (const auto& [ends, pair] : end_pairs) {
        if (!pair.used) {
            source.file.error(urey_bradley, pair.place,
                              fmt::format("atoms {} and {} have no angle between them (the term "
                                          "belongs to an angle)",
                                          ends.first + 1, ends.second + 1),
                              "write the file anew with the angle in it");
        }
    }
}

void add_charmm_impropers(const Source& source, Topology& topology)
{
    constexpr std::string_view flag = "CHARMM_IMPROPERS";
    if (!source.chamber || !source.file.has(flag)) {
        return;
    }
    const auto count = source.file.integers("CHARMM_NUM_IMPROPERS", 1, "a count");
    const auto types = source.file.integers("CHARMM_NUM_IMPR_TYPES", 1, "a count");
    const auto rows = static_cast<std::size_t>(std::max<std::int64_t>(0, types[0]));
    const auto k =
        source.file.reals("CHARMM_IMPROPER_FORCE_CONSTANT", rows, "CHARMM_NUM_IMPR_TYPES");
    const auto xi0 = source.file.reals("CHARMM_IMPROPER_PHASE", rows, "CHARMM_NUM_IMPR_TYPES");
    const auto list = source.file.integers(
        flag, static_cast<std::size_t>(std::max<std::int64_t>(0, count[0] * 5)),
        "CHARMM_NUM_IMPROPERS");
    for (std::size_t e = 0; e + 4 < list.size(); e += 5) {
        std::array<std::int32_t, 4> atom{};
        const bool good = read_atoms(source, flag, static_cast<std::int64_t>(e),
                                     as_coordinates<4>(list, e), atom);
        const std::int32_t type = type_at(source, flag, static_cast<std::int64_t>(e + 4),
                                          list[e + 4], static_cast<std::int64_t>(k.size()));
        if (good && type >= 0) {
            const auto p = static_cast<std::size_t>(type);
            topology.table<HarmonicImproper>().add(atom, {2 * k[p] * kcal, xi0[p]});
        }
    }
}

void add_correction_maps(const Source& source, Topology& topology)
{
    const std::string prefix = source.file.has("CHARMM_CMAP_COUNT") ? "CHARMM_CMAP_" : "CMAP_";
    if (!source.file.has(prefix + "COUNT")) {
        return;
    }
    const auto count = source.file.integers(prefix + "COUNT", 2, "terms and maps");
    const auto maps =
        static_cast<std::size_t>(std::clamp<std::int64_t>(count[1], 0, source.file.characters()));
    const auto resolution = source.file.integers(prefix + "RESOLUTION", maps, prefix + "COUNT");
    auto& table = topology.table<Cmap>();
    for (std::size_t m = 0; m < maps; ++m) {
        const std::int64_t size = resolution[m];
        if (size < 4 || size > 1000) {
            source.file.error(
                prefix + "RESOLUTION", static_cast<std::int64_t>(m),
                fmt::format("a correction map of {0} x {0} points (4 to 1000 are possible)", size),
                "correct the number");
            table.parameters.emplace_back();
            continue;
        }
        Cmap map{static_cast<int>(size),
                 source.file.reals(fmt::format("{}PARAMETER_{:02}", prefix, m + 1),
                                   static_cast<std::size_t>(size * size),
                                   prefix + "RESOLUTION squared")};
        for (double& value : map.values) {
            value *= kcal;
        }
        table.parameters.push_back(std::move(map));
    }
    const std::string flag = prefix + "INDEX";
    const auto list = source.file.integers(
        flag, static_cast<std::size_t>(std::max<std::int64_t>(0, count[0] * 6)), prefix + "COUNT");
    for (std::size_t e = 0; e + 5 < list.size(); e += 6) {
        std::array<std::int32_t, 5> atom{};
        const bool good = read_atoms(source, flag, static_cast<std::int64_t>(e),
                                     as_coordinates<5>(list, e), atom);
        const std::int32_t type = type_at(source, flag, static_cast<std::int64_t>(e + 5),
                                          list[e + 5], static_cast<std::int64_t>(maps));
        if (good && type >= 0) {
            table.entries.push_back({atom, type});
        }
    }
}

} // namespace tessera::amber
