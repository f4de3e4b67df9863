#include "engine/cpu/block_search.hpp"

#include "engine/base/contract.hpp"
#include "engine/base/let_go.hpp"
#include "engine/cpu/cluster_owners.hpp"
#include "engine/cpu/simd/pair_kernels.hpp"
#include "engine/plans/box_gap.hpp"

#include <algorithm>
#include <cmath>

namespace tessera
{

namespace
{

using namespace block_limits;
using Part = BlockSearch::Part;

constexpr int width = ClusterOrder::width;
constexpr std::size_t line = 16;
constexpr float nowhere = 1e15F;           // nm: where null atoms stand, farther than any radius
constexpr double farthest = 64.0;          // nm: positions are integers modulo 512 nm
constexpr std::size_t parts_a_thread = 32; // at once: more would hold more

std::size_t at(std::int64_t k)
{
    return static_cast<std::size_t>(k);
}

/// Makes the blocks of one node after another, for one thread.
class Finder {
public:
    Finder(const ClusterPairList& list, const RaggedList& exclusions,
           std::span<const double> packed, std::span<const float> bounds,
           std::span<const Vec3> shifts, const BlockRules& rules)
        : list_(list), exclusions_(exclusions), packed_(packed), bounds_(bounds), shifts_(shifts),
          rules_(rules), owners_(list, rules.owner), pair_kernels_(pair_kernels()),
          first_of_(at(list.order.clusters()), -1)
    {
        double largest = 0; // coordinate met
        for (std::size_t s = 0; s < shifts.size() && !list.order.nodes.empty(); ++s) {
            const ClusterOrder::Node& root = list.order.nodes.front();
            for (int k = 0; k < 3; ++k) {
                largest = std::max({largest, std::fabs(root.low[k] + shifts[s][k]),
                                    std::fabs(root.high[k] + shifts[s][k])});
            }
        }
        // boxes are in FP32: each coordinate, shift and origin errs by 2^-24 of the largest
        sure_radius_ = list.radius * (1 + 1e-6) + 1e-6 * largest;
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
        if ((is_single || is_exact) &&
            add_block(node, is_single ? farthest : longest_reach, part)) {
            return;
        }
        if (is_single) {
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
        const int home = owners_.home_of(node);
        cluster_.clear();
        shift_.clear();
        for (std::size_t s = 0; s < shifts_.size(); ++s) {
            const Vec3 low = node.low + shifts_[s], high = node.high + shifts_[s];
            float box[6];
            for (int k = 0; k < 3; ++k) {
                box[k] = static_cast<float>(low[k]);
                box[3 + k] = static_cast<float>(high[k]);
            }
            std::int32_t stack[64];
            int depth = 0;
            stack[depth++] = 0;
            while (depth > 0) {
                const ClusterOrder::Node& other = nodes[at(stack[--depth])];
                const bool holds_own = s == 0 && other.first < node.last;
                if ((s == 0 && other.last <= node.first) ||
                    (!holds_own && (home | owners_.home_of(other)) != owners_.all_axes) ||
                    box_gap2(low, high, other.low, other.high) > sure_radius_ * sure_radius_) {
                    continue;
                }
                if (other.last - other.first > static_cast<std::int32_t>(line)) {
                    stack[depth++] = other.right;
                    stack[depth++] = other.left;
                    continue;
                }
                add_near(box, other, s, node);
            }
        }
    }

    /// Those of up to 16 clusters, which begin at a multiple of 16, that are near a box.
    void add_near(const float* box, const ClusterOrder::Node& group, std::size_t shift,
                  const ClusterOrder::Node& node)
    {
        const int home = owners_.home_of(node);
        std::uint16_t near[line];
        const std::size_t count = pair_kernels_.find_boxes(
            box, bounds_.data() + 6 * at(group.first), 0, at(group.last - group.first),
            static_cast<float>(sure_radius_ * sure_radius_), near);
        for (std::size_t k = 0; k < count; ++k) {
            const std::int32_t c = group.first + near[k];
            const bool is_own = shift == 0 && c >= node.first && c < node.last;
            const bool is_here = (home | owners_.home_of(c)) == owners_.all_axes;
            if (is_own || (is_here && (shift > 0 || c >= node.first))) {
                cluster_.push_back(c);
                shift_.push_back(static_cast<std::uint16_t>(shift));
            }
        }
    }

    /// False, and nothing is added: it holds too much, or reaches farther than `longest`, nm.
    bool add_block(const ClusterOrder::Node& node, double longest, Part& part)
    {
        find_entries(node);
        if (std::ssize(cluster_) > most_entries) {
            return false;
        }
        const Vec3 origin = 0.5 * (node.low + node.high);
        const bool is_small = place(origin) < longest;
        const auto first_row = static_cast<std::int64_t>(part.rows.size());
        first_tile_ = static_cast<std::int64_t>(part.tiles.size());
        for (std::int32_t first = node.first; is_small && first < node.last; first += group_size) {
            const std::int32_t last = std::min(node.last, first + group_size);
            choose(at(first - node.first), at(last - node.first));
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
                                   first_tile_, origin});
            part.cluster.insert(part.cluster.end(), cluster_.begin(), cluster_.end());
            part.shift.insert(part.shift.end(), shift_.begin(), shift_.end());
        }
        return is_small;
    }

