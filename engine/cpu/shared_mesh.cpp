#include "engine/cpu/shared_mesh.hpp"

#include "engine/base/contract.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

namespace tessera
{

namespace
{

using Bytes = Transport::Bytes;

std::size_t at(std::int64_t k)
{
    return static_cast<std::size_t>(k);
}

/// Calls visit(first number in a message, x, y) for the rows along z of a block, real parts; those
/// of imaginary parts follow each.
template <class Visit>
void for_each_row(const MeshBlock& block, int threads, const Visit& visit)
{
    const std::size_t row = 2 * at(block.z.count);
#pragma omp parallel for schedule(static) num_threads(threads) if (block.points() > 4096)
    for (int x = 0; x < block.x.count; ++x) {
        for (int y = 0; y < block.y.count; ++y) {
            visit((at(x) * at(block.y.count) + at(y)) * row, block.x.first + x, block.y.first + y);
        }
    }
}

} // namespace

template <class R>
SharedMesh<R>::SharedMesh(const MeshPlan& plan, Transport& ranks)
    : plan_(plan), ranks_(ranks), fft_(plan.grid()), has_slab_(plan.pencils().columns == 1)
{
    const int rank = ranks.rank(), all = plan.ranks();
    TESSERA_EXPECT(all == ranks.size());
    const MeshBlock z = plan.along_z(rank), y = plan.along_y(rank), x = plan.along_x(rank);
    const std::size_t rows = at(y.x.count) * at(y.z.count);
    // lines stand side by side: along y those of all x and z, along x those of all y and z
    along_z_ = {z, at(z.y.count) * fft_.pitch(), fft_.pitch()};
    along_y_ = has_slab_ ? Placed{y, fft_.plane(), fft_.pitch()}
                         : Placed{y, at(y.z.count), fft_.stride_of(rows)};
    along_x_ = {x, fft_.stride_of(at(x.y.count) * at(x.z.count)), at(x.z.count)};
    const auto turn = [&](const Placed& from, const Placed& to, auto block_there, auto block_here) {
        Turn out{from, to, {}, {}};
        for (int r = 0; r < all; ++r) {
            out.out.push_back(common(from.block, (plan.*block_there)(r)));
            out.in.push_back(common((plan.*block_here)(r), to.block));
        }
        return out;
    };
    rows_ = turn(along_z_, along_y_, &MeshPlan::along_y, &MeshPlan::along_z);
    rows_back_ = turn(along_y_, along_z_, &MeshPlan::along_z, &MeshPlan::along_y);
    columns_ = turn(along_y_, along_x_, &MeshPlan::along_x, &MeshPlan::along_y);
    columns_back_ = turn(along_x_, along_y_, &MeshPlan::along_y, &MeshPlan::along_x);
    z_ = Room(has_slab_ ? 0 : at(z.x.count) * along_z_.x, along_z_.y, along_z_.x);
    y_ = Room(has_slab_ ? at(y.x.count) * along_y_.x : at(y.y.count) * along_y_.y, along_y_.y,
              along_y_.x);
}

template <class R>
void SharedMesh<R>::share_bricks(const MeshBrick& mine)
{
    const auto words = std::tuple_size_v<decltype(mine.first)>;
    std::vector<std::int64_t> told(2 * words * at(ranks_.size()));
    for (std::size_t d = 0; d < words; ++d) {
        told[2 * words * me() + d] = mine.first[d];
        told[2 * words * me() + words + d] = mine.extent[d];
    }
    ranks_.add(told);
    bricks_.resize(at(ranks_.size()));
    given_.clear();
    taken_.clear();
    for (int r = 0; r < ranks_.size(); ++r) {
        MeshBrick& brick = bricks_[at(r)];
        for (std::size_t d = 0; d < words; ++d) {
            brick.first[d] = static_cast<std::int32_t>(told[2 * words * at(r) + d]);
            brick.extent[d] = static_cast<std::int32_t>(told[2 * words * at(r) + words + d]);
        }
        given_.push_back(plan_.rows_of(mine, r));
        taken_.push_back(plan_.rows_of(brick, ranks_.rank()));
    }
}

template <class R>
void SharedMesh<R>::begin(std::size_t sets)
{
    sets_ = sets;
    next_set_ = 0;
    traffic_ = {};
    of_bricks_.resize(given_.size());
    for (std::size_t r = 0; r < given_.size(); ++r) {
        of_bricks_[r].resize(sets * bytes_of(brick(), given_[r]));
    }
    while (spectra_.size() < sets) {
        spectra_.emplace_back(at(plan_.grid()[0]) * along_x_.x, along_x_.y, along_x_.x);
    }
}

/// A layout is as long as atoms reach: the points of a brick that is as long as the mesh stand in
/// it twice near its ends, at k and k + n.
template <class R>
void SharedMesh<R>::put(const MeshLayout& layout, std::span<const std::span<const Whole>> meshes)
{
    using Unsigned = std::make_unsigned_t<Whole>;
    const std::size_t margin = layout.margin(), length = at(brick().extent[2]);
    const std::array<int, 3>& n = plan_.grid();
    std::vector<Unsigned> sum(length);
    for (std::size_t owner = 0; owner < given_.size(); ++owner) {
        const Rows& rows = given_[owner];
        std::byte* to = of_bricks_[owner].data() + next_set_ * bytes_of(brick(), rows);
        for (const int x : rows.x) {
            for (const int y : rows.y) {
                std::fill(sum.begin(), sum.end(), 0);
                for (const std::span<const Whole> mesh : meshes) {
                    for (std::size_t i = at(x); i < at(layout.n[0]) + margin && !mesh.empty();
                         i += at(n[0])) {
                        for (std::size_t j = at(y); j < at(layout.n[1]) + margin; j += at(n[1])) {
                            const Whole* const row =
                                mesh.data() + i * layout.plane + j * layout.pitch;
                            for (std::size_t z = 0; z < length; ++z) {
                                sum[z] += static_cast<Unsigned>(row[z]);
                            }
                            for (std::size_t z = length; z < at(layout.n[2]) + margin; ++z) {
                                sum[z % length] += static_cast<Unsigned>(row[z]);
                            }
                        }
                    }
                }
                std::memcpy(to, sum.data(), length * sizeof(Whole));
                to += length * sizeof(Whole);
            }
        }
    }
    ++next_set_;
}

template <class R>
void SharedMesh<R>::count_sent(const Messages& messages)
{
    for (std::size_t r = 0; r < messages.size(); ++r) {
        traffic_.sent += r == me() ? 0 : std::ssize(messages[r]);
        traffic_.messages_sent += r == me() || messages[r].empty() ? 0 : 1;
    }
}

template <class R>
void SharedMesh<R>::count_received(const Messages& messages)
{
    for (std::size_t r = 0; r < messages.size(); ++r) {
        traffic_.received += r == me() ? 0 : std::ssize(messages[r]);
        traffic_.messages_received += r == me() || messages[r].empty() ? 0 : 1;
    }
}

/// Sends each rank its part; returns the others' parts of this rank's.
template <class R>
typename SharedMesh<R>::Messages SharedMesh<R>::exchange(Messages to,
                                                         const std::vector<std::size_t>& lengths)
{
    count_sent(to);
    Messages from = ranks_.exchange(std::move(to), lengths);
    count_received(from);
    return from;
}

/// Blocks of all sets on their way to other ranks' blocks. What came is as long as what goes back:
/// the two share the memory of their messages, which need not be cleared then.
template <class R>
class SharedMesh<R>::Transposition {
public:
    Transposition(SharedMesh& mesh, const Turn& turn, Messages& messages, int threads)
        : mesh_(mesh), turn_(turn), messages_(messages), threads_(threads)
    {
        messages.resize(turn.out.size());
        for (std::size_t r = 0; r < messages.size(); ++r) {
            messages[r].resize(bytes_of_sets(turn.out[r], mesh.sets_));
        }
    }
    void put(std::size_t set, const Room& from)
    {
        for (std::size_t r = 0; r < messages_.size(); ++r) {
            const MeshBlock& block = turn_.out[r];
            const std::size_t some = at(block.z.count) * sizeof(R);
            std::byte* const message = messages_[r].data() + bytes_of_sets(block, set);
            for_each_row(block, threads_, [&](std::size_t k, int x, int y) {
                const std::size_t i = turn_.from.at(x, y, block.z.first);
                std::memcpy(message + k * sizeof(R), from.re.data() + i, some);
                std::memcpy(message + k * sizeof(R) + some, from.im.data() + i, some);
            });
        }
    }
    void exchange()
    {
        std::vector<std::size_t> lengths;
        for (const MeshBlock& block : turn_.in) {
            lengths.push_back(bytes_of_sets(block, mesh_.sets_));
        }
        messages_ = mesh_.exchange(std::move(messages_), lengths);
    }
    void take(std::size_t set, Room& to) const
    {
        for (std::size_t r = 0; r < messages_.size(); ++r) {
            const MeshBlock& block = turn_.in[r];
            const std::size_t some = at(block.z.count) * sizeof(R);
            const std::byte* const message = messages_[r].data() + bytes_of_sets(block, set);
            for_each_row(block, threads_, [&](std::size_t k, int x, int y) {
                const std::size_t i = turn_.to.at(x, y, block.z.first);
                std::memcpy(to.re.data() + i, message + k * sizeof(R), some);
                std::memcpy(to.im.data() + i, message + k * sizeof(R) + some, some);
            });
        }
    }

private:
    static std::size_t bytes_of_sets(const MeshBlock& block, std::size_t sets)
    {
        return 2 * sets * block.points() * sizeof(R);
    }

