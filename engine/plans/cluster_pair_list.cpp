#include "engine/plans/cluster_pair_list.hpp"

#include "engine/base/contract.hpp"
#include "engine/plans/box_gap.hpp"
#include "engine/plans/near_mask.hpp"

#include <algorithm>
#include <cmath>

namespace tessera
{

namespace
{

constexpr int width = ClusterOrder::width;
constexpr double nowhere = 1e15; // nm: where null atoms stand, farther than any radius

std::size_t at(std::int64_t k)
{
    return static_cast<std::size_t>(k);
}

/// The excluded pairs of every cluster, as masks.
void make_masked(const RaggedList& exclusions, ClusterPairList& list)
{
    const ClusterOrder& order = list.order;
    list.masked_begin.assign(1, 0);
    std::vector<ClusterPairList::Column> entries;
    for (std::int32_t c = 0; c < order.clusters(); ++c) {
        entries.clear();
        for (int a = 0; a < width; ++a) {
            const std::int32_t atom = order.atom_of_slot[at(c * width + a)];
            if (atom < 0) {
                continue;
            }
            for (const std::int32_t* b = exclusions.begin(at(atom)); b != exclusions.end(at(atom));
                 ++b) {
                const std::int32_t slot = order.slot_of_atom[at(*b)];
                entries.push_back({slot / width, 1U << (width * a + slot % width)});
            }
        }
        std::sort(entries.begin(), entries.end(),
                  [](const auto& a, const auto& b) { return a.cluster < b.cluster; });
        for (const ClusterPairList::Column& entry : entries) {
            const bool is_new = list.masked.size() == at(list.masked_begin.back()) ||
                                list.masked.back().cluster != entry.cluster;
            if (is_new) {
                list.masked.push_back(entry);
            } else {
                list.masked.back().mask |= entry.mask;
            }
        }
        list.masked_begin.push_back(static_cast<std::int64_t>(list.masked.size()));
    }
}

/// Rows of one stretch of clusters, made by one thread.
struct Part {
    std::vector<ClusterPairList::Row> rows; ///< begin, end within `columns` of the part
    std::vector<ClusterPairList::Column> columns;
};

class Searcher {
public:
    Searcher(const ClusterPairList& list, std::span<const Vec3> positions,
             std::span<const Vec3> shift_vectors)
        : list_(list), shift_vectors_(shift_vectors), radius2_(list.radius * list.radius),
          reach2_(radius2_ * (1.0 + 1e-12)), packed_(3 * list.order.atom_of_slot.size(), nowhere)
    {
        for (std::size_t s = 0; s < list.order.atom_of_slot.size(); ++s) {
            const std::int32_t atom = list.order.atom_of_slot[s];
            if (atom >= 0) {
                double* x = packed_.data() + s / width * 3 * width + s % width;
                x[0] = positions[at(atom)].x;
                x[width] = positions[at(atom)].y;
                x[2 * width] = positions[at(atom)].z;
            }
        }
        bounds_.resize(at(list.order.clusters()));
        for (const ClusterOrder::Node& node : list.order.nodes) {
            if (node.left < 0) {
                bounds_[at(node.first)] = {node.low, node.high};
            }
        }
    }

    void search(std::int32_t first, std::int32_t last, Part& part) const
    {
        std::vector<std::int32_t> candidates;
        for (std::int32_t group = first; group < last; group += group_size) {
            const std::int32_t end = std::min(last, group + group_size);
            for (std::size_t k = 0; k < shift_vectors_.size(); ++k) {
                find_candidates(group, end, k, candidates);
                for (std::int32_t ci = group; ci < end && !candidates.empty(); ++ci) {
                    const auto begin = static_cast<std::int64_t>(part.columns.size());
                    add_columns(ci, k, candidates, part.columns);
                    const auto size = static_cast<std::int64_t>(part.columns.size());
                    if (size > begin) {
                        part.rows.push_back({ci, static_cast<std::int32_t>(k), begin, size});
                    }
                }
            }
        }
    }

private:
    /// So many neighbouring clusters walk the tree together, down to leaves of so many: the walk's
    /// branches are the dear part.
    static constexpr std::int32_t group_size = 8;
    static constexpr std::int32_t leaf_size = 2;