    /// Positions and boxes of the entries relative to the origin, and which entries show a cluster.
    /// Returns the farthest coordinate, nm.
    double place(const Vec3& origin)
    {
        const std::size_t entries = cluster_.size();
        if (next_of_.size() < entries) {
            next_of_.resize(entries);
            lines_.resize(line * entries);
            boxes_.resize(6 * line * (entries / line + 1));
            chosen_.resize(entries);
            near_.resize(entries);
            far_.resize(entries);
            excluded_.resize(entries, 0);
        }
        for (std::size_t k = entries / line * line * 6; k < 6 * line * (entries / line + 1); ++k) {
            boxes_[k] = nowhere; // entries that are not
        }
        float reach = 0;
        for (std::size_t e = 0; e < entries; ++e) {
            const std::size_t c = at(cluster_[e]);
            const Vec3 subtracted = origin + shifts_[shift_[e]];
            const double* from = packed_.data() + c * 3 * width;
            float* to = lines_.data() + line * e;
            const float* bounds = bounds_.data() + c / line * 6 * line + c % line;
            float* box = boxes_.data() + e / line * 6 * line + e % line;
            for (std::size_t k = 0; k < 3; ++k) {
                const double minus = subtracted[static_cast<int>(k)];
                for (std::size_t a = 0; a < width; ++a) {
                    to[width * k + a] = static_cast<float>(from[width * k + a] - minus);
                }
                const float low = bounds[line * k] - static_cast<float>(minus),
                            high = bounds[line * (3 + k)] - static_cast<float>(minus);
                box[line * k] = low;
                box[line * (3 + k)] = high;
                reach = std::max({reach, -low, high});
            }
            next_of_[e] = first_of_[c];
            first_of_[c] = static_cast<std::int32_t>(e);
        }
        // coordinates err by 2^-24 of the farthest, r^2 by 3e-7
        const double sure = list_.radius * (1 + 1e-6) + 1e-6 * static_cast<double>(reach);
        limit2_ = static_cast<float>(sure * sure);
        near2_ = static_cast<float>(rules_.near_radius * rules_.near_radius);
        return reach;
    }

    /// Entries whose box is within the radius of the box of the rows, entries [first, last).
    void choose(std::size_t first, std::size_t last)
    {
        float box[6] = {nowhere, nowhere, nowhere, -nowhere, -nowhere, -nowhere};
        for (std::size_t e = first; e < last; ++e) {
            const float* own = boxes_.data() + e / line * 6 * line + e % line;
            for (std::size_t k = 0; k < 3; ++k) {
                box[k] = std::min(box[k], own[line * k]);
                box[3 + k] = std::max(box[3 + k], own[line * (3 + k)]);
            }
        }
        chosen_count_ = pair_kernels_.find_boxes(box, boxes_.data(), first, cluster_.size(),
                                                 static_cast<float>(sure_radius_ * sure_radius_),
                                                 chosen_.data());
    }

