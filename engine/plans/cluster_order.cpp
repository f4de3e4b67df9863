#include "engine/plans/cluster_order.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tessera
{

namespace
{

constexpr int width = ClusterOrder::width;

std::size_t at(std::int64_t k)
{
    return static_cast<std::size_t>(k);
}

/// An atom and where it is in FP32, nm from the low corner of all: never negative, so that the bits
/// of a coordinate ascend with it.
struct alignas(16) Item {
    float x[3];
    std::int32_t atom;

    /// By a coordinate, then by number: in one integer, as a comparison that branches is dear.
    [[nodiscard]] std::uint64_t key(int axis) const
    {
        return std::uint64_t{std::bit_cast<std::uint32_t>(x[axis])} << 32 |
               static_cast<std::uint32_t>(atom);
    }
};

constexpr std::ptrdiff_t few = 32;

/// Sorts a few items, none of equal keys, by counting those below each.
template <class Key>
void sort_few(Item* begin, Item* end, const Key& key_of)
{
    Item copy[few];
    std::uint64_t key[few];
    std::ptrdiff_t place[few] = {};
    const std::ptrdiff_t count = end - begin;
    for (std::ptrdiff_t i = 0; i < count; ++i) {
        copy[i] = begin[i];
        key[i] = key_of(copy[i]);
        std::ptrdiff_t below = 0;
        for (std::ptrdiff_t j = 0; j < i; ++j) {
            const std::ptrdiff_t is_below = key[j] < key[i] ? 1 : 0;
            below += is_below;
            place[j] += 1 - is_below;
        }
        place[i] = below;
    }
    for (std::ptrdiff_t i = 0; i < count; ++i) {
        begin[place[i]] = copy[i];
    }
}

/// The middle one of nine that stand evenly in the range, by medians of three.
std::uint64_t guess_of_middle(const Item* begin, const Item* end, int axis)
{
    const std::ptrdiff_t step = (end - begin) / 9;
    const auto middle = [](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
        return std::max(std::min(a, b), std::min(std::max(a, b), c));
    };
    std::uint64_t of_three[3];
    for (std::ptrdiff_t k = 0; k < 3; ++k) {
        const Item* item = begin + 3 * k * step;
        of_three[k] = middle(item[0].key(axis), item[step].key(axis), item[2 * step].key(axis));
    }
    return middle(of_three[0], of_three[1], of_three[2]);
}

/// As std::nth_element, by key(axis), but without branches that cannot be foretold.
void divide(Item* begin, const Item* nth, Item* end, int axis)
{
    while (end - begin > few) {
        const std::uint64_t pivot = guess_of_middle(begin, end, axis);
        Item* above = begin; // [begin, above) are at the pivot or below
        for (Item* item = begin; item != end; ++item) {
            const Item here = *item;
            *item = *above;
            *above = here;
            above += here.key(axis) <= pivot ? 1 : 0;
        }
        (nth < above ? end : begin) = above;
    }
    sort_few(begin, end, [axis](const Item& item) { return item.key(axis); });
}

int longest_side(const Item* begin, const Item* end)
{
    float side[4];
#if defined(__SSE2__)
    __m128 low = _mm_load_ps(begin->x), high = low; // the last lane has no meaning
    for (const Item* item = begin; item != end; ++item) {
        low = _mm_min_ps(low, _mm_load_ps(item->x));
        high = _mm_max_ps(high, _mm_load_ps(item->x));
    }
    _mm_storeu_ps(side, _mm_sub_ps(high, low));
#else
    for (int k = 0; k < 3; ++k) {
        float low = begin->x[k], high = low;
        for (const Item* item = begin; item != end; ++item) {
            low = std::min(low, item->x[k]);
            high = std::max(high, item->x[k]);
        }
        side[k] = high - low;
    }
#endif
    const int axis = side[1] > side[0] ? 1 : 0;
    return side[2] > side[axis] ? 2 : axis;
}

/// Swaps atoms between neighbouring clusters of a sub-tree where that brings the atoms of both
/// nearer together: the tighter clusters are, the fewer pairs of them are within the cut-off. A
/// cluster of sum S has the sum of squares about its middle sum x^2 - S^2 / 4, so a swap of a and b
/// between A and B gains half of d . (S_A - S_B) + d^2, d = x_b - x_a.
class Tightener {
public:
    static constexpr std::int32_t most = 64; ///< clusters

    Tightener(Item* items, std::int32_t clusters) : items_(items), clusters_(clusters)
    {
        float low[3], high[3];
        for (int k = 0; k < 3; ++k) {
            low[k] = high[k] = items[0].x[k];
            for (std::int32_t c = 0; c < clusters; ++c) {
                sum_[k][c] = 0;
                for (int a = 0; a < width; ++a) {
                    const float x = items[width * c + a].x[k];
                    x_[c][k][a] = x;
                    sum_[k][c] += x;
                    low[k] = std::min(low[k], x);
                    high[k] = std::max(high[k], x);
                }
            }
        }
        // neighbours: middles nearer than 1.2 sides of a cluster's share of the space
        const float space = (high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]);
        const float reach = 1.2F * width * std::cbrt(space / static_cast<float>(clusters));
        reach2_ = reach * reach;
    }

    /// Two sweeps: a third would find too little.
    void tighten()
    {
        for (std::int32_t turn = 0; turn < 2 * clusters_; ++turn) {
            const std::int32_t a = turn % clusters_;
            std::int32_t near[most];
            const std::int32_t count = find_near(a, near);
            for (std::int32_t k = 0; k < count; ++k) {
                swap_best(a, near[k]);
            }
        }
    }

private:
    typedef float Four __attribute__((vector_size(16)));

    static Four four(const float* from)
    {
        Four v;
        std::memcpy(&v, from, sizeof v);
        return v;
    }

    std::int32_t find_near(std::int32_t a, std::int32_t* near) const
    {
        std::int32_t count = 0;
        for (std::int32_t b = a + 1; b < clusters_; ++b) {
            const float x = sum_[0][a] - sum_[0][b], y = sum_[1][a] - sum_[1][b],
                        z = sum_[2][a] - sum_[2][b];
            near[count] = b;
            count += x * x + y * y + z * z < reach2_ ? 1 : 0;
        }
        return count;
    }

    void swap_best(std::int32_t a, std::int32_t b)
    {
        const float sx = sum_[0][a] - sum_[0][b], sy = sum_[1][a] - sum_[1][b],
                    sz = sum_[2][a] - sum_[2][b];
        const Four bx = four(x_[b][0]), by = four(x_[b][1]), bz = four(x_[b][2]);
        Four gain[width];
        Four best{};
        for (int k = 0; k < width; ++k) {
            const Four dx = bx - x_[a][0][k], dy = by - x_[a][1][k], dz = bz - x_[a][2][k];
            gain[k] = dx * (dx + sx) + dy * (dy + sy) + dz * (dz + sz);
            best = gain[k] > best ? gain[k] : best;
        }
        const float most_gain = std::max(std::max(best[0], best[1]), std::max(best[2], best[3]));
        if (!(most_gain > 1e-4F * reach2_)) { // rounding must not swap for ever
            return;
        }
        for (int lane = 0; lane < width * width; ++lane) {
            if (gain[lane / width][lane % width] == most_gain) {
                swap(a, lane / width, b, lane % width);
                return;
            }
        }
    }

    void swap(std::int32_t a, int lane_a, std::int32_t b, int lane_b)
    {
        std::swap(items_[width * a + lane_a], items_[width * b + lane_b]);
        for (int k = 0; k < 3; ++k) {
            const float d = x_[b][k][lane_b] - x_[a][k][lane_a];
            std::swap(x_[b][k][lane_b], x_[a][k][lane_a]);
            sum_[k][a] += d;
            sum_[k][b] -= d;
        }
    }

    Item* items_;
    std::int32_t clusters_;
    float reach2_ = 0; ///< of sums
    float x_[most][3][width];
    float sum_[3][most];
};

/// Splits atoms into halves of whole clusters until one cluster is left.
class TreeBuilder {
public:
    TreeBuilder(std::span<const Vec3> positions, ClusterOrder& order)
        : positions_(positions), order_(order), items_(positions.size())
    {
        Vec3 low = positions[0];
        for (const Vec3& x : positions) {
            low = {std::min(low.x, x.x), std::min(low.y, x.y), std::min(low.z, x.z)};
        }
        for (std::size_t a = 0; a < positions.size(); ++a) {
            const Vec3 x = positions[a] - low;
            items_[a] = {
                {static_cast<float>(x.x), static_cast<float>(x.y), static_cast<float>(x.z)},
                static_cast<std::int32_t>(a)};
        }
    }

    /// Nodes stand in the order of a walk that goes left first: a node with n clusters and what is
    /// below it take 2 n - 1 places from `index` on, so that halves can be built side by side.
    void build(std::int32_t index, std::int32_t first, std::int32_t last)
    {
        if (last - first <= Tightener::most) {
            split(first, last);
            const auto full = static_cast<std::int32_t>(items_.size() / width);
            Tightener(item(first), std::min(last, full) - first).tighten();
            make_nodes(index, first, last);
            return;
        }
        const std::int32_t middle = halve(first, last);
        constexpr std::int32_t large = 256; // clusters; fewer are not worth a task
#pragma omp task if (last - first > large)
        build(left_of(index), first, middle);
#pragma omp task if (last - first > large)
        build(right_of(index, middle - first), middle, last);
#pragma omp taskwait
        join(index, first, last);
    }

private:
    /// Whole sub-trees of 64 clusters where there are several, else of 16: blocks of the pair
    /// kernel are nodes of the tree, and full ones are cheapest.
    static std::int32_t half_of(std::int32_t clusters)
    {
        const std::int32_t unit = clusters > 64 ? 64 : clusters > 16 ? 16 : 1;
        return (clusters / 2 + unit / 2) / unit * unit;
    }
    static std::int32_t left_of(std::int32_t index)
    {
        return index + 1;
    }
    static std::int32_t right_of(std::int32_t index, std::int32_t clusters_left)
    {
        return index + 2 * clusters_left;
    }

    std::int32_t halve(std::int32_t first, std::int32_t last)
    {
        const std::int32_t middle = first + half_of(last - first);
        divide(item(first), item(middle), item(last), longest_side(item(first), item(last)));
        return middle;
    }

    void split(std::int32_t first, std::int32_t last)
    {
        if (last - first > 1) {
            const std::int32_t middle = halve(first, last);
            split(first, middle);
            split(middle, last);
        }
    }

    void make_nodes(std::int32_t index, std::int32_t first, std::int32_t last)
    {
        if (last - first == 1) {
            order_.nodes[at(index)] = make_leaf(first);
            return;
        }
        const std::int32_t middle = first + half_of(last - first);
        make_nodes(left_of(index), first, middle);
        make_nodes(right_of(index, middle - first), middle, last);
        join(index, first, last);
    }

    ClusterOrder::Node make_leaf(std::int32_t cluster)
    {
        Item* const begin = item(cluster);
        Item* const end = item(cluster + 1);
        sort_few(begin, end, [](const Item& i) { return static_cast<std::uint64_t>(i.atom); });
        ClusterOrder::Node node{cluster, cluster + 1, -1, -1, position(*begin), position(*begin)};
        std::int32_t* slot = order_.atom_of_slot.data() + at(cluster) * width;
        for (const Item* i = begin; i != end; ++i) {
            const Vec3& x = position(*i);
            *slot++ = i->atom;
            for (int k = 0; k < 3; ++k) {
                node.low[k] = std::min(node.low[k], x[k]);
                node.high[k] = std::max(node.high[k], x[k]);
            }
        }
        return node;
    }

    /// A node from its two halves.
    void join(std::int32_t index, std::int32_t first, std::int32_t last)
    {
        const std::int32_t left = left_of(index), right = right_of(index, half_of(last - first));
        const ClusterOrder::Node &l = order_.nodes[at(left)], &r = order_.nodes[at(right)];
        ClusterOrder::Node& node = order_.nodes[at(index)];
        node = {first, last, left, right, l.low, l.high};
        for (int k = 0; k < 3; ++k) {
            node.low[k] = std::min(node.low[k], r.low[k]);
            node.high[k] = std::max(node.high[k], r.high[k]);
        }
    }

    /// Where a cluster begins; the one after the last: where the atoms end.
    Item* item(std::int32_t cluster)
    {
        return items_.data() + std::min(at(cluster) * width, items_.size());
    }
    [[nodiscard]] const Vec3& position(const Item& item) const
    {
        return positions_[at(item.atom)];
    }

    std::span<const Vec3> positions_;
    ClusterOrder& order_;
    std::vector<Item> items_;
};

} // namespace

ClusterOrder make_cluster_order(std::span<const Vec3> positions, int threads)
{
    ClusterOrder order;
    const auto atoms = static_cast<std::int32_t>(positions.size());
    const std::int32_t clusters = (atoms + width - 1) / width;
    order.atom_of_slot.assign(at(clusters) * width, -1);
    if (atoms > 0) {
        order.nodes.resize(2 * at(clusters) - 1);
        TreeBuilder builder(positions, order);
#pragma omp parallel num_threads(std::max(1, threads))
#pragma omp single
        builder.build(0, 0, clusters);
    }
    order.slot_of_atom.resize(at(atoms));
    for (std::size_t s = 0; s < order.atom_of_slot.size(); ++s) {
        if (order.atom_of_slot[s] >= 0) {
            order.slot_of_atom[at(order.atom_of_slot[s])] = static_cast<std::int32_t>(s);
        }
    }
    return order;
}

} // namespace tessera