    /// Clusters whose box is within reach of the box of [first, last), ascending.
    void find_candidates(std::int32_t first, std::int32_t last, std::size_t shift,
                         std::vector<std::int32_t>& candidates) const
    {
        const std::vector<ClusterOrder::Node>& nodes = list_.order.nodes;
        candidates.clear();
        Bounds box = bounds_[at(first)];
        for (std::int32_t c = first + 1; c < last; ++c) {
            const Bounds& other = bounds_[at(c)];
            for (int k = 0; k < 3; ++k) {
                box.low[k] = std::min(box.low[k], other.low[k]);
                box.high[k] = std::max(box.high[k], other.high[k]);
            }
        }
        box.low += shift_vectors_[shift];
        box.high += shift_vectors_[shift];
        std::int32_t stack[64];
        int depth = 0;
        stack[depth++] = 0;
        while (depth > 0) {
            const ClusterOrder::Node& node = nodes[at(stack[--depth])];
            if ((shift == 0 && node.last <= first) ||
                box_gap2(box.low, box.high, node.low, node.high) > reach2_) {
                continue;
            }
            if (node.last - node.first <= leaf_size) {
                for (std::int32_t c = node.first; c < node.last; ++c) {
                    candidates.push_back(c);
                }
            } else {
                stack[depth++] = node.right;
                stack[depth++] = node.left;
            }
        }
    }

    void add_columns(std::int32_t ci, std::size_t shift, std::span<const std::int32_t> candidates,
                     std::vector<ClusterPairList::Column>& columns) const
    {
        double xi[3 * width];
        for (int a = 0; a < width; ++a) {
            const double* x = packed_.data() + at(ci) * 3 * width + a;
            // a null atom of the row stands on the other side of the world: far from itself too
            const bool is_null = list_.order.atom_of_slot[at(ci * width + a)] < 0;
            const Vec3& s = shift_vectors_[shift];
            xi[a] = is_null ? -nowhere : x[0] + s.x;
            xi[width + a] = is_null ? -nowhere : x[width] + s.y;
            xi[2 * width + a] = is_null ? -nowhere : x[2 * width] + s.z;
        }
        if (shift == 0) {
            const auto first = std::lower_bound(candidates.begin(), candidates.end(), ci);
            candidates = candidates.subspan(at(first - candidates.begin()));
        }
        const std::size_t begin = columns.size();
        columns.resize(begin + candidates.size());
        const std::size_t near =
            find_near(xi, candidates, packed_.data(), radius2_, columns.data() + begin);
        columns.resize(begin + near);
        clear_excluded(ci, shift, begin, columns);
    }

    /// From the columns of one row, `begin` and after.
    void clear_excluded(std::int32_t ci, std::size_t shift, std::size_t begin,
                        std::vector<ClusterPairList::Column>& columns) const
    {
        bool has_empty = false;
        const auto clear = [&](ClusterPairList::Column& column, std::uint32_t bits) {
            column.mask &= ~bits;
            has_empty = has_empty || column.mask == 0;
        };
        if (shift == 0 && columns.size() > begin && columns[begin].cluster == ci) {
            clear(columns[begin], ~ClusterPairList::upper_triangle);
        }
        auto next = columns.begin() + static_cast<std::ptrdiff_t>(begin);
        for (std::int64_t k = list_.masked_begin[at(ci)]; k < list_.masked_begin[at(ci) + 1]; ++k) {
            const ClusterPairList::Column& entry = list_.masked[at(k)];
            next = std::lower_bound(next, columns.end(), entry.cluster,
                                    [](const auto& c, std::int32_t d) { return c.cluster < d; });
            if (next != columns.end() && next->cluster == entry.cluster) {
                clear(*next, entry.mask);
            }
        }
        if (has_empty) {
            columns.erase(std::remove_if(columns.begin() + static_cast<std::ptrdiff_t>(begin),
                                         columns.end(), [](const auto& c) { return c.mask == 0; }),
                          columns.end());
        }
    }

