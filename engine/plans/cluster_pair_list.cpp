#include "engine/plans/cluster_pair_list.hpp"

#include "engine/base/contract.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

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

/// Splits atoms[first, last) into halves of whole clusters until one cluster is left.
class TreeBuilder {
public:
    TreeBuilder(std::span<const Vec3> positions, ClusterOrder& order)
        : positions_(positions), order_(order)
    {
    }

    std::int32_t build(std::int32_t first, std::int32_t last)
    {
        const auto begin = order_.atom_of_slot.begin() + first * width;
        const auto count = static_cast<std::int32_t>(positions_.size());
        const auto end = order_.atom_of_slot.begin() + std::min(last * width, count);
        Vec3 low = position(*begin), high = low;
        for (auto it = begin; it != end; ++it) {
            const Vec3 x = position(*it);
            for (int k = 0; k < 3; ++k) {
                low[k] = std::min(low[k], x[k]);
                high[k] = std::max(high[k], x[k]);
            }
        }
        const auto index = static_cast<std::int32_t>(order_.nodes.size());
        order_.nodes.push_back({first, last, -1, -1, low, high});
        if (last - first == 1) {
            std::sort(begin, end);
            return index;
        }
        const Vec3 side = high - low;
        int axis = side.y > side.x ? 1 : 0;
        axis = side.z > side[axis] ? 2 : axis;
        const std::int32_t middle = (first + last) / 2;
        std::nth_element(begin, order_.atom_of_slot.begin() + middle * width, end,
                         [this, axis](std::int32_t a, std::int32_t b) {
                             const double xa = position(a)[axis], xb = position(b)[axis];
                             return xa < xb || (xa == xb && a < b);
                         });
        const std::int32_t left = build(first, middle);
        const std::int32_t right = build(middle, last);
        order_.nodes[at(index)].left = left;
        order_.nodes[at(index)].right = right;
        return index;
    }

private:
    [[nodiscard]] const Vec3& position(std::int32_t a) const { return positions_[at(a)]; }
    std::span<const Vec3> positions_;
    ClusterOrder& order_;
};

