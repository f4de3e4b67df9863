#pragma once

#include "forcefields/gromacs_functions.hpp"
#include "forcefields/gromacs_row.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera
{

/// Lines of a molecule that stand in [ bonds ], [ angles ] or [ dihedrals ] more than once: both
/// act, which is seldom meant. Dihedrals repeat where their parameters do, too: several of them
/// make one Fourier series; those without a force constant do not count.
class GromacsRepeats {
public:
    void note(const BondedFunction& function, std::span<const std::int32_t> atoms,
              const GromacsRow& row);
    /// One warning for each directive: the first such line, and how many there are.
    void tell(const GromacsReport& report, const Topology& molecule) const;

private:
    struct Line {
        std::array<std::int32_t, 4> atoms; ///< from the end with the smaller number; -1: none
        BondedFamily family;
        int function;
        std::size_t parameters; ///< their hash, of dihedrals
        LineOrigin origin;
    };
    std::vector<Line> lines_;
};

} // namespace tessera
