#include "forcefields/gromacs_leap_order.hpp"

#include <algorithm>

namespace tessera
{

namespace
{

/// Whether the entry holds for the types in the order given rather than backwards.
bool is_forward(const BondedTypeTuple& entry, const std::vector<std::int32_t>& bonded)
{
    int forward = 0, backward = 0;
    for (std::size_t k = 0; k < 4; ++k) {
        const auto score = [&](std::int32_t wanted) {
            return entry[k] == wanted ? 1 : (entry[k] == BondedTypeTable::wildcard ? 0 : -8);
        };
        forward += score(bonded[k]);
        backward += score(bonded[3 - k]);
    }
    return forward >= backward;
}

} // namespace

void GromacsLeapOrder::apply(const GromacsForceField& force_field, const BondedFunction& function,
                             const BondedTypeTable::Entry& entry,
                             const std::vector<std::int32_t>& bonded,
                             std::vector<std::int32_t>& atoms)
{
    using Named = std::pair<std::string, std::int32_t>;
    const bool forward = is_forward(entry.types, bonded);
    std::array<Named, 4> named;
    for (std::size_t k = 0; k < 4; ++k) {
        const std::int32_t type = entry.types[forward ? k : 3 - k];
        named[k] = {type == BondedTypeTable::wildcard ? " " : force_field.bonded_name(type),
                    atoms[k]};
    }
    const bool has_force_constant = entry.parameters[1] != 0;
    if (has_force_constant &&
        (named[0].first > named[3].first ||
         (named[0].first == named[3].first && named[1].first > named[2].first))) {
        std::reverse(named.begin(), named.end());
    }
    std::array<std::string, 4> types;
    std::array<std::int32_t, 4> numbers{};
    for (std::size_t k = 0; k < 4; ++k) {
        types[k] = named[k].first;
        numbers[k] = named[k].second;
    }
    if (seen_types_.contains({function.function, types}) ||
        seen_atoms_.contains({function.function, numbers})) {
        std::array<Named, 3> around = {named[0], named[1], named[3]};
        std::sort(around.begin(), around.end());
        named[0] = around[0];
        named[1] = around[1];
        named[3] = around[2];
    } else {
        seen_types_.insert({function.function, types});
        seen_atoms_.insert({function.function, numbers});
    }
    for (std::size_t k = 0; k < 4; ++k) {
        atoms[k] = named[k].second;
    }
}

} // namespace tessera
