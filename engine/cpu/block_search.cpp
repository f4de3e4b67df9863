#include "engine/cpu/block_search.hpp"

#include "engine/base/contract.hpp"
#include "engine/base/let_go.hpp"
#include "engine/cpu/simd/pair_kernels.hpp"
#include "engine/plans/box_gap.hpp"

#include <algorithm>

namespace tessera
{

namespace
{

using namespace block_limits;
using Part = BlockSearch::Part;

constexpr int width = ClusterOrder::width;
constexpr std::size_t line = 16;
constexpr double nowhere = 1e15;           // nm: where null atoms stand, farther than any radius
constexpr double farthest = 64.0;          // nm: positions are integers modulo 512 nm
constexpr std::size_t parts_a_thread = 32; // at once: more would hold more

std::size_t at(std::int64_t k)
{
    return static_cast<std::size_t>(k);
}

/// Makes the blocks of one node after another, for one thread.
class Finder {
public:
    Finder(const ClusterPairList& list, std::span<const double> packed,
           std::span<const Bounds> bounds, std::span<const Vec3> shifts, const BlockRules& rules)
        : list_(list), packed_(packed), bounds_(bounds), shifts_(shifts), rules_(rules),
          pair_kernels_(pair_kernels()), reach2_(list.radius * list.radius * (1 + 1e-12)),
          first_of_(bounds.size(), -1)
    {
        if (rules.owner != nullptr) {
            find_speakers();
            find_homes();
        }
        const std::int32_t last = list.order.clusters() - 1;
        for (int lane = 0; last >= 0 && lane < width; ++lane) {
            if (list.order.atom_of_slot[at(last * width + lane)] < 0) {
                null_columns_ |= 0x1111U << lane;
                null_rows_ |= 0xFU << width * lane;
            }
        }
    }

    /// Blocks of the clusters of one node, cut where they reach too far.
    void find(std::int32_t index, Part& part)
    {
        const ClusterOrder::Node& node = list_.order.nodes[at(index)];
        const bool is_single = node.last - node.first == 1;
        const bool is_exact = half_side({node.low, node.high}) + rules_.kernel_radius < exact_reach;
        if (is_single || is_exact) {
            find_entries(node);
        }
        const double reach = half_side(all_);
        if ((is_single ? reach < farthest : is_exact && reach < longest_reach) &&
            std::ssize(cluster_) <= most_entries) {
            add_block(node, part);
        } else if (is_single) {
            part.is_possible = false;
        } else {
            find(node.left, part);
            find(node.right, part);
        }
    }

private:
    /// So many neighbouring rows choose among the entries together.
    static constexpr std::int32_t group_size = 4;

    /// Images of clusters whose box is within the radius of the node's, by shift, then by cluster:
    /// the node's own come first.
    void find_entries(const ClusterOrder::Node& node)
    {
        const std::vector<ClusterOrder::Node>& nodes = list_.order.nodes;
        const int home = home_of(node);
        cluster_.clear();
        shift_.clear();
        all_ = {node.low, node.high};
        for (std::size_t s = 0; s < shifts_.size(); ++s) {
            const Vec3 low = node.low + shifts_[s], high = node.high + shifts_[s];
            std::int32_t stack[64];
            int depth = 0;
            stack[depth++] = 0;
            while (depth > 0) {
                const ClusterOrder::Node& other = nodes[at(stack[--depth])];
                const bool holds_own = s == 0 && other.first < node.last;
                if ((s == 0 && other.last <= node.first) ||
                    (!holds_own && (home | home_of(other)) != all_axes) ||
                    box_gap2(low, high, other.low, other.high) > reach2_) {
                    continue;
                }
                if (other.last - other.first > 4) {
                    stack[depth++] = other.right;
                    stack[depth++] = other.left;
                    continue;
                }
                for (std::int32_t c = other.first; c < other.last; ++c) {
                    const Bounds& box = bounds_[at(c)];
                    if ((s == 0 && c < node.first) ||
                        box_gap2(low, high, box.low, box.high) > reach2_) {
                        continue;
                    }
                    cluster_.push_back(c);
                    shift_.push_back(static_cast<std::uint32_t>(s));
                    include(all_, {box.low - shifts_[s], box.high - shifts_[s]});
                }
            }
        }
    }

