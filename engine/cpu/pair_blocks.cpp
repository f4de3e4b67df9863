#include "engine/cpu/pair_blocks.hpp"

#include "engine/base/contract.hpp"
#include "engine/cpu/block_bounds.hpp"

#include <algorithm>

namespace tessera
{

namespace
{

using namespace block_limits;

constexpr int width = ClusterOrder::width;

std::size_t at(std::int64_t k)
{
    return static_cast<std::size_t>(k);
}

class Builder {
public:
    Builder(const ClusterPairList& list, std::span<const Vec3> shifts, const BlockRules& rules)
        : list_(list), shifts_(shifts), rules_(rules), bounds_(at(list.order.clusters())),
          row_begin_(at(list.order.clusters()) + 1, 0),
          local_(shifts.size() * at(list.order.clusters()), -1)
    {
        for (const ClusterOrder::Node& node : list.order.nodes) {
            if (node.left < 0) {
                bounds_[at(node.first)] = {node.low, node.high};
            }
        }
        sort_rows();
        out_.tiles.reserve(list.columns.size());
        out_.rows.reserve(at(list.order.clusters()));
    }

    PairBlocks build()
    {
        if (!list_.order.nodes.empty()) {
            build(0);
        } else { // a shuffled list has no tree, and its columns no order
            for (std::int32_t c = 0; c < list_.order.clusters(); ++c) {
                build_single(c);
            }
        }
        return std::move(out_);
    }

private:
    /// Rows of the list by cluster.
    void sort_rows()
    {
        for (const ClusterPairList::Row& row : list_.rows) {
            ++row_begin_[at(row.cluster) + 1];
        }
        for (std::size_t c = 1; c < row_begin_.size(); ++c) {
            row_begin_[c] += row_begin_[c - 1];
        }
        row_of_.resize(list_.rows.size());
        std::vector<std::int64_t> next(row_begin_.begin(), row_begin_.end() - 1);
        for (std::size_t r = 0; r < list_.rows.size(); ++r) {
            row_of_[at(next[at(list_.rows[r].cluster)]++)] = static_cast<std::int64_t>(r);
        }
    }

    void build(std::int32_t node)
    {
        const ClusterOrder::Node& n = list_.order.nodes[at(node)];
        if (n.last - n.first == 1) {
            build_single(n.first);
        } else if (n.last - n.first > rules_.largest_block || !build_block(n)) {
            build(n.left);
            build(n.right);
        }
    }

    bool build_block(const ClusterOrder::Node& n)
    {
        const std::size_t tiles = out_.tiles.size(), rows = out_.rows.size(),
                          other_rows = out_.other_rows.size(),
                          other_columns = out_.other_columns.size();
        open();
        for (std::int32_t c = n.first; c < n.last; ++c) {
            entry(c, 0);
        }
        for (std::int32_t c = n.first; c < n.last; ++c) {
            masked_.clear();
            plain_.clear();
            for (std::int64_t k = row_begin_[at(c)]; k < row_begin_[at(c) + 1]; ++k) {
                const ClusterPairList::Row& row = list_.rows[at(row_of_[at(k)])];
                add(row, row.begin, row.end, false);
            }
            add_row(c);
        }
        if (close(n.first, n.last, false)) {
            return true;
        }
        out_.tiles.resize(tiles);
        out_.rows.resize(rows);
        out_.other_rows.resize(other_rows);
        out_.other_columns.resize(other_columns);
        return false;
    }

    /// A single cluster must do, even if its neighbours are far (then masks count, as positions
    /// are integers modulo 512 nm) or many.
    void build_single(std::int32_t c)
    {
        for (std::int64_t k = row_begin_[at(c)]; k < row_begin_[at(c) + 1]; ++k) {
            const ClusterPairList::Row& row = list_.rows[at(row_of_[at(k)])];
            for (std::int64_t first = row.begin; first < row.end; first += most_entries) {
                open();
                entry(c, 0);
                masked_.clear();
                plain_.clear();
                add(row, first, std::min(row.end, first + most_entries), true);
                add_row(c);
                close(c, c + 1, true);
            }
        }
    }

    void open()
    {
        first_entry_ = static_cast<std::int64_t>(out_.cluster.size());
        first_row_ = static_cast<std::int64_t>(out_.rows.size());
        first_tile_ = static_cast<std::int64_t>(out_.tiles.size());
    }

    std::uint16_t entry(std::int32_t cluster, std::int32_t shift)
    {
        std::int32_t& known = local_[at(shift) * bounds_.size() + at(cluster)];
        if (known < 0) {
            known = static_cast<std::int32_t>(static_cast<std::int64_t>(out_.cluster.size()) -
                                              first_entry_);
            out_.cluster.push_back(cluster);
            out_.shift.push_back(static_cast<std::uint16_t>(shift));
        }
        return static_cast<std::uint16_t>(known);
    }

