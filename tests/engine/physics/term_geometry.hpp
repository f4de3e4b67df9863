#pragma once

#include "engine/geometry/box.hpp"
#include "engine/math/mat3.hpp"
#include "engine/physics/listed_terms.hpp"
#include "engine/physics/term_forces.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

// What the typed tests of terms share: a term evaluated at given positions, and positions.

namespace tessera::test
{

template <class Term>
using Positions = std::array<Vec3, static_cast<std::size_t>(Term::atoms)>;

template <class Term>
struct Evaluated {
    double energy = 0;
    Positions<Term> force{};
    Mat3 virial{};
};

template <class Term>
struct BoxDisplacement {
    const Box& box;
    const Positions<Term>& x;

    Vec3 operator()(int head, int tail) const
    {
        return box.shortest(x[static_cast<std::size_t>(head)] - x[static_cast<std::size_t>(tail)]);
    }
    Vec3 from_point(int atom, const Vec3& point) const
    {
        return box.shortest(x[static_cast<std::size_t>(atom)] - point);
    }
};

template <class Term, class Formula>
Evaluated<Term> evaluate_formula(const Formula& formula, const Box& box, const Positions<Term>& x)
{
    const auto response = respond<double>(formula, BoxDisplacement<Term>{box, x});
    Evaluated<Term> result;
    result.energy = response.energy;
    for_each_force<Formula>(
        response, [&](int k, const Vec3& f) { result.force[static_cast<std::size_t>(k)] += f; });
    add_term_virial(formula, response, result.virial.row);
    return result;
}

/// Energy, forces and virial of a term. A map is prepared as the loops do.
template <class Term>
Evaluated<Term> evaluate(const Term& term, const Box& box, const Positions<Term>& x)
{
    if constexpr (std::is_same_v<Term, Cmap>) {
        const std::vector<double> nodes = cmap_nodes(term);
        return evaluate_formula<Term>(CmapSurface<double>{nodes.data(), term.size}, box, x);
    } else {
        return evaluate_formula<Term>(term, box, x);
    }
}

/// True for the one term whose force is the gradient with respect to its last atom alone.
template <class Term>
constexpr bool has_rigid_frame()
{
    return requires
    {
        Term::frame_is_rigid;
    };
}

/// A bent, twisted chain with bonds of about 0.12 nm, without any symmetry.
template <class Term>
Positions<Term> bent_chain()
{
    constexpr std::array<Vec3, 5> chain = {{{0.011, 0.023, -0.017},
                                            {0.121, -0.014, 0.031},
                                            {0.173, 0.088, 0.067},
                                            {0.262, 0.079, -0.025},
                                            {0.301, 0.187, -0.062}}};
    Positions<Term> x;
    for (std::size_t a = 0; a < x.size(); ++a) {
        x[a] = chain[a];
    }
    return x;
}

/// A water with equal bonds, D on its bisector: the frame of the model is orthogonal there.
template <>
inline Positions<WaterPolarization> bent_chain<WaterPolarization>()
{
    return {{{0.05, 0.02, -0.03},
             {0.11, 0.10, -0.03},
             {0.11, -0.06, -0.03},
             {0.07, 0.02, -0.03},
             {0.071, 0.022, -0.027}}};
}

/// A tilted cell, reduced, of about 2 nm.
inline Box tilted_box()
{
    return Box(Mat3{{{2.1, 0, 0}, {0.9, 1.9, 0}, {-0.8, 0.7, 2.0}}});
}

/// Turns x about the origin: three turns of unequal angles, one about each axis.
inline Vec3 turned(const Vec3& x)
{
    const double c = std::cos(0.7), s = std::sin(0.7);
    const Vec3 a{c * x.x - s * x.y, s * x.x + c * x.y, x.z};
    const double d = std::cos(1.9), t = std::sin(1.9);
    const Vec3 b{a.x, d * a.y - t * a.z, t * a.y + d * a.z};
    return {d * b.x + t * b.z, b.y, d * b.z - t * b.x};
}

template <class Term>
double largest_force(const Evaluated<Term>& e)
{
    double largest = 0;
    for (const Vec3& f : e.force) {
        largest = std::fmax(largest, norm(f));
    }
    return largest;
}

} // namespace tessera::test