    void add_block(const ClusterOrder::Node& node, Part& part)
    {
        const Vec3 origin = 0.5 * (node.low + node.high);
        place(origin);
        const auto first_row = static_cast<std::int64_t>(part.rows.size());
        for (std::int32_t first = node.first; first < node.last; first += group_size) {
            const std::int32_t last = std::min(node.last, first + group_size);
            choose(first, last, node.first, origin);
            for (std::int32_t c = first; c < last; ++c) {
                add_row(c, node.first, part);
            }
        }
        for (const std::int32_t c : cluster_) {
            first_of_[at(c)] = -1;
        }
        const std::int64_t rows = static_cast<std::int64_t>(part.rows.size()) - first_row;
        if (rows > 0) {
            part.blocks.push_back({static_cast<std::int64_t>(part.cluster.size()),
                                   static_cast<std::int64_t>(cluster_.size()), first_row, rows,
                                   origin});
            part.cluster.insert(part.cluster.end(), cluster_.begin(), cluster_.end());
            part.shift.insert(part.shift.end(), shift_.begin(), shift_.end());
        }
    }

    /// Positions and boxes of the entries relative to the origin, and which entries show a cluster.
    void place(const Vec3& origin)
    {
        const std::size_t entries = cluster_.size();
        if (next_of_.size() < entries) {
            next_of_.resize(entries);
            lines_.resize(line * entries);
            boxes_.resize(6 * line * (entries / line + 1));
            chosen_.resize(entries);
            found_.resize(entries);
            excluded_.resize(entries, 0);
        }
        for (std::size_t k = entries / line * line * 6; k < 6 * line * (entries / line + 1); ++k) {
            boxes_[k] = static_cast<float>(nowhere); // entries that are not
        }
        double reach = 0;
        for (std::size_t e = 0; e < entries; ++e) {
            const std::size_t c = at(cluster_[e]);
            const Vec3 subtracted = origin + shifts_[shift_[e]];
            const double* from = packed_.data() + c * 3 * width;
            float* to = lines_.data() + line * e;
            float* box = boxes_.data() + e / line * 6 * line + e % line;
            for (int k = 0; k < 3; ++k) {
                for (int a = 0; a < width; ++a) {
                    to[width * k + a] = static_cast<float>(from[width * k + a] - subtracted[k]);
                }
                const double low = bounds_[c].low[k] - subtracted[k],
                             high = bounds_[c].high[k] - subtracted[k];
                box[line * at(k)] = static_cast<float>(low);
                box[line * at(3 + k)] = static_cast<float>(high);
                reach = std::max({reach, -low, high});
            }
            next_of_[e] = first_of_[c];
            first_of_[c] = static_cast<std::int32_t>(e);
        }
        // coordinates err by 2^-24 of the farthest, r^2 by 3e-7
        const double sure = list_.radius * (1 + 1e-6) + 1e-6 * reach;
        limit2_ = static_cast<float>(sure * sure);
    }

    /// Entries whose box is within the radius of the box of rows [first, last).
    void choose(std::int32_t first, std::int32_t last, std::int32_t block, const Vec3& origin)
    {
        Bounds own = bounds_[at(first)];
        for (std::int32_t c = first + 1; c < last; ++c) {
            include(own, bounds_[at(c)]);
        }
        float box[6];
        for (int k = 0; k < 3; ++k) {
            box[k] = static_cast<float>(own.low[k] - origin[k]);
            box[3 + k] = static_cast<float>(own.high[k] - origin[k]);
        }
        chosen_count_ = pair_kernels_.find_boxes(box, boxes_.data(), at(first - block),
                                                 cluster_.size(), limit2_, chosen_.data());
    }