    void add_row(std::int32_t c, std::int32_t block, Part& part)
    {
        const std::size_t own = at(c - block);
        std::size_t begin = 0; // earlier rows have had their pairs with this one
        while (begin < chosen_count_ && chosen_[begin] < own) {
            ++begin;
        }
        alignas(64) float row[line];
        std::copy_n(lines_.data() + line * own, line, row);
        mark_excluded(c, own);
        masked_.clear();
        for (const std::uint16_t entry : marked_) {
            add_masked(entry, excluded_[entry] | pairs_of_others(c, entry));
        }
        hide_marked();
        auto [near, far] = find_plain(row, chosen_.data() + begin, chosen_count_ - begin);
        show_marked();
        if (!owners_.is_alone()) {
            near = mask_pairs_of_others(c, near_, near);
            far = mask_pairs_of_others(c, far_, far);
        }
        masked_.resize(pair_kernels_.keep_near_masked(row, lines_.data(), masked_.data(),
                                                      masked_.size(), limit2_, masked_.data()));
        if (masked_.size() + near + far == 0) {
            return;
        }
        const auto add = [&](const std::vector<std::uint16_t>& numbers, std::size_t count) {
            part.tiles.insert(part.tiles.end(), numbers.begin(),
                              numbers.begin() + static_cast<std::ptrdiff_t>(count));
            return static_cast<std::int32_t>(std::ssize(part.tiles) - first_tile_);
        };
        const std::int32_t first = add(masked_, 0), plain = add(masked_, masked_.size()),
                           first_far = add(near_, near);
        part.rows.push_back(
            {static_cast<std::int32_t>(own), first, plain, first_far, add(far_, far)});
    }

    /// Fills near_ and far_ from these entries; returns how many.
    SplitTiles find_plain(const float* row, const std::uint16_t* entries, std::size_t count)
    {
        if (rules_.near_radius == 0) {
            return {0, pair_kernels_.keep_near(row, lines_.data(), entries, count, limit2_,
                                               far_.data())};
        }
        return pair_kernels_.split_near(row, lines_.data(), entries, count, {near2_, limit2_},
                                        near_.data(), far_.data());
    }

    /// A tile of the open row of which these pairs do not count.
    void add_masked(std::uint16_t entry, std::uint32_t excluded)
    {
        masked_.insert(masked_.end(), {entry, static_cast<std::uint16_t>(~excluded)});
    }

    /// Entries with excluded pairs are looked at by themselves: no distance finds them meanwhile.
    void hide_marked()
    {
        hidden_.resize(width * marked_.size());
        for (std::size_t k = 0; k < marked_.size(); ++k) {
            float* x = lines_.data() + line * marked_[k];
            std::copy_n(x, width, hidden_.data() + width * k);
            std::fill_n(x, width, -nowhere); // far from null atoms too
        }
    }
    void show_marked()
    {
        for (std::size_t k = 0; k < marked_.size(); ++k) {
            std::copy_n(hidden_.data() + width * k, width, lines_.data() + line * marked_[k]);
            excluded_[marked_[k]] = 0;
        }
        marked_.clear();
    }

    [[nodiscard]] std::uint32_t pairs_of_others(std::int32_t row, std::uint16_t entry) const
    {
        return owners_.pairs_of_others(row, cluster_[entry], list_.shifts[shift_[entry]]);
    }

    /// Moves found tiles of which other ranks compute pairs to the masked ones; returns how many
    /// stay.
    std::size_t mask_pairs_of_others(std::int32_t c, std::vector<std::uint16_t>& tiles,
                                     std::size_t found)
    {
        std::size_t plain = 0;
        for (std::size_t k = 0; k < found; ++k) {
            const std::uint16_t entry = tiles[k];
            const std::uint32_t others = pairs_of_others(c, entry);
            tiles[plain] = entry;
            plain += others == 0 ? 1 : 0;
            if (others != 0) {
                add_masked(entry, others);
            }
        }
        return plain;
    }

