#pragma once

#include "engine/model/topology.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tessera
{

/// The families of bonded interactions that look up parameters by types.
enum class BondedFamily { bond, angle, dihedral, constraint };

/// One function type of a bonded directive of a topology file (GROMACS manual, "Topology file").
struct BondedFunction {
    BondedFamily family;
    int function;
    int parameters;           ///< of state A
    int perturbed_parameters; ///< of state B, when the file gives one; 0: there is none
    std::string_view name;    ///< as messages call it
    bool is_chemical = false; ///< joins atoms chemically: exclusions are counted along it
    bool is_refused = false;  ///< known, but the engine has no such term
};

[[nodiscard]] constexpr int atoms_of(BondedFamily family)
{
    return family == BondedFamily::angle ? 3 : (family == BondedFamily::dihedral ? 4 : 2);
}
[[nodiscard]] std::string_view directive_of(BondedFamily family);
[[nodiscard]] std::string_view types_directive_of(BondedFamily family);

/// Null where the family has no such function type.
[[nodiscard]] const BondedFunction* find_function(BondedFamily family, int function);

/// A parameter that no force field can mean, and why.
struct MeaninglessParameter {
    std::size_t index; ///< among the parameters
    std::string why;
};

/// The first such parameter of `p`, in the file's order and units; empty where all can be meant.
[[nodiscard]] std::optional<MeaninglessParameter>
meaningless_parameter(const BondedFunction& function, std::span<const double> p);

/// What is legal but looks like another unit (a length in Angstrom, an angle in radians), and why;
/// empty where nothing does.
[[nodiscard]] std::string unlikely_parameter(const BondedFunction& function,
                                             std::span<const double> p);

/// Puts one interaction into the tables of `topology`: file order and units (nm, degrees, kJ/mol)
/// become those of the terms. `atom`: indices from 0. Constraints go to `constraints`, function 5
/// of bonds adds nothing.
void add_bonded(Topology& topology, const BondedFunction& function,
                std::span<const std::int32_t> atom, std::span<const double> p);

} // namespace tessera