    SharedMesh& mesh_;
    const Turn& turn_;
    Messages& messages_;
    int threads_;
};

/// Sums of one set into real_; false where one is too large.
template <class R>
bool SharedMesh<R>::add_charges(std::size_t set, R unit)
{
    using Unsigned = std::make_unsigned_t<Whole>;
    const MeshBlock& mine = along_z_.block;
    const std::array<int, 3>& n = plan_.grid();
    const std::size_t nz = at(n[2]);
    sum_.assign(at(mine.x.count) * at(mine.y.count) * nz, 0);
    std::vector<Unsigned> row;
    for (std::size_t sender = 0; sender < taken_.size(); ++sender) {
        const Rows& rows = taken_[sender];
        const MeshBrick& brick = bricks_[sender];
        row.resize(at(brick.extent[2]));
        const std::byte* next = of_bricks_[sender].data() + set * bytes_of(brick, rows);
        const std::size_t first = at(brick.first[2]), before_end = std::min(row.size(), nz - first);
        for (const int i : rows.x) {
            for (const int j : rows.y) {
                const std::size_t x = at((brick.first[0] + i) % n[0] - mine.x.first),
                                  y = at((brick.first[1] + j) % n[1] - mine.y.first);
                auto* const sums =
                    reinterpret_cast<Unsigned*>(sum_.data()) + (x * at(mine.y.count) + y) * nz;
                std::memcpy(row.data(), next, row.size() * sizeof(Whole));
                next += row.size() * sizeof(Whole);
                for (std::size_t z = 0; z < before_end; ++z) {
                    sums[first + z] += row[z];
                }
                for (std::size_t z = before_end; z < row.size(); ++z) {
                    sums[z - before_end] += row[z];
                }
            }
        }
    }
    constexpr auto largest = static_cast<Whole>(std::numeric_limits<Whole>::max() / 2);
    real_.resize(sum_.size());
    int too_large = 0;
    for (std::size_t p = 0; p < sum_.size(); ++p) {
        too_large |= sum_[p] < largest && sum_[p] > -largest ? 0 : 1;
        real_[p] = static_cast<R>(sum_[p]) * unit;
    }
    return too_large == 0;
}

template <class R>
bool SharedMesh<R>::forward(R unit, int threads)
{
    TESSERA_EXPECT(next_set_ == sets_);
    std::vector<std::size_t> lengths;
    for (std::size_t r = 0; r < taken_.size(); ++r) {
        lengths.push_back(sets_ * bytes_of(bricks_[r], taken_[r]));
    }
    of_bricks_ = exchange(std::move(of_bricks_), lengths);
    const MeshBlock &z = along_z_.block, &y = along_y_.block;
    Transposition to_rows(*this, rows_, to_row_, threads),
        to_columns(*this, columns_, to_column_, threads);
    if (!has_slab_) {
        for (std::size_t set = 0; set < sets_; ++set) {
            if (!add_charges(set, unit)) {
                return false;
            }
            fft_.rows_forward(real_.data(), at(z.x.count) * at(z.y.count), z_.view(), threads);
            to_rows.put(set, z_);
        }
        to_rows.exchange();
    }
    for (std::size_t set = 0; set < sets_; ++set) {
        if (has_slab_) {
            if (!add_charges(set, unit)) {
                return false;
            }
            fft_.planes_forward(real(), at(y.x.count), y_.view(), threads);
        } else {
            to_rows.take(set, y_);
            fft_.along_y(lines_along_y(), at(y.x.count) * at(y.z.count), Way::forward, threads);
        }
        to_columns.put(set, y_);
    }
    to_columns.exchange();
    for (std::size_t set = 0; set < sets_; ++set) {
        to_columns.take(set, spectra_[set]);
    }
    return true;
}

template <class R>
void SharedMesh<R>::backward(int threads)
{
    const MeshBlock &z = along_z_.block, &y = along_y_.block;
    Transposition from_columns(*this, columns_back_, to_column_, threads),
        from_rows(*this, rows_back_, to_row_, threads);
    for (std::size_t set = 0; set < sets_; ++set) {
        from_columns.put(set, spectra_[set]);
    }
    from_columns.exchange();
    for (std::size_t set = 0; set < sets_; ++set) {
        from_columns.take(set, y_);
        if (has_slab_) {
            fft_.planes_backward(y_.view(), real(), at(y.x.count), threads);
            put_potential(set);
        } else {
            fft_.along_y(lines_along_y(), at(y.x.count) * at(y.z.count), Way::backward, threads);
            from_rows.put(set, y_);
        }
    }
    if (!has_slab_) {
        from_rows.exchange();
        for (std::size_t set = 0; set < sets_; ++set) {
            from_rows.take(set, z_);
            fft_.rows_backward(z_.view(), real_.data(), at(z.x.count) * at(z.y.count), threads);
            put_potential(set);
        }
    }
    std::vector<std::size_t> lengths;
    for (const Rows& rows : given_) {
        lengths.push_back(sets_ * bytes_of(brick(), rows));
    }
    count_sent(of_bricks_);
    potentials_ = ranks_.begin_exchange(std::move(of_bricks_), lengths);
}

/// What the bricks hold of real_: as long as the charges that came.
template <class R>
void SharedMesh<R>::put_potential(std::size_t set)
{
    const MeshBlock& mine = along_z_.block;
    const std::array<int, 3>& n = plan_.grid();
    const std::size_t nz = at(n[2]);
    for (std::size_t reader = 0; reader < taken_.size(); ++reader) {
        const Rows& rows = taken_[reader];
        const MeshBrick& brick = bricks_[reader];
        const std::size_t length = at(brick.extent[2]), first = at(brick.first[2]),
                          before_end = std::min(length, nz - first);
        std::byte* next = of_bricks_[reader].data() + set * bytes_of(brick, rows);
        for (const int i : rows.x) {
            for (const int j : rows.y) {
                const std::size_t x = at((brick.first[0] + i) % n[0] - mine.x.first),
                                  y = at((brick.first[1] + j) % n[1] - mine.y.first);
                const R* const row = real_.data() + (x * at(mine.y.count) + y) * nz;
                std::memcpy(next, row + first, before_end * sizeof(R));
                next += before_end * sizeof(R);
                std::memcpy(next, row, (length - before_end) * sizeof(R));
                next += (length - before_end) * sizeof(R);
            }
        }
    }
}

template <class R>
void SharedMesh<R>::take_potentials(const MeshLayout& layout,
                                    std::vector<AlignedVector<R>>& potentials)
{
    of_bricks_ = std::exchange(potentials_, {})->finish();
    count_received(of_bricks_);
    const std::size_t margin = layout.margin(), length = at(brick().extent[2]);
    const std::array<int, 3>& n = plan_.grid();
    for (std::size_t owner = 0; owner < given_.size(); ++owner) {
        const Rows& rows = given_[owner];
        const std::byte* next = of_bricks_[owner].data();
        for (AlignedVector<R>& potential : potentials) {
            for (const int x : rows.x) {
                for (const int y : rows.y) {
                    for (std::size_t i = at(x); i < at(layout.n[0]) + margin; i += at(n[0])) {
                        for (std::size_t j = at(y); j < at(layout.n[1]) + margin; j += at(n[1])) {
                            R* const row = potential.data() + i * layout.plane + j * layout.pitch;
                            std::memcpy(row, next, length * sizeof(R));
                            for (std::size_t z = length; z < at(layout.n[2]) + margin; ++z) {
                                row[z] = row[z - length];
                            }
                        }
                    }
                    next += length * sizeof(R);
                }
            }
        }
    }
}

template class SharedMesh<double>;
template class SharedMesh<float>;

} // namespace tessera
