#pragma once

#include "forcefields/gromacs_preprocessor.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace tessera
{

/// Names of up to four bonded types as numbers; unused places hold `unused`, X of dihedral types is
/// `wildcard`.
using BondedTypeTuple = std::array<std::int32_t, 4>;

/// The parameters that a topology gives for tuples of bonded types, for one family and function.
class BondedTypeTable {
public:
    static constexpr std::int32_t wildcard = -1;
    static constexpr std::int32_t unused = -2;

    struct Entry {
        BondedTypeTuple types;
        std::vector<double> parameters;
        LineOrigin origin;
        bool is_block_line; ///< of dihedral function 9: lines that follow each other are summed
    };
    enum class Outcome {
        added,
        same_again,    ///< repeats an earlier entry; nothing changed
        replaced,      ///< differs from an earlier entry, which it replaces
        second_block,  ///< refused: other lines for these types stand earlier, not just before
        identical_line ///< refused: the same line twice in one block would count twice
    };
    struct Result {
        Outcome outcome;
        LineOrigin earlier; ///< the entry it meets; of meaning unless added
    };

    explicit BondedTypeTable(int atoms) : atoms_(atoms) {}

    Result add(Entry entry);

    /// Entries that hold for atoms of these types, in either order: those with the most types that
    /// are no wildcards, the first of them in file order, and, for block lines, the lines of the
    /// same types that follow it directly.
    [[nodiscard]] std::vector<const Entry*> find(const BondedTypeTuple& types) const;

private:
    [[nodiscard]] BondedTypeTuple reversed(const BondedTypeTuple& types) const;
    [[nodiscard]] BondedTypeTuple canonical(const BondedTypeTuple& types) const;

    int atoms_;
    std::vector<Entry> entries_;
    std::map<BondedTypeTuple, std::vector<std::size_t>> by_types_; ///< canonical order
    std::vector<std::size_t> with_wildcard_;
};

} // namespace tessera
