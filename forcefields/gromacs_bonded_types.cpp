#include "forcefields/gromacs_bonded_types.hpp"

#include <algorithm>

namespace tessera
{

namespace
{

/// Number of types that match exactly; -1 where they do not match.
int exactness(const BondedTypeTuple& entry, const BondedTypeTuple& wanted)
{
    int exact = 0;
    for (std::size_t k = 0; k < wanted.size(); ++k) {
        if (entry[k] == wanted[k]) {
            exact += entry[k] != BondedTypeTable::unused ? 1 : 0;
        } else if (entry[k] != BondedTypeTable::wildcard) {
            return -1;
        }
    }
    return exact;
}

} // namespace

BondedTypeTuple BondedTypeTable::reversed(const BondedTypeTuple& types) const
{
    BondedTypeTuple back = types;
    std::reverse(back.begin(), back.begin() + atoms_);
    return back;
}

BondedTypeTuple BondedTypeTable::canonical(const BondedTypeTuple& types) const
{
    return std::min(types, reversed(types));
}

BondedTypeTable::Result BondedTypeTable::add(Entry entry)
{
    const BondedTypeTuple key = canonical(entry.types);
    std::vector<std::size_t>& same = by_types_[key];
    if (same.empty()) {
        if (std::find(key.begin(), key.end(), wildcard) != key.end()) {
            with_wildcard_.push_back(entries_.size());
        }
        same.push_back(entries_.size());
        entries_.push_back(std::move(entry));
        return {Outcome::added, {}};
    }
    const LineOrigin earlier = entries_[same.front()].origin;
    if (entry.is_block_line && same.back() + 1 == entries_.size()) {
        for (const std::size_t k : same) {
            if (entries_[k].parameters == entry.parameters) {
                return {Outcome::identical_line, entries_[k].origin};
            }
        }
        same.push_back(entries_.size());
        entries_.push_back(std::move(entry));
        return {Outcome::added, {}};
    }
    if (same.size() == 1 && entries_[same.front()].parameters == entry.parameters) {
        return {Outcome::same_again, earlier};
    }
    if (same.size() > 1 || entry.is_block_line) {
        return {Outcome::second_block, earlier};
    }
    entries_[same.front()].parameters = std::move(entry.parameters);
    entries_[same.front()].origin = entry.origin;
    return {Outcome::replaced, earlier};
}

std::vector<const BondedTypeTable::Entry*> BondedTypeTable::find(const BondedTypeTuple& types) const
{
    const std::vector<std::size_t>* best = nullptr;
    if (const auto it = by_types_.find(canonical(types)); it != by_types_.end()) {
        best = &it->second;
    } else {
        const BondedTypeTuple back = reversed(types);
        int most = -1;
        for (const std::size_t k : with_wildcard_) {
            const int exact =
                std::max(exactness(entries_[k].types, types), exactness(entries_[k].types, back));
            if (exact > most) {
                most = exact;
                best = &by_types_.find(canonical(entries_[k].types))->second;
            }
        }
    }
    std::vector<const Entry*> found;
    if (best != nullptr) {
        for (const std::size_t k : *best) {
            found.push_back(&entries_[k]);
        }
    }
    return found;
}

} // namespace tessera
