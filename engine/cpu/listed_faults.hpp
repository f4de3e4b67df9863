#pragma once

#include "engine/cpu/atom_label.hpp"
#include "engine/cpu/listed_work.hpp"

#include <cmath>
#include <fmt/format.h>
#include <tuple>

namespace tessera
{

/// "harmonic_bond of atoms 3 (CA, ALA 1), 4 (CB, ALA 1)"; global numbers.
template <class Term>
std::string listed_label(const Topology& topology, const typename TermTable<Term>::Entry& entry)
{
    std::string label = fmt::format("{} of atom{} ", Term::name, entry.atom.size() > 1 ? "s" : "");
    for (std::size_t k = 0; k < entry.atom.size(); ++k) {
        label += (k > 0 ? ", " : "") + atom_label(topology, entry.atom[k]);
    }
    return label;
}

template <class R, int V>
bool is_finite(const TermResponse<R, V>& response)
{
    bool finite = std::isfinite(response.energy);
    for (const BasicVec3<R>& g : response.gradient) {
        finite = finite && std::isfinite(g.x) && std::isfinite(g.y) && std::isfinite(g.z);
    }
    return finite;
}

namespace detail
{

template <class Kind, int V>
std::string coordinate_text(const TermResponse<double, V>& response, int first)
{
    if constexpr (Kind::is_cartesian) {
        return {};
    } else {
        return fmt::format(", {} = {:.6g}{}{}", Kind::name,
                           Kind::measure(response.vector + first).value,
                           Kind::unit.empty() ? "" : " ", Kind::unit);
    }
}

template <int V, class... Kinds>
std::string coordinates_text(const TermResponse<double, V>& response, TypeList<Kinds...>)
{
    std::string text;
    int first = 0;
    ((text += coordinate_text<Kinds>(response, first), first += Kinds::vectors), ...);
    return text;
}

} // namespace detail

/// One sentence what is wrong, in brackets why, then what to do. `entry` has global numbers.
template <class Term>
std::string
listed_fault(const Topology& topology, const typename TermTable<Term>::Entry& entry,
             const TermResponse<double, TermVectors<typename Term::Coordinates>::count>& response)
{
    std::string reason = "coordinates are not finite, or atoms coincide";
    if constexpr (requires { Term::domain; }) {
        reason = Term::domain;
    }
    reason += detail::coordinates_text(response, typename Term::Coordinates{});
    if constexpr (requires { Term::fields; }) {
        const Term& term = topology.table<Term>().term(entry);
        std::apply(
            [&](const auto&... field) {
                ((reason += fmt::format(", {} = {:.6g}{}{}", field.name, term.*field.member,
                                        field.unit.empty() ? "" : " ", field.unit)),
                 ...);
            },
            Term::fields);
    }
    return fmt::format(
        "{} has no finite energy and force ({}). Check the start coordinates and the "
        "term's parameters, or shorten the time step.",
        listed_label<Term>(topology, entry), reason);
}

} // namespace tessera
