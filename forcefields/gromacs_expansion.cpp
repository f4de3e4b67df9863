#include "forcefields/gromacs_expansion.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera
{

namespace
{

/// Room for so many more: no more than that at first, later so much that many small additions do
/// not copy all each time.
template <class List>
void reserve_more(List& into, std::size_t more)
{
    const std::size_t needed = into.size() + more;
    if (needed > into.capacity()) {
        into.reserve(std::max(needed, into.capacity() + into.capacity() / 2));
    }
}

template <class T>
void repeat(std::vector<T>& into, const std::vector<T>& from, std::size_t count)
{
    reserve_more(into, from.size() * count);
    for (std::size_t c = 0; c < count; ++c) {
        into.insert(into.end(), from.begin(), from.end());
    }
}

} // namespace

void GromacsExpansion::append(const GromacsMolecule& molecule, long long count)
{
    const Topology& part = molecule.parts;
    const auto copies = static_cast<std::size_t>(count);
    const std::int32_t first = whole.atoms();
    const std::int32_t size = part.atoms();

    repeat(whole.mass, part.mass, copies);
    repeat(whole.charge, part.charge, copies);
    repeat(whole.type, part.type, copies);
    reserve_more(whole.atom_name, part.atom_name.size() * copies);
    whole.atom_name.append(part.atom_name, copies);
    repeat(whole.atomic_number, part.atomic_number, copies);
    repeat(whole.kind, part.kind, copies);
    repeat(whole.is_hydrogen, part.is_hydrogen, copies);

    const auto inserted = parameter_offsets_.try_emplace(&molecule);
    const bool is_new = inserted.second;
    std::vector<std::int32_t>& offsets = inserted.first->second;
    std::size_t table_number = 0;
    const auto append_terms = [&]<class Term>() {
        const TermTable<Term>& from = part.table<Term>();
        TermTable<Term>& into = whole.table<Term>();
        if (is_new) {
            offsets.push_back(static_cast<std::int32_t>(into.parameters.size()));
            into.parameters.insert(into.parameters.end(), from.parameters.begin(),
                                   from.parameters.end());
        }
        const std::int32_t offset = offsets[table_number++];
        reserve_more(into.entries, from.entries.size() * copies);
        for (std::size_t c = 0; c < copies; ++c) {
            const std::int32_t shift = first + static_cast<std::int32_t>(c) * size;
            for (auto entry : from.entries) {
                for (std::int32_t& atom : entry.atom) {
                    atom += shift;
                }
                entry.parameter += offset;
                into.entries.push_back(entry);
            }
        }
    };
    ListedTerms::for_each(append_terms);

    std::vector<std::int32_t> row;
    reserve_more(whole.exclusions.value, part.exclusions.value.size() * copies);
    reserve_more(whole.exclusions.offset, part.exclusions.rows() * copies);
    reserve_more(whole.residues, part.residues.size() * copies);
    reserve_more(whole.residue, part.residue.size() * copies);
    reserve_more(whole.bonds, part.bonds.size() * copies);
    reserve_more(whole.constraints, part.constraints.size() * copies);
    reserve_more(whole.rigid_waters, part.rigid_waters.size() * copies);
    reserve_more(whole.virtual_sites, part.virtual_sites.size() * copies);
    for (std::size_t c = 0; c < copies; ++c) {
        const std::int32_t shift = first + static_cast<std::int32_t>(c) * size;
        const auto first_residue = static_cast<std::int32_t>(whole.residues.size());
        for (const Residue& residue : part.residues) {
            whole.residues.push_back(
                {residue.name,
                 part.residues.size() == 1 ? std::to_string(first_free_residue++) : residue.number,
                 residue.first_atom + shift});
        }
        for (const std::int32_t residue : part.residue) {
            whole.residue.push_back(residue + first_residue);
        }
        for (std::size_t a = 0; a < part.exclusions.rows(); ++a) {
            row.assign(part.exclusions.begin(a), part.exclusions.end(a));
            for (std::int32_t& other : row) {
                other += shift;
            }
            whole.exclusions.add_row(row);
        }
        for (const auto& [i, j] : part.bonds) {
            whole.bonds.push_back({i + shift, j + shift});
        }
        for (const DistanceConstraint& d : part.constraints) {
            whole.constraints.push_back({d.i + shift, d.j + shift, d.length});
        }
        for (const RigidWater& w : part.rigid_waters) {
            whole.rigid_waters.push_back({w.o + shift, w.h1 + shift, w.h2 + shift, w.d_oh, w.d_hh});
        }
        for (VirtualSite v : part.virtual_sites) {
            v.site += shift;
            for (std::int32_t& parent : v.parents) {
                parent += shift;
            }
            whole.virtual_sites.push_back(std::move(v));
        }
    }
    if (is_new && count > 0) {
        whole.dynamics_refusals.insert(whole.dynamics_refusals.end(),
                                       part.dynamics_refusals.begin(),
                                       part.dynamics_refusals.end());
    }
}

void make_pair_table(Topology& topology, const GromacsForceField& force_field)
{
    const auto& types = force_field.types();
    std::vector<std::int32_t> number(types.size(), -1);
    for (const std::int32_t type : topology.type) {
        number[static_cast<std::size_t>(type)] = 0;
    }
    std::vector<std::int32_t> used;
    for (std::size_t k = 0; k < types.size(); ++k) {
        if (number[k] == 0) {
            number[k] = static_cast<std::int32_t>(used.size());
            used.push_back(static_cast<std::int32_t>(k));
        }
    }
    for (std::int32_t& type : topology.type) {
        type = number[static_cast<std::size_t>(type)];
    }

    const CombinationRule rule = force_field.defaults().rule;
    PairTable& pairs = topology.pairs;
    pairs.types = static_cast<std::int32_t>(used.size());
    for (const std::int32_t a : used) {
        const GromacsAtomType& type = types[static_cast<std::size_t>(a)];
        const SigmaEpsilon numbers = to_sigma_epsilon(rule, type.lj);
        pairs.sigma.push_back(numbers.sigma);
        pairs.epsilon.push_back(numbers.epsilon);
        pairs.type_names.push_back(type.name);
        for (const std::int32_t b : used) {
            const LjCoefficients lj = force_field.nonbonded(a, b);
            pairs.c6.push_back(lj.c6);
            pairs.c12.push_back(lj.c12);
        }
    }
    topology.combination_rule = static_cast<std::int32_t>(rule);
}

} // namespace tessera