    void add_row(std::int32_t c, std::int32_t block, Part& part)
    {
        const std::size_t own = at(c - block);
        std::size_t begin = 0; // earlier rows have had their pairs with this one
        while (begin < chosen_count_ && chosen_[begin] < own) {
            ++begin;
        }
        const std::size_t found = pair_kernels_.find_tiles(
            lines_.data() + line * own, lines_.data(), chosen_.data() + begin,
            chosen_count_ - begin, limit2_, found_.data());
        mark_excluded(c, own);
        std::size_t plain = 0; // these stay in `found_`
        masked_.clear();
        for (std::size_t k = 0; k < found; ++k) {
            const BlockTile tile = found_[k];
            std::uint32_t excluded = excluded_[tile.entry];
            if (rules_.owner != nullptr && !(is_own_[at(c)] && is_own_[at(cluster_[tile.entry])])) {
                excluded |= pairs_of_others(c, tile.entry);
            }
            found_[plain] = tile;
            plain += excluded == 0 ? 1 : 0;
            if (excluded != 0 && (tile.mask & ~excluded) != 0) {
                masked_.push_back({tile.entry, static_cast<std::uint16_t>(tile.mask & ~excluded)});
            }
        }
        for (const std::size_t e : marked_) {
            excluded_[e] = 0;
        }
        marked_.clear();
        const auto first = static_cast<std::int64_t>(part.tiles.size());
        part.tiles.insert(part.tiles.end(), masked_.begin(), masked_.end());
        part.tiles.insert(part.tiles.end(), found_.begin(),
                          found_.begin() + static_cast<std::ptrdiff_t>(plain));
        if (masked_.size() + plain > 0) {
            part.rows.push_back({static_cast<std::int32_t>(own), first, first + std::ssize(masked_),
                                 static_cast<std::int64_t>(part.tiles.size())});
        }
    }

    /// Along which axes any atom of a node stands in this rank's own domain.
    void find_homes()
    {
        node_home_.assign(list_.order.nodes.size(), 0);
        const auto visit = [&](const auto& self, std::int32_t index) -> int {
            const ClusterOrder::Node& node = list_.order.nodes[at(index)];
            int home = 0;
            if (node.last - node.first > 1) {
                home = self(self, node.left) | self(self, node.right);
            } else {
                for (int lane = 0; lane < width; ++lane) {
                    const std::int32_t a = list_.order.atom_of_slot[at(node.first * width + lane)];
                    home |= a < 0 ? 0 : rules_.owner->atoms[at(a)].home;
                }
            }
            return node_home_[at(index)] = static_cast<std::uint8_t>(home);
        };
        if (!node_home_.empty()) {
            visit(visit, 0);
        }
    }
    /// A pair is computed where, along each axis, one of its atoms stands.
    [[nodiscard]] int home_of(const ClusterOrder::Node& node) const
    {
        return node_home_.empty() ? all_axes : node_home_[at(&node - list_.order.nodes.data())];
    }

    /// Clusters whose atoms stand in one domain: one of them speaks for all.
    void find_speakers()
    {
        const std::vector<std::int32_t>& atoms = list_.order.atom_of_slot;
        speaker_.assign(bounds_.size(), no_speaker);
        is_own_.assign(bounds_.size(), 0);
        for (std::size_t c = 0; c < bounds_.size(); ++c) {
            const std::int32_t first = atoms[width * c];
            const bool agree = std::all_of(
                atoms.begin() + static_cast<std::ptrdiff_t>(width * c),
                atoms.begin() + static_cast<std::ptrdiff_t>(width * (c + 1)),
                [&](std::int32_t a) { return a < 0 || rules_.owner->stand_together(first, a); });
            speaker_[c] = agree ? first : no_speaker;
            is_own_[c] = agree && rules_.owner->is_own(first) ? 1 : 0;
        }
    }

    /// Pairs of a row with an entry that another rank computes.
    [[nodiscard]] std::uint32_t pairs_of_others(std::int32_t row, std::size_t entry) const
    {
        const std::int32_t column = cluster_[entry];
        const std::array<int, 3>& shift = list_.shifts[shift_[entry]];
        const std::int32_t own = speaker_[at(row)], other = speaker_[at(column)];
        if (own != no_speaker && other != no_speaker) {
            return rules_.owner->owns(own, other, shift) ? 0 : all_pairs;
        }
        const auto atom = [this](std::int32_t cluster, int lane) {
            return list_.order.atom_of_slot[at(cluster * width + lane)];
        };
        std::uint32_t others = 0;
        for (int a = 0; a < width; ++a) {
            for (int b = 0; b < width; ++b) {
                const std::int32_t i = atom(row, a), j = atom(column, b);
                if (i >= 0 && j >= 0 && !rules_.owner->owns(i, j, shift)) {
                    others |= 1U << (width * a + b);
                }
            }
        }
        return others;
    }