/// Squared distance between two boxes with sides along the axes.
inline double gap2(const Vec3& low_a, const Vec3& high_a, const Vec3& low_b, const Vec3& high_b)
{
    const auto gap = [](double l_a, double h_a, double l_b, double h_b) {
        const double above = l_a - h_b, below = l_b - h_a;
        const double d = above > below ? above : below;
        return d > 0 ? d : 0.0;
    };
    const double x = gap(low_a.x, high_a.x, low_b.x, high_b.x);
    const double y = gap(low_a.y, high_a.y, low_b.y, high_b.y);
    const double z = gap(low_a.z, high_a.z, low_b.z, high_b.z);
    return x * x + y * y + z * z;
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

/// Bits of the pairs a < b of one cluster with itself.
constexpr std::uint32_t upper_triangle = 0b0000'1000'1100'1110U;

std::uint32_t excluded_mask(const ClusterPairList& list, std::int32_t ci, std::int32_t cj)
{
    const auto begin = list.masked.begin() + list.masked_begin[at(ci)];
    const auto end = list.masked.begin() + list.masked_begin[at(ci) + 1];
    const auto it = std::lower_bound(
        begin, end, cj, [](const auto& entry, std::int32_t c) { return entry.cluster < c; });
    return it != end && it->cluster == cj ? it->mask : 0U;
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
          reach2_(radius2_ * (1.0 + 1e-12)),
          slot_(list.order.atom_of_slot.size(), Vec3{nowhere, nowhere, nowhere})
    {
        for (std::size_t s = 0; s < slot_.size(); ++s) {
            const std::int32_t atom = list.order.atom_of_slot[s];
            if (atom >= 0) {
                slot_[s] = positions[at(atom)];
            }
        }
        leaf_.resize(at(list.order.clusters()));
        for (std::size_t n = 0; n < list.order.nodes.size(); ++n) {
            const ClusterOrder::Node& node = list.order.nodes[n];
            if (node.left < 0) {
                leaf_[at(node.first)] = static_cast<std::int32_t>(n);
            }
        }
    }

    void search(std::int32_t first, std::int32_t last, Part& part) const
    {
        for (std::int32_t ci = first; ci < last; ++ci) {
            for (std::size_t k = 0; k < shift_vectors_.size(); ++k) {
                const auto begin = static_cast<std::int64_t>(part.columns.size());
                add_columns(ci, k, part.columns);
                const auto end = static_cast<std::int64_t>(part.columns.size());
                if (end > begin) {
                    part.rows.push_back({ci, static_cast<std::int32_t>(k), begin, end});
                }
            }
        }
    }

private:
    void add_columns(std::int32_t ci, std::size_t shift,
                     std::vector<ClusterPairList::Column>& columns) const
    {
        const std::vector<ClusterOrder::Node>& nodes = list_.order.nodes;
        const ClusterOrder::Node& home = nodes[at(leaf_[at(ci)])];
        const Vec3 low = home.low + shift_vectors_[shift];
        const Vec3 high = home.high + shift_vectors_[shift];
        Vec3 xi[width];
        for (int a = 0; a < width; ++a) {
            const auto slot = at(ci * width + a);
            // a null atom of the row stands on the other side of the world: far from itself too
            xi[a] = list_.order.atom_of_slot[slot] >= 0 ? slot_[slot] + shift_vectors_[shift]
                                                        : Vec3{-nowhere, -nowhere, -nowhere};
        }
        std::int32_t stack[64];
        int depth = 0;
        stack[depth++] = 0;
        while (depth > 0) {
            const ClusterOrder::Node& node = nodes[at(stack[--depth])];
            if ((shift == 0 && node.last <= ci) || gap2(low, high, node.low, node.high) > reach2_) {
                continue;
            }
            if (node.left >= 0) {
                stack[depth++] = node.right;
                stack[depth++] = node.left;
                continue;
            }
            const std::int32_t cj = node.first;
            std::uint32_t mask = near_mask(xi, cj);
            if (shift == 0 && cj == ci) {
                mask &= upper_triangle;
            }
            if (mask != 0) {
                mask &= ~excluded_mask(list_, ci, cj);
            }
            if (mask != 0) {
                columns.push_back({cj, mask});
            }
        }
    }

    [[nodiscard]] std::uint32_t near_mask(const Vec3* xi, std::int32_t cj) const
    {
        std::uint32_t mask = 0;
        for (int a = 0; a < width; ++a) {
            for (int b = 0; b < width; ++b) {
                const Vec3 d = xi[a] - slot_[at(cj * width + b)];
                mask |= static_cast<std::uint32_t>(norm2(d) < radius2_) << (width * a + b);
            }
        }
        return mask;
    }

    const ClusterPairList& list_;
    std::span<const Vec3> shift_vectors_;
    double radius2_;
    double reach2_; ///< a little more: rounding of the gap must not lose a pair
    std::vector<Vec3> slot_;
    std::vector<std::int32_t> leaf_; ///< node of each cluster
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
                if (gap2(root.low + s, root.high + s, root.low, root.high) <= reach2) {
                    shifts.push_back({kx, ky, kz});
                }
            }
        }
    }
    return shifts;
}

} // namespace

ClusterOrder make_cluster_order(std::span<const Vec3> positions)
{
    ClusterOrder order;
    const auto atoms = static_cast<std::int32_t>(positions.size());
    const std::int32_t clusters = (atoms + width - 1) / width;
    order.atom_of_slot.assign(at(clusters) * width, -1);
    std::iota(order.atom_of_slot.begin(), order.atom_of_slot.begin() + atoms, 0);
    if (atoms > 0) {
        order.nodes.reserve(2 * at(clusters));
        TreeBuilder(positions, order).build(0, clusters);
    }
    order.slot_of_atom.resize(at(atoms));
    for (std::size_t s = 0; s < order.atom_of_slot.size(); ++s) {
        if (order.atom_of_slot[s] >= 0) {
            order.slot_of_atom[at(order.atom_of_slot[s])] = static_cast<std::int32_t>(s);
        }
    }
    return order;
}

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

ClusterPairList make_cluster_pair_list(const Box& box, std::span<const Vec3> positions,
                                       const RaggedList& exclusions, double radius, int threads)
{
    ClusterPairList list;
    list.radius = radius;
    list.order = make_cluster_order(positions);
    make_masked(exclusions, list);
    list.shifts = {{0, 0, 0}};
    list.all_pairs = std::isinf(radius);
    TESSERA_EXPECT(!list.all_pairs || !box.is_periodic());
    if (list.all_pairs || positions.empty()) {
        return list;
    }

    list.shifts = make_shifts(box, list.order.nodes.front(), radius);
    std::vector<Vec3> shift_vectors;
    shift_vectors.reserve(list.shifts.size());
    for (const auto& k : list.shifts) {
        shift_vectors.push_back(box.is_periodic() ? box.shift(k[0], k[1], k[2]) : Vec3{});
    }
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
    return list;
}

} // namespace tessera
