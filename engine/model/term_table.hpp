#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace tessera
{

/// All terms of one kind: unique parameters, and tuples of atoms (global, topology order) that
/// point to them.
template <class Term>
struct TermTable {
    struct Entry {
        std::array<std::int32_t, static_cast<std::size_t>(Term::atoms)> atom;
        std::int32_t parameter; ///< index into `parameters`
        friend bool operator==(const Entry&, const Entry&) = default;
    };

    std::vector<Term> parameters;
    std::vector<Entry> entries;

    /// Adds a term; equal parameters that follow each other are stored once (compact() merges the
    /// rest).
    void add(const std::array<std::int32_t, static_cast<std::size_t>(Term::atoms)>& atom,
             const Term& term)
    {
        if (parameters.empty() || !(parameters.back() == term)) {
            parameters.push_back(term);
        }
        entries.push_back({atom, static_cast<std::int32_t>(parameters.size() - 1)});
    }
    [[nodiscard]] const Term& term(const Entry& entry) const
    {
        return parameters[static_cast<std::size_t>(entry.parameter)];
    }
    [[nodiscard]] bool empty() const { return entries.empty(); }
    [[nodiscard]] std::size_t size() const { return entries.size(); }
};

} // namespace tessera