    /// Which pairs of the row do not count, however near, by entry.
    void mark_excluded(std::int32_t c, std::size_t own)
    {
        constexpr std::uint32_t mark = 1U << 16;
        const auto exclude = [this](std::size_t entry, std::uint32_t bits) {
            excluded_[entry] |= bits | mark;
            marked_.push_back(entry);
        };
        exclude(own, ~ClusterPairList::upper_triangle & 0xFFFFU);
        const auto exclude_all = [&](std::int32_t cluster, std::uint32_t bits) {
            for (std::int32_t e = first_of_[at(cluster)]; e >= 0; e = next_of_[at(e)]) {
                exclude(at(e), bits);
            }
        };
        for (std::int64_t k = list_.masked_begin[at(c)]; k < list_.masked_begin[at(c) + 1]; ++k) {
            exclude_all(list_.masked[at(k)].cluster, list_.masked[at(k)].mask);
        }
        if (null_columns_ != 0) {
            const std::int32_t last = list_.order.clusters() - 1;
            exclude_all(last, null_columns_);
            for (std::size_t e = 0; c == last && e < cluster_.size(); ++e) {
                exclude(e, null_rows_);
            }
        }
    }

    const ClusterPairList& list_;
    std::span<const double> packed_;
    std::span<const Bounds> bounds_;
    std::span<const Vec3> shifts_;
    const BlockRules& rules_;
    const PairKernels& pair_kernels_;
    double reach2_; ///< a little more: rounding of the gap must not lose a pair
    static constexpr std::int32_t no_speaker = -1;
    static constexpr std::uint32_t all_pairs = 0xFFFF;
    static constexpr int all_axes = 7;
    std::vector<std::uint8_t> node_home_; ///< [nodes], bits; with other ranks only
    std::vector<std::uint8_t> is_own_;    ///< [clusters]: this rank computes all pairs of two such
    std::vector<std::int32_t> speaker_;   ///< [clusters], an atom; with other ranks only
    std::uint32_t null_columns_ = 0, null_rows_ = 0; ///< bits of the last cluster's null atoms

    // of the open block
    std::vector<std::int32_t> cluster_;            ///< [entries]
    std::vector<std::uint32_t> shift_;             ///< [entries]
    Bounds all_;                                   ///< of all entries
    std::vector<std::int32_t> first_of_, next_of_; ///< [clusters], [entries]: entries by cluster
    AlignedVector<float> lines_;                   ///< [entries][16]: x4 y4 z4, nm
    AlignedVector<float> boxes_;                   ///< [entries / 16][6][16]
    float limit2_ = 0;
    std::vector<std::uint16_t> chosen_;
    std::size_t chosen_count_ = 0;
    std::vector<BlockTile> found_, masked_;
    std::vector<std::uint32_t> excluded_; ///< [entries]: pairs of the open row; bit 16 is a mark
    std::vector<std::size_t> marked_;
};

} // namespace

void BlockSearch::pack(const ClusterPairList& list, std::span<const Vec3> positions, int threads)
{
    const std::int32_t clusters = list.order.clusters();
    packed_.resize(at(clusters) * 3 * width);
    bounds_.resize(at(clusters));
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::int32_t c = 0; c < clusters; ++c) {
        Bounds box{{nowhere, nowhere, nowhere}, {-nowhere, -nowhere, -nowhere}};
        double* to = packed_.data() + at(c) * 3 * width;
        for (int a = 0; a < width; ++a) {
            const std::int32_t atom = list.order.atom_of_slot[at(c * width + a)];
            const Vec3 x = atom < 0 ? Vec3{nowhere, nowhere, nowhere} : positions[at(atom)];
            for (int k = 0; k < 3; ++k) {
                to[width * k + a] = x[k];
            }
            if (atom >= 0) {
                include(box, {x, x});
            }
        }
        bounds_[at(c)] = box;
    }
}