    /// Columns [begin, end) of a row.
    void add(const ClusterPairList::Row& row, std::int64_t begin, std::int64_t end, bool mask_all)
    {
        const std::int32_t c = row.cluster;
        const std::int32_t last = list_.order.clusters() - 1;
        const bool has_nulls = list_.order.atom_of_slot.back() < 0;
        auto excluded = list_.masked.begin() + list_.masked_begin[at(c)];
        const auto excluded_end = list_.masked.begin() + list_.masked_begin[at(c) + 1];
        const std::size_t others = out_.other_columns.size();
        for (std::int64_t k = begin; k < end; ++k) {
            const ClusterPairList::Column& column = list_.columns[at(k)];
            const std::int32_t d = column.cluster;
            while (excluded != excluded_end && excluded->cluster < d) {
                ++excluded; // both ascend
            }
            bool is_masked = mask_all || (excluded != excluded_end && excluded->cluster == d) ||
                             (c == d && row.shift == 0) ||
                             (has_nulls && (c == last || d == last)) ||
                             (!rules_.is_partial.empty() && rules_.is_partial[at(k)] != 0);
            std::uint32_t mask = column.mask;
            if (!rules_.is_other.empty()) {
                const std::uint32_t other = other_pairs(c, d);
                if ((mask & other) != 0) {
                    out_.other_columns.push_back({d, mask & other});
                }
                is_masked = is_masked || other != 0;
                mask &= ~other;
            }
            if (mask != 0 && is_masked) {
                masked_.insert(masked_.end(),
                               {entry(d, row.shift), static_cast<std::uint16_t>(mask)});
            } else if (mask != 0) {
                plain_.push_back(entry(d, row.shift));
            }
        }
        if (out_.other_columns.size() > others) {
            out_.other_rows.push_back({c, row.shift, static_cast<std::int64_t>(others),
                                       static_cast<std::int64_t>(out_.other_columns.size())});
        }
    }

    [[nodiscard]] std::uint32_t other_pairs(std::int32_t c, std::int32_t d) const
    {
        std::uint32_t bits = 0;
        for (int a = 0; a < width; ++a) {
            const std::int64_t row =
                static_cast<std::int64_t>(rules_.slot_type[at(c * width + a)]) * rules_.types;
            for (int b = 0; b < width; ++b) {
                const std::uint8_t is_other =
                    rules_.is_other[at(row + rules_.slot_type[at(d * width + b)])];
                bits |= static_cast<std::uint32_t>(is_other) << (width * a + b);
            }
        }
        return bits;
    }

    void add_row(std::int32_t c)
    {
        if (masked_.empty() && plain_.empty()) {
            return;
        }
        const auto here = [this] {
            return static_cast<std::int32_t>(std::ssize(out_.tiles) - first_tile_);
        };
        const std::int32_t begin = here();
        out_.tiles.insert(out_.tiles.end(), masked_.begin(), masked_.end());
        const std::int32_t plain = here();
        out_.tiles.insert(out_.tiles.end(), plain_.begin(), plain_.end());
        out_.rows.push_back({entry(c, 0), begin, plain, plain, here()});
    }

    /// Keeps the block of rows [first, last) unless it reaches too far, or holds too much, and may
    /// be cut.
    bool close(std::int32_t first, std::int32_t last, bool is_last_resort)
    {
        const auto entries = static_cast<std::int64_t>(out_.cluster.size()) - first_entry_;
        Bounds own = bounds_[at(first)];
        for (std::int32_t c = first + 1; c < last; ++c) {
            include(own, bounds_[at(c)]);
        }
        Bounds all = own;
        for (std::int64_t e = first_entry_; e < first_entry_ + entries; ++e) {
            const std::int32_t c = out_.cluster[at(e)];
            const std::uint32_t s = out_.shift[at(e)];
            local_[s * bounds_.size() + at(c)] = -1;
            include(all, {bounds_[at(c)].low - shifts_[s], bounds_[at(c)].high - shifts_[s]});
        }
        if (!is_last_resort && (half_side(own) + rules_.kernel_radius > exact_reach ||
                                half_side(all) > longest_reach || entries > most_entries)) {
            out_.cluster.resize(at(first_entry_));
            out_.shift.resize(at(first_entry_));
            return false;
        }
        const std::int64_t rows = static_cast<std::int64_t>(out_.rows.size()) - first_row_;
        if (rows == 0) {
            out_.cluster.resize(at(first_entry_));
            out_.shift.resize(at(first_entry_));
            return true;
        }
        out_.blocks.push_back(
            {first_entry_, entries, first_row_, rows, first_tile_, 0.5 * (own.low + own.high)});
        out_.most_entries = std::max(out_.most_entries, entries);
        return true;
    }

    const ClusterPairList& list_;
    std::span<const Vec3> shifts_;
    const BlockRules& rules_;
    std::vector<Bounds> bounds_; ///< of each cluster
    std::vector<std::int64_t> row_begin_, row_of_;
    std::vector<std::int32_t> local_; ///< [shifts][clusters]: the entry in the open block, or -1
    std::vector<std::uint16_t> masked_, plain_; ///< numbers of tiles
    std::int64_t first_entry_ = 0, first_row_ = 0, first_tile_ = 0;
    PairBlocks out_;
};

} // namespace

PairBlocks make_pair_blocks(const ClusterPairList& list, std::span<const Vec3> shift_vectors,
                            const BlockRules& rules)
{
    TESSERA_EXPECT(!list.all_pairs && shift_vectors.size() == list.shifts.size());
    TESSERA_EXPECT(shift_vectors.size() <= 0xFFFF); // a few images along each axis
    return Builder(list, shift_vectors, rules).build();
}

} // namespace tessera