    const ClusterPairList& list_;
    std::span<const Vec3> shift_vectors_;
    double radius2_;
    double reach2_;              ///< a little more: rounding of the gap must not lose a pair
    std::vector<double> packed_; ///< [clusters][3][4]: x of the four atoms, y, z
    struct Bounds {
        Vec3 low, high;
    };
    std::vector<Bounds> bounds_; ///< of each cluster
};

/// Zero, and of every other pair of opposite shifts the one that is positive (last nonzero
/// component first), as far as images within the radius exist.
std::vector<std::array<int, 3>> make_shifts(const Box& box, const ClusterOrder::Node& root,
                                            double radius)
{
    std::vector<std::array<int, 3>> shifts{{0, 0, 0}};
    if (!box.is_periodic()) {
        return shifts;
    }
    const Mat3& h = box.vectors();
    const double reach2 = radius * radius * (1.0 + 1e-12);
    const Vec3 span = (root.high - root.low) + Vec3{radius, radius, radius};
    const auto bound = [](double length, double edge) {
        return static_cast<int>(std::floor(length / edge * (1.0 + 1e-12)));
    };
    const int nz = bound(span.z, h[2].z);
    for (int kz = 0; kz <= nz; ++kz) {
        const int ny = bound(span.y + std::fabs(kz * h[2].y), h[1].y);
        for (int ky = kz > 0 ? -ny : 0; ky <= ny; ++ky) {
            const int nx = bound(span.x + std::fabs(kz * h[2].x) + std::fabs(ky * h[1].x), h[0].x);
            for (int kx = kz > 0 || ky > 0 ? -nx : 1; kx <= nx; ++kx) {
                const Vec3 s = box.shift(kx, ky, kz);
                if (box_gap2(root.low + s, root.high + s, root.low, root.high) <= reach2) {
                    shifts.push_back({kx, ky, kz});
                }
            }
        }
    }
    return shifts;
}

} // namespace

void ClusterPairList::columns_of(std::int32_t cluster, std::vector<Column>& out) const
{
    out.clear();
    const std::int32_t clusters = order.clusters();
    const auto nulls = [this](std::int32_t c) {
        std::uint32_t bits = 0; // of the lanes 0..3 that hold atoms
        for (int b = 0; b < width; ++b) {
            bits |= static_cast<std::uint32_t>(order.atom_of_slot[at(c * width + b)] >= 0) << b;
        }
        return bits;
    };
    const std::uint32_t lanes_i = nulls(cluster);
    std::uint32_t rows_i = 0;
    for (int a = 0; a < width; ++a) {
        rows_i |= (lanes_i >> a & 1U) != 0 ? 0xFU << (width * a) : 0U;
    }
    for (std::int32_t cj = cluster; cj < clusters; ++cj) {
        std::uint32_t mask = rows_i;
        if (cj == clusters - 1) {
            mask &= nulls(cj) * 0x1111U;
        }
        out.push_back({cj, cj == cluster ? mask & upper_triangle : mask});
    }
    for (std::int64_t k = masked_begin[at(cluster)]; k < masked_begin[at(cluster) + 1]; ++k) {
        const Column& entry = masked[at(k)];
        if (entry.cluster >= cluster) {
            out[at(entry.cluster - cluster)].mask &= ~entry.mask;
        }
    }
}

ClusterPairList make_empty_pair_list(const Box& box, std::span<const Vec3> positions,
                                     const RaggedList& exclusions, double radius, int threads)
{
    ClusterPairList list;
    list.radius = radius;
    list.order = make_cluster_order(positions, threads);
    list.shifts = {{0, 0, 0}};
    list.all_pairs = std::isinf(radius);
    TESSERA_EXPECT(!list.all_pairs || !box.is_periodic());
    if (list.all_pairs) {
        make_masked(exclusions, list);
    }
    if (!list.all_pairs && !positions.empty()) {
        list.shifts = make_shifts(box, list.order.nodes.front(), radius);
    }
    return list;
}

void find_rows(const Box& box, std::span<const Vec3> positions, const RaggedList& exclusions,
               int threads, ClusterPairList& list)
{
    TESSERA_EXPECT(list.rows.empty());
    if (list.all_pairs) {
        return;
    }
    make_masked(exclusions, list);
    if (positions.empty()) {
        return;
    }
    const std::vector<Vec3> shift_vectors = list.shift_vectors(box);
    const Searcher searcher(list, positions, shift_vectors);

    constexpr std::int32_t stretch = 64; // clusters a part: the cut does not reach the result
    const std::int32_t clusters = list.order.clusters();
    const std::int32_t parts = (clusters + stretch - 1) / stretch;
    std::vector<Part> part(at(parts));
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (std::int32_t p = 0; p < parts; ++p) {
        searcher.search(p * stretch, std::min(clusters, (p + 1) * stretch), part[at(p)]);
    }
    std::size_t rows = 0, columns = 0;
    for (const Part& p : part) {
        rows += p.rows.size();
        columns += p.columns.size();
    }
    list.rows.reserve(rows);
    list.columns.reserve(columns);
    for (const Part& p : part) {
        const auto offset = static_cast<std::int64_t>(list.columns.size());
        for (const ClusterPairList::Row& row : p.rows) {
            list.rows.push_back({row.cluster, row.shift, row.begin + offset, row.end + offset});
        }
        list.columns.insert(list.columns.end(), p.columns.begin(), p.columns.end());
    }
}

ClusterPairList make_cluster_pair_list(const Box& box, std::span<const Vec3> positions,
                                       const RaggedList& exclusions, double radius, int threads)
{
    ClusterPairList list = make_empty_pair_list(box, positions, exclusions, radius, threads);
    find_rows(box, positions, exclusions, threads, list);
    return list;
}

std::vector<Vec3> ClusterPairList::shift_vectors(const Box& box) const
{
    std::vector<Vec3> vectors;
    vectors.reserve(shifts.size());
    for (const auto& k : shifts) {
        vectors.push_back(box.is_periodic() ? box.shift(k[0], k[1], k[2]) : Vec3{});
    }
    return vectors;
}

} // namespace tessera