bool BlockSearch::find(const ClusterPairList& list, std::span<const Vec3> positions,
                       std::span<const Vec3> shift_vectors, const BlockRules& rules, int threads,
                       PairBlocks& blocks)
{
    TESSERA_EXPECT(!list.all_pairs && shift_vectors.size() == list.shifts.size());
    TESSERA_EXPECT(rules.is_partial.empty() && rules.is_other.empty());
    threads = std::max(1, threads);
    nodes_.clear();
    const auto add_nodes = [&](const auto& self, std::int32_t index) -> void {
        const ClusterOrder::Node& node = list.order.nodes[at(index)];
        if (node.last - node.first <= std::max(1, rules.largest_block)) {
            nodes_.push_back(index);
        } else {
            self(self, node.left);
            self(self, node.right);
        }
    };
    if (!list.order.nodes.empty()) {
        add_nodes(add_nodes, 0);
    }
    pack(list, positions, threads);
    blocks.blocks.clear();
    blocks.cluster.clear();
    blocks.shift.clear();
    blocks.rows.clear();
    blocks.tiles.clear();
    blocks.other_rows.clear();
    blocks.other_columns.clear();
    const std::size_t at_once = std::min(nodes_.size(), parts_a_thread * at(threads));
    if (parts_.size() < at_once) {
        parts_.resize(at_once);
    }
    before_.resize(at_once + 1);
    bool is_possible = true;
#pragma omp parallel num_threads(threads)
    {
        Finder finder(list, packed_, bounds_, shift_vectors, rules);
        for (std::size_t first = 0; first < nodes_.size() && is_possible; first += at_once) {
            const auto count = static_cast<std::int64_t>(std::min(at_once, nodes_.size() - first));
#pragma omp for schedule(dynamic, 1)
            for (std::int64_t p = 0; p < count; ++p) {
                Part& part = parts_[at(p)];
                part.blocks.clear();
                part.cluster.clear();
                part.shift.clear();
                part.rows.clear();
                part.tiles.clear();
                part.is_possible = true;
                finder.find(nodes_[first + at(p)], part);
            }
#pragma omp single
            {
                is_possible = std::all_of(parts_.begin(), parts_.begin() + count,
                                          [](const Part& part) { return part.is_possible; });
                const std::int32_t done = list.order.nodes[at(nodes_[first + at(count) - 1])].last;
                make_room(at(count), list.order.clusters(), done, blocks);
            }
#pragma omp for schedule(static)
            for (std::int64_t p = 0; p < count; ++p) {
                put(at(p), blocks);
            }
        }
    }
    let_go(packed_); // an eighth of what it helped to make
    let_go(bounds_);
    blocks.most_entries = 0;
    for (const PairBlocks::Block& block : blocks.blocks) {
        blocks.most_entries = std::max(blocks.most_entries, block.entries);
    }
    return is_possible;
}

/// Behind the blocks there are; for those to come as much as the first parts, the largest, lead to
/// expect. Memory that is only reserved is not taken.
void BlockSearch::make_room(std::size_t parts, std::int32_t clusters, std::int32_t done,
                            PairBlocks& blocks)
{
    before_[0] = {std::ssize(blocks.blocks), std::ssize(blocks.cluster), std::ssize(blocks.rows),
                  std::ssize(blocks.tiles)};
    const bool is_first = blocks.blocks.empty();
    for (std::size_t p = 0; p < parts; ++p) {
        const Part& part = parts_[p];
        before_[p + 1] = {before_[p].blocks + std::ssize(part.blocks),
                          before_[p].entries + std::ssize(part.cluster),
                          before_[p].rows + std::ssize(part.rows),
                          before_[p].tiles + std::ssize(part.tiles)};
    }
    const auto extend = [&](auto& values, std::int64_t size) {
        if (is_first) {
            values.reserve(at(size * clusters / done + size / 8));
        }
        values.resize(at(size));
    };
    const Sizes& after = before_[parts];
    extend(blocks.blocks, after.blocks);
    extend(blocks.cluster, after.entries);
    extend(blocks.shift, after.entries);
    extend(blocks.rows, after.rows);
    extend(blocks.tiles, after.tiles);
}

void BlockSearch::put(std::size_t index, PairBlocks& blocks) const
{
    const Part& part = parts_[index];
    const Sizes& base = before_[index];
    for (std::size_t b = 0; b < part.blocks.size(); ++b) {
        PairBlocks::Block& to = blocks.blocks[at(base.blocks) + b];
        to = part.blocks[b];
        to.first_entry += base.entries;
        to.first_row += base.rows;
    }
    for (std::size_t r = 0; r < part.rows.size(); ++r) {
        const BlockRow& row = part.rows[r];
        blocks.rows[at(base.rows) + r] = {row.entry, row.begin + base.tiles, row.plain + base.tiles,
                                          row.end + base.tiles};
    }
    std::copy(part.cluster.begin(), part.cluster.end(), blocks.cluster.begin() + base.entries);
    std::copy(part.shift.begin(), part.shift.end(), blocks.shift.begin() + base.entries);
    std::copy(part.tiles.begin(), part.tiles.end(), blocks.tiles.begin() + base.tiles);
}

} // namespace tessera
