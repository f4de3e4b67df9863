#include "engine/cpu/listed.hpp"

#include "engine/base/error.hpp"
#include "engine/cpu/listed_faults.hpp"
#include "engine/cpu/listed_work.hpp"
#include "engine/cpu/simd/simd_choice.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <omp.h>

namespace tessera
{

struct Listed::Work {
    ListedTables tables;
    // kept between calls, in local numbers
    std::vector<Vec3> positions;
    std::vector<ForceSums> forces; ///< one a thread
};

namespace
{

/// Below this many entries a second thread costs more than it saves; the bits are the same.
constexpr std::size_t entries_worth_a_thread = 4000;

/// Lists the atoms that have terms; returns the local number of each.
std::vector<std::int32_t> number_atoms(ListedTables& tables)
{
    std::vector<std::int32_t> local;
    ListedTerms::for_each([&]<class Term>() {
        for (const auto& entry : tables.topology.table<Term>().entries) {
            for (const std::int32_t a : entry.atom) {
                const auto k = static_cast<std::size_t>(a);
                local.resize(std::max(local.size(), k + 1), -1);
                local[k] = 0;
            }
        }
    });
    for (std::size_t a = 0; a < local.size(); ++a) {
        if (local[a] == 0) {
            local[a] = static_cast<std::int32_t>(tables.atoms.size());
            tables.atoms.push_back(static_cast<std::int32_t>(a));
        }
    }
    return local;
}

template <class Term>
void fill_blocks(const std::vector<typename TermTable<Term>::Entry>& entries,
                 const std::vector<std::int32_t>& local, ListedBlocks<Term>& out)
{
    constexpr std::size_t lanes = ListedBlocks<Term>::lanes;
    out.entries = entries.size();
    out.blocks.resize((entries.size() + lanes - 1) / lanes);
    for (std::size_t e = 0; e < out.blocks.size() * lanes; ++e) {
        const auto& entry = entries[std::min(e, entries.size() - 1)];
        auto& block = out.blocks[e / lanes];
        for (std::size_t k = 0; k < entry.atom.size(); ++k) {
            block.atom[k][e % lanes] = local[static_cast<std::size_t>(entry.atom[k])];
        }
        block.parameter[e % lanes] = entry.parameter;
    }
}

/// Adds one by one the terms that have no lanes, or all.
void add_singly(const ListedPlace& at, ListedShare& share, bool all_terms)
{
    ListedTerms::for_each([&]<class Term>() {
        if (has_lanes<Term> && !all_terms) {
            return;
        }
        const std::size_t all = at.tables.of<Term>().blocks.size();
        for (std::size_t b = share.first(all); b < share.end(all) && share.fault.empty(); ++b) {
            add_listed_block<Term>(at, share, b);
        }
    });
}

void add_share(const ListedPlace& at, ListedShare& share)
{
    const SimdLevel level = simd_level();
    const bool in_lanes = share.forces.mode() == SumMode::exact && level != SimdLevel::baseline;
    if (in_lanes) {
        (level == SimdLevel::avx512 ? add_listed_avx512 : add_listed_avx2)(at, share);
    }
    add_singly(at, share, !in_lanes);
}

} // namespace

Listed::Listed(const Topology& topology) : work_(new Work{{topology, {}, {}, {}, 0, 0, {}}, {}, {}})
{
    ListedTables& tables = work_->tables;
    for (const Cmap& map : topology.table<Cmap>().parameters) {
        tables.cmap_nodes.push_back(cmap_nodes(map));
    }
    const std::vector<std::int32_t> local = number_atoms(tables);
    ListedTerms::for_each([&]<class Term>() {
        const auto& table = topology.table<Term>();
        fill_blocks<Term>(table.entries, local, std::get<ListedBlocks<Term>>(tables.blocks));
        tables.entries += table.size();
        if constexpr (requires { &Term::r0; }) {
            for (const auto& entry : table.entries) {
                if (table.term(entry).r0 > tables.longest) {
                    tables.longest = table.term(entry).r0;
                    tables.of_longest = listed_label<Term>(topology, entry);
                }
            }
        }
    });
}

Listed::~Listed() = default;
Listed::Listed(Listed&&) noexcept = default;
Listed& Listed::operator=(Listed&&) noexcept = default;

void Listed::add_forces(const Box& box, std::span<const Vec3> positions, Wanted wanted, int threads,
                        ForceSums& forces, EnergySums& sums)
{
    const ListedTables& tables = work_->tables;
    if (tables.entries == 0) {
        return;
    }
    if (box.is_periodic() && tables.longest > 0.5 * box.shortest_height()) {
        throw InputError(fmt::format("{} is {:.6g} nm long at rest in a cell of shortest height "
                                     "{:.6g} nm (beyond half of that its nearest image is not "
                                     "certain). Use a larger cell.",
                                     tables.of_longest, tables.longest, box.shortest_height()));
    }
    const auto useful = static_cast<int>(tables.entries / entries_worth_a_thread) + 1;
    const auto workers = static_cast<std::size_t>(
        forces.mode() == SumMode::exact ? std::clamp(threads, 1, useful) : 1);

    const std::size_t atoms = tables.atoms.size();
    work_->positions.resize(atoms);
    for (std::size_t a = 0; a < atoms; ++a) {
        work_->positions[a] = positions[static_cast<std::size_t>(tables.atoms[a])];
    }
    work_->forces.resize(workers);
    std::vector<EnergySums> own_sums(workers);
    std::vector<std::string> faults(workers);
    const ListedPlace at{
        tables,           box, work_->positions.data(), wanted, PlaceGrid(box, reach_of_places(0)),
        PositionGrid(box)};
#pragma omp parallel for num_threads(static_cast <int>(workers)) schedule(static, 1)
    for (std::size_t w = 0; w < workers; ++w) {
        if (work_->forces[w].mode() != forces.mode() || work_->forces[w].size() != atoms) {
            work_->forces[w] = ForceSums(atoms, forces.mode());
        }
        work_->forces[w].clear();
        ListedShare share{w, workers, work_->forces[w], own_sums[w], {}};
        add_share(at, share);
        faults[w] = share.fault;
    }

    for (std::size_t w = 0; w < workers; ++w) {
        if (!faults[w].empty()) {
            throw PhysicsError(faults[w]);
        }
        forces.merge(work_->forces[w], tables.atoms);
        sums.merge(own_sums[w]);
    }
}

} // namespace tessera
