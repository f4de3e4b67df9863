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

void add(ContentHash& hash, const Names& texts)
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

void add_names(ContentHash& hash, const Topology& t)
{
    add(hash, t.atom_name);
    add(hash, t.residue);
    add(hash, t.kind);
    hash.add_number(t.residues.size());
    for (const Residue& residue : t.residues) {
        hash.add(residue.name);
        hash.add(residue.number);
        hash.add_number(residue.first_atom);
    }
}

void add_pairs(ContentHash& hash, const Topology& t)
{
    hash.add_number(t.pairs.types);
    add(hash, t.pairs.c6);
    add(hash, t.pairs.c12);
    add(hash, t.pairs.c4);
}

void add_tables(ContentHash& hash, const Topology& t)
{
    std::apply([&](const auto&... table) { (add_table(hash, table), ...); }, t.terms);
}

void add_constraints(ContentHash& hash, const Topology& t)
{
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
}

void add_sites(ContentHash& hash, const Topology& t)
{
    for (const VirtualSite& site : t.virtual_sites) {
        hash.add_number(site.kind);
        hash.add_number(site.site);
        add(hash, site.parents);
        add(hash, site.parameters);
    }
}

} // namespace

std::string topology_hash(const Topology& t)
{
    ContentHash hash;
    add(hash, t.mass);
    add(hash, t.charge);
    add(hash, t.type);
    add_names(hash, t);
    add_pairs(hash, t);
    hash.add_number(t.coulomb_constant);
    add_tables(hash, t);
    add(hash, t.exclusions.offset);
    add(hash, t.exclusions.value);
    add_constraints(hash, t);
    add_sites(hash, t);
    return hash.text();
}

std::vector<std::pair<std::string, std::string>> topology_part_hashes(const Topology& topology)
{
    std::vector<std::pair<std::string, std::string>> out;
    const auto part = [&](const char* name, const auto& adds) {
        ContentHash hash;
        adds(hash, topology);
        out.emplace_back(name, hash.text());
    };
    part("masses", [](ContentHash& hash, const Topology& t) { add(hash, t.mass); });
    part("charges", [](ContentHash& hash, const Topology& t) {
        add(hash, t.charge);
        hash.add_number(t.coulomb_constant);
    });
    part("names", add_names);
    part("pair parameters", [](ContentHash& hash, const Topology& t) {
        add(hash, t.type);
        add_pairs(hash, t);
    });
    part("bonded terms", add_tables);
    part("exclusions", [](ContentHash& hash, const Topology& t) {
        add(hash, t.exclusions.offset);
        add(hash, t.exclusions.value);
    });
    part("constraints", add_constraints);
    part("virtual sites", add_sites);
    return out;
}

} // namespace tessera
