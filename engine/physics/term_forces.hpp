#pragma once

#include "engine/base/real.hpp"
#include "engine/base/type_list.hpp"
#include "engine/geometry/internal_coordinates.hpp"
#include "engine/math/vec3.hpp"
#include "engine/physics/field.hpp"

#include <type_traits>
#include <utility>

// From a term and the displacements of its atoms to energy, forces and virial: the chain rule,
// written once for all terms, number types and backends.

namespace tessera
{

/// The displacement vectors of a term's coordinates, one after the other.
template <class Coordinates>
struct TermVectors;

template <class... Kinds>
struct TermVectors<TypeList<Kinds...>> {
    static constexpr int count = (Kinds::vectors + ...);
    static constexpr bool is_cartesian = (Kinds::is_cartesian || ...);
    static constexpr bool is_absolute = (std::is_same_v<Kinds, AbsolutePosition> || ...);

    /// Vector v leads from atom tail(v) to atom head(v) of the tuple.
    static constexpr TESSERA_FORMULA int head(int v)
    {
        int at = 0;
        int atom = 0;
        ((v >= at && v < at + Kinds::vectors ? void(atom = Kinds::head(v - at)) : void(),
          at += Kinds::vectors),
         ...);
        return atom;
    }
    static constexpr TESSERA_FORMULA int tail(int v)
    {
        int at = 0;
        int atom = 0;
        ((v >= at && v < at + Kinds::vectors ? void(atom = Kinds::tail(v - at)) : void(),
          at += Kinds::vectors),
         ...);
        return atom;
    }
};

/// A term's energy with its gradient with respect to each displacement vector: the force on the
/// vector's head is -gradient, on its tail +gradient, the virial +1/2 sum vector outer gradient.
template <class R, int V>
struct TermResponse {
    R energy;
    BasicVec3<R> vector[V];
    BasicVec3<R> gradient[V];
};

namespace detail
{

template <class R, class Kind, int V>
TESSERA_FORMULA R measure_into(TermResponse<R, V>& response, int first)
{
    const auto measured = Kind::measure(response.vector + first);
    for (int v = 0; v < Kind::vectors; ++v) {
        response.gradient[first + v] = measured.gradient[v];
    }
    return measured.value;
}

template <class R, int V>
TESSERA_FORMULA void scale_gradients(TermResponse<R, V>& response, int first, int count, R slope)
{
    for (int v = first; v < first + count; ++v) {
        response.gradient[v] *= slope;
    }
}

template <class R, class Term, int V, class... Kinds, std::size_t... C>
TESSERA_FORMULA void apply_chain_rule(const Term& term, TermResponse<R, V>& response,
                                      TypeList<Kinds...>, std::index_sequence<C...>)
{
    R value[sizeof...(Kinds)];
    int at = 0;
    ((value[C] = measure_into<R, Kinds>(response, at), at += Kinds::vectors), ...);
    const Response<R, static_cast<int>(sizeof...(Kinds))> result = term(value[C]...);
    response.energy = result.energy;
    at = 0;
    ((scale_gradients(response, at, Kinds::vectors, result.slope[C]), at += Kinds::vectors), ...);
}

} // namespace detail

/// Evaluates a term. `displacement(head, tail)` gives the nearest image of x_head - x_tail for
/// positions in the term's tuple; for position restraints `displacement.from_point(atom, point)`
/// gives that of x_atom - point.
template <class R, class Term, class Displacement>
TESSERA_FORMULA TermResponse<R, TermVectors<typename Term::Coordinates>::count>
respond(const Term& term, const Displacement& displacement)
{
    using Vectors = TermVectors<typename Term::Coordinates>;
    TermResponse<R, Vectors::count> response;
    if constexpr (Vectors::is_absolute) {
        response.vector[0] = displacement.from_point(0, term.reference());
    } else {
        for (int v = 0; v < Vectors::count; ++v) {
            response.vector[v] = displacement(Vectors::head(v), Vectors::tail(v));
        }
    }

    if constexpr (Vectors::is_cartesian) {
        const VectorResponse<R, Vectors::count> result = term(response.vector);
        response.energy = result.energy;
        for (int v = 0; v < Vectors::count; ++v) {
            response.gradient[v] = result.gradient[v];
        }
    } else {
        detail::apply_chain_rule(term, response, typename Term::Coordinates{},
                                 std::make_index_sequence<Term::Coordinates::size>{});
    }
    return response;
}

/// Calls add(atom of the tuple, force) for each end of each displacement vector.
template <class Term, class R, int V, class Add>
TESSERA_FORMULA void for_each_force(const TermResponse<R, V>& response, const Add& add)
{
    using Vectors = TermVectors<typename Term::Coordinates>;
    for (int v = 0; v < V; ++v) {
        add(Vectors::head(v), -response.gradient[v]);
        if constexpr (!Vectors::is_absolute) {
            add(Vectors::tail(v), response.gradient[v]);
        }
    }
}

/// Adds a term's -1/2 sum r outer F to `virial` (rows as BasicVec3). A restrained position lies at
/// reference + vector and books the diagonal alone: its reference stays where it is when the cell
/// is scaled.
template <class Term, class R, int V>
TESSERA_FORMULA void add_term_virial(const Term& term, const TermResponse<R, V>& response,
                                     BasicVec3<R>* virial)
{
    if constexpr (TermVectors<typename Term::Coordinates>::is_absolute) {
        const auto reference = term.reference();
        for (int k = 0; k < 3; ++k) {
            virial[k][k] +=
                R(0.5) * (response.vector[0][k] + R(reference[k])) * response.gradient[0][k];
        }
    } else {
        for (int v = 0; v < V; ++v) {
            for (int k = 0; k < 3; ++k) {
                virial[k] += (R(0.5) * response.vector[v][k]) * response.gradient[v];
            }
        }
    }
}

} // namespace tessera
