#include "io/topology_hash.hpp"

#include "io/content_hash.hpp"

#include <tuple>

namespace tessera
{

namespace
{

template <class Number>
void add(ContentHash& hash, const std::vector<Number>& values)
{
    hash.add(std::span<const Number>(values));
}

void add(ContentHash& hash, const std::vector<std::string>& texts)
{
    hash.add_number(texts.size());
    for (const std::string& text : texts) {
        hash.add(text);
    }
}

template <class Term>
void add_table(ContentHash& hash, const TermTable<Term>& table)
{
    hash.add(Term::name);
    hash.add_number(table.parameters.size());
    for (const Term& parameter : table.parameters) {
        if constexpr (requires { Term::fields; }) {
            std::apply(
                [&](const auto&... field) { (hash.add_number(parameter.*field.member), ...); },
                Term::fields);
        } else {
            hash.add_number(parameter.size);
            add(hash, parameter.values);
        }
    }
    hash.add_number(table.entries.size());
    for (const auto& entry : table.entries) {
        for (const std::int32_t atom : entry.atom) {
            hash.add_number(atom);
        }
        hash.add_number(entry.parameter);
    }
}

} // namespace

std::string topology_hash(const Topology& t)
{
    ContentHash hash;
    add(hash, t.mass);
    add(hash, t.charge);
    add(hash, t.type);
    add(hash, t.atom_name);
    add(hash, t.residue);
    add(hash, t.kind);
    hash.add_number(t.residues.size());
    for (const Residue& residue : t.residues) {
        hash.add(residue.name);
        hash.add(residue.number);
        hash.add_number(residue.first_atom);
    }

    hash.add_number(t.pairs.types);
    add(hash, t.pairs.c6);
    add(hash, t.pairs.c12);
    add(hash, t.pairs.c4);
    hash.add_number(t.coulomb_constant);

    std::apply([&](const auto&... table) { (add_table(hash, table), ...); }, t.terms);
    add(hash, t.exclusions.offset);
    add(hash, t.exclusions.value);
    for (const DistanceConstraint& constraint : t.constraints) {
        hash.add_number(constraint.i);
        hash.add_number(constraint.j);
        hash.add_number(constraint.length);
    }
    for (const RigidWater& water : t.rigid_waters) {
        hash.add_number(water.o);
        hash.add_number(water.h1);
        hash.add_number(water.h2);
        hash.add_number(water.d_oh);
        hash.add_number(water.d_hh);
    }
    for (const VirtualSite& site : t.virtual_sites) {
        hash.add_number(site.kind);
        hash.add_number(site.site);
        add(hash, site.parents);
        add(hash, site.parameters);
    }
    return hash.text();
}

} // namespace tessera
