#include "forcefields/gromacs_repeats.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <tuple>

namespace tessera
{

void GromacsRepeats::note(const BondedFunction& function, std::span<const std::int32_t> atoms,
                          const GromacsRow& row)
{
    if (function.parameters == 0 || function.family == BondedFamily::constraint) {
        return; // a bare connection acts on nothing; lengths are compared elsewhere
    }
    Line line = {{-1, -1, -1, -1}, function.family, function.function, 0, row.origin};
    std::copy(atoms.begin(), atoms.end(), line.atoms.begin());
    if (atoms.back() < atoms.front()) {
        std::reverse_copy(atoms.begin(), atoms.end(), line.atoms.begin());
    }
    if (function.family == BondedFamily::dihedral) {
        const std::size_t constant = atoms.size() + 2; // behind function type and angle
        if (function.function != 3 && row.size() > constant && to_number(row[constant]) == 0.0) {
            return; // programs that convert write such placeholders
        }
        for (std::size_t k = atoms.size() + 1; k < row.size(); ++k) {
            line.parameters = 31 * line.parameters + std::hash<std::string_view>()(row[k]);
        }
    }
    lines_.push_back(line);
}

void GromacsRepeats::tell(const GromacsReport& report, const Topology& molecule) const
{
    const auto key = [](const Line& line) {
        return std::tie(line.family, line.atoms, line.function, line.parameters);
    };
    std::vector<const Line*> sorted;
    sorted.reserve(lines_.size());
    for (const Line& line : lines_) {
        sorted.push_back(&line);
    }
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](const Line* a, const Line* b) { return key(*a) < key(*b); });
    for (const BondedFamily family :
         {BondedFamily::bond, BondedFamily::angle, BondedFamily::dihedral}) {
        const Line* first = nullptr;
        const Line* before = nullptr;
        std::size_t count = 0;
        for (std::size_t k = 1; k < sorted.size(); ++k) {
            const Line* const line = sorted[k];
            if (line->family != family || key(*line) != key(*sorted[k - 1])) {
                continue;
            }
            ++count;
            if (first == nullptr || line < first) { // they lie in the order of the file
                first = line;
                before = sorted[k - 1];
            }
        }
        if (first == nullptr) {
            continue;
        }
        std::string atoms;
        for (const std::int32_t atom : first->atoms) {
            if (atom >= 0) {
                atoms += fmt::format("{}{} {}", atoms.empty() ? "" : ", ", atom + 1,
                                     molecule.atom_name[static_cast<std::size_t>(atom)]);
            }
        }
        report.warning({first->origin, {}}, {},
                       fmt::format("this line of atoms {} stands already at {} and acts once "
                                   "more{}",
                                   atoms, report.where(before->origin),
                                   count > 1 ? fmt::format(" ({} such lines in this molecule's "
                                                           "[ {} ])",
                                                           count, directive_of(family))
                                             : ""),
                       "remove it, unless both are meant");
    }
}

} // namespace tessera