    /// Which pairs of the row do not count, however near, by entry.
    void mark_excluded(std::int32_t c, std::size_t own)
    {
        constexpr std::uint32_t mark = 1U << 16;
        const auto exclude = [this, own](std::size_t entry, std::uint32_t bits) {
            if (entry >= own && excluded_[entry] == 0) { // earlier rows are not looked at
                marked_.push_back(static_cast<std::uint16_t>(entry));
            }
            excluded_[entry] |= entry >= own ? bits | mark : 0;
        };
        exclude(own, ~ClusterPairList::upper_triangle & 0xFFFFU);
        const auto exclude_all = [&](std::int32_t cluster, std::uint32_t bits) {
            for (std::int32_t e = first_of_[at(cluster)]; e >= 0; e = next_of_[at(e)]) {
                exclude(at(e), bits);
            }
        };
        for (int lane = 0; lane < width; ++lane) {
            const std::int32_t atom = list_.order.atom_of_slot[at(c * width + lane)];
            for (const std::int32_t* b = atom < 0 ? nullptr : exclusions_.begin(at(atom));
                 atom >= 0 && b != exclusions_.end(at(atom)); ++b) {
                const std::int32_t slot = list_.order.slot_of_atom[at(*b)];
                exclude_all(slot / width, 1U << (width * lane + slot % width));
            }
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
    const RaggedList& exclusions_;
    std::span<const double> packed_;
    std::span<const float> bounds_;
    std::span<const Vec3> shifts_;
    const BlockRules& rules_;
    ClusterOwners owners_;
    const PairKernels& pair_kernels_;
    double sure_radius_ = 0;                         ///< for boxes
    std::uint32_t null_columns_ = 0, null_rows_ = 0; ///< bits of the last cluster's null atoms

    // of the open block
    std::vector<std::int32_t> cluster_;            ///< [entries]
    std::vector<std::uint16_t> shift_;             ///< [entries]
    Bounds all_;                                   ///< of all entries
    std::vector<std::int32_t> first_of_, next_of_; ///< [clusters], [entries]: entries by cluster
    AlignedVector<float> lines_;                   ///< [entries][16]: x4 y4 z4, nm
    AlignedVector<float> boxes_;                   ///< [entries / 16][6][16]
    float limit2_ = 0, near2_ = 0;
    std::vector<std::uint16_t> chosen_;
    std::size_t chosen_count_ = 0;
    std::int64_t first_tile_ = 0;
    std::vector<std::uint16_t> near_, far_, masked_; ///< numbers of tiles of the open row
    std::vector<std::uint32_t> excluded_; ///< [entries]: pairs of the open row; bit 16 is a mark
    std::vector<std::uint16_t> marked_;   ///< entries that are
    std::vector<float> hidden_;           ///< [marked][4]: x
};

} // namespace

void BlockSearch::pack(const ClusterPairList& list, std::span<const Vec3> positions, int threads)
{
    const std::int32_t clusters = list.order.clusters();
    const std::size_t groups = (at(clusters) + line - 1) / line;
    packed_.resize(at(clusters) * 3 * width);
    bounds_.assign(groups * 6 * line, nowhere); // also clusters that are not
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
        float* bounds = bounds_.data() + at(c) / line * 6 * line + at(c) % line;
        for (int k = 0; k < 3; ++k) {
            bounds[line * at(k)] = static_cast<float>(box.low[k]);
            bounds[line * at(3 + k)] = static_cast<float>(box.high[k]);
        }
    }
}

bool BlockSearch::find(const ClusterPairList& list, const RaggedList& exclusions,
                       std::span<const Vec3> positions, std::span<const Vec3> shift_vectors,
                       const BlockRules& rules, int threads, PairBlocks& blocks)
{
    TESSERA_EXPECT(!list.all_pairs && shift_vectors.size() == list.shifts.size());
    TESSERA_EXPECT(shift_vectors.size() <= 0xFFFF); // a few images along each axis
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
        Finder finder(list, exclusions, packed_, bounds_, shift_vectors, rules);
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
        to.first_tile += base.tiles;
    }
    std::copy(part.rows.begin(), part.rows.end(), blocks.rows.begin() + base.rows);
    std::copy(part.cluster.begin(), part.cluster.end(), blocks.cluster.begin() + base.entries);
    std::copy(part.shift.begin(), part.shift.end(), blocks.shift.begin() + base.entries);
    std::copy(part.tiles.begin(), part.tiles.end(), blocks.tiles.begin() + base.tiles);
}

} // namespace tessera
