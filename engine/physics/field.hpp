#pragma once

#include "engine/math/vec3.hpp"

#include <string_view>

namespace tessera
{

/// Unit of a parameter, in internal units; the text is what files and messages print.
namespace unit
{
inline constexpr std::string_view none = "";
inline constexpr std::string_view length = "nm";
inline constexpr std::string_view inverse_length = "nm^-1";
inline constexpr std::string_view angle = "rad";
inline constexpr std::string_view energy = "kJ/mol";
inline constexpr std::string_view energy_length = "kJ/mol nm";
inline constexpr std::string_view energy_per_length2 = "kJ/mol/nm^2";
inline constexpr std::string_view energy_per_length3 = "kJ/mol/nm^3";
inline constexpr std::string_view energy_per_length4 = "kJ/mol/nm^4";
inline constexpr std::string_view energy_per_angle = "kJ/mol/rad";
inline constexpr std::string_view energy_per_angle2 = "kJ/mol/rad^2";
inline constexpr std::string_view energy_per_angle3 = "kJ/mol/rad^3";
inline constexpr std::string_view energy_per_angle4 = "kJ/mol/rad^4";
inline constexpr std::string_view energy_length6 = "kJ/mol nm^6";
inline constexpr std::string_view energy_length12 = "kJ/mol nm^12";
} // namespace unit

/// One parameter of a term: its name, where it stands, its unit. Serves readers, writers,
/// checkpoints, messages and the manual.
template <class Term, class Value = double>
struct Field {
    std::string_view name;
    Value Term::*member;
    std::string_view unit;
};
template <class Term, class Value>
Field(const char*, Value Term::*, std::string_view) -> Field<Term, Value>;

/// A term's energy and its derivatives with respect to its N internal coordinates.
template <class R, int N>
struct Response {
    R energy;
    R slope[N];
};

/// The same for a term of Cartesian displacements: its gradient with respect to each vector.
template <class R, int V>
struct VectorResponse {
    R energy;
    BasicVec3<R> gradient[V];
};

} // namespace tessera
