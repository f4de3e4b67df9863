#include "engine/cpu/shared_mesh.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

namespace tessera
{

namespace
{

using Bytes = Transport::Bytes;

std::size_t at(std::int64_t k)
{
    return static_cast<std::size_t>(k);
}

template <class T>
void append(Bytes& to, const T* values, std::size_t count)
{
    const auto* first = reinterpret_cast<const std::byte*>(values);
    to.insert(to.end(), first, first + count * sizeof(T));
}

/// Takes numbers off a message, from its front.
class Reader {
public:
    explicit Reader(const Bytes& from, std::size_t offset = 0) : next_(from.data() + offset) {}

    template <class T>
    void take(T* to, std::size_t count)
    {
        std::memcpy(to, next_, count * sizeof(T));
        next_ += count * sizeof(T);
    }

private:
    const std::byte* next_;
};

} // namespace

template <class R>
SharedMesh<R>::SharedMesh(const std::array<int, 3>& grid, Transport& ranks)
    : plan_(grid, ranks.size()), ranks_(ranks), fft_(grid)
{
}

template <class R>
void SharedMesh<R>::begin(const MeshBrick& mine)
{
    mine_ = mine;
    charges_.assign(at(plan_.ranks()), {});
    traffic_ = {};
}

template <class R>
void SharedMesh<R>::put(const MeshLayout& layout, std::span<const std::span<const Whole>> meshes)
{
    using Unsigned = std::make_unsigned_t<Whole>;
    std::vector<Unsigned> sum(at(mine_.extent[2]));
    for (int owner = 0; owner < plan_.ranks(); ++owner) {
        Bytes& message = charges_[at(owner)];
        for (const int plane : plan_.planes_of(mine_, owner)) {
            if (message.empty()) {
                append(message, &mine_, 1);
            }
            for (std::size_t y = 0; y < at(mine_.extent[1]); ++y) {
                std::fill(sum.begin(), sum.end(), 0);
                for (const std::span<const Whole> mesh : meshes) {
                    const Whole* const row =
                        mesh.empty() ? nullptr
                                     : mesh.data() + at(plane) * layout.plane + y * layout.pitch;
                    for (std::size_t z = 0; row != nullptr && z < sum.size(); ++z) {
                        sum[z] += static_cast<Unsigned>(row[z]);
                    }
                }
                append(message, sum.data(), sum.size());
            }
        }
    }
}

/// Bytes from or to other ranks.
template <class R>
std::int64_t SharedMesh<R>::count(const Messages& messages) const
{
    std::int64_t bytes = 0;
    for (int r = 0; r < plan_.ranks(); ++r) {
        bytes += r == ranks_.rank() ? 0 : std::ssize(messages[at(r)]);
    }
    return bytes;
}

/// Sends each rank its part; returns the others' parts of this rank's. `length(r)`: bytes from r.
template <class R>
template <class Length>
typename SharedMesh<R>::Messages SharedMesh<R>::exchange(Messages to, const Length& length)
{
    std::vector<std::size_t> lengths;
    for (int r = 0; r < plan_.ranks(); ++r) {
        lengths.push_back(length(r));
    }
    traffic_.sent += count(to);
    Messages from = ranks_.exchange(std::move(to), lengths);
    traffic_.received += count(from);
    return from;
}

/// Calls visit(k, first point, length) for the pieces into which the end of the mesh cuts a row
/// along z; k: the piece's place in the row.
template <class R>
template <class Visit>
void SharedMesh<R>::for_each_row(const MeshBrick& brick, const Visit& visit) const
{
    const std::size_t n = at(plan_.grid()[2]), length = at(brick.extent[2]);
    for (std::size_t k = 0, z = at(brick.first[2]); k < length; z = 0) {
        const std::size_t some = std::min(n - z, length - k);
        visit(k, z, some);
        k += some;
    }
}

/// Sums of one set into real_; false where one is too large.
template <class R>
bool SharedMesh<R>::add_charges(const Messages& from, std::size_t set, R unit)
{
    using Unsigned = std::make_unsigned_t<Whole>;
    const std::size_t ny = at(plan_.grid()[1]), nz = at(plan_.grid()[2]);
    const MeshPlan::Range mine = plan_.planes(ranks_.rank());
    sum_.assign(at(mine.count) * ny * nz, 0);
    std::vector<Unsigned> row;
    for (int sender = 0; sender < plan_.ranks(); ++sender) {
        const MeshBrick& brick = bricks_[at(sender)];
        const std::vector<int> planes = plan_.planes_of(brick, ranks_.rank());
        if (planes.empty()) {
            continue;
        }
        row.resize(at(brick.extent[2]));
        Reader reader(from[at(sender)], MeshPlan::brick_header + set * planes.size() *
                                                                     brick.points_of_plane() *
                                                                     sizeof(Whole));
        for (const int plane : planes) {
            const std::size_t x = at((brick.first[0] + plane) % plan_.grid()[0] - mine.first);
            for (int j = 0; j < brick.extent[1]; ++j) {
                const std::size_t y = at(brick.first[1] + j) % ny;
                auto* const sums = reinterpret_cast<Unsigned*>(sum_.data()) + (x * ny + y) * nz;
                reader.take(row.data(), row.size());
                for_each_row(brick, [&](std::size_t k, std::size_t z, std::size_t some) {
                    for (std::size_t i = 0; i < some; ++i) {
                        sums[z + i] += row[k + i];
                    }
                });
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
bool SharedMesh<R>::forward(R unit, std::vector<Spectrum>& spectra, int threads)
{
    traffic_.sent += count(charges_);
    const Messages from = ranks_.exchange(std::move(charges_));
    traffic_.received += count(from);
    bricks_.assign(at(plan_.ranks()), {});
    for (std::size_t r = 0; r < from.size(); ++r) {
        if (!from[r].empty()) {
            Reader(from[r]).take(&bricks_[r], 1);
        }
    }
    const MeshPlan::Range planes = plan_.planes(ranks_.rank());
    planes_.re.resize(at(planes.count) * fft_.plane());
    planes_.im.resize(at(planes.count) * fft_.plane());
    const std::size_t half = at(fft_.half());
    bool fits = true;
    Messages to(at(plan_.ranks()), Bytes(MeshPlan::part_header)); // whether all sums fit
    for (std::size_t set = 0; set < spectra.size(); ++set) {
        fits = add_charges(from, set, unit) && fits;
        fft_.planes_forward(real_.data(), at(planes.count), planes_, threads);
        for (int owner = 0; owner < plan_.ranks(); ++owner) {
            const MeshPlan::Range lines = plan_.lines(owner);
            for (std::size_t x = 0; x < at(planes.count); ++x) {
                for (std::size_t y = at(lines.first); y < at(lines.first + lines.count); ++y) {
                    const std::size_t row = x * fft_.plane() + y * fft_.pitch();
                    append(to[at(owner)], planes_.re.data() + row, half);
                    append(to[at(owner)], planes_.im.data() + row, half);
                }
            }
        }
    }
    for (Bytes& message : to) {
        message[0] = std::byte(fits ? 0 : 1);
    }
    const int me = ranks_.rank();
    const Messages parts = exchange(std::move(to), [&](int sender) {
        return MeshPlan::part_header + spectra.size() * sizeof(R) * plan_.transposed(sender, me);
    });
    const std::size_t plane = fft_.plane_of(at(lines().count));
    for (std::size_t sender = 0; sender < parts.size(); ++sender) {
        fits = fits && parts[sender][0] == std::byte(0);
        Reader reader(parts[sender], MeshPlan::part_header);
        const MeshPlan::Range there = plan_.planes(static_cast<int>(sender));
        for (Spectrum& spectrum : spectra) {
            for (std::size_t x = at(there.first); x < at(there.first + there.count); ++x) {
                for (std::size_t y = 0; y < at(lines().count); ++y) {
                    const std::size_t row = x * plane + y * fft_.pitch();
                    reader.take(spectrum.re.data() + row, half);
                    reader.take(spectrum.im.data() + row, half);
                }
            }
        }
    }
    return fits;
}

template <class R>
void SharedMesh<R>::backward(const std::vector<Spectrum>& spectra, int threads)
{
    const std::size_t half = at(fft_.half()), plane = fft_.plane_of(at(lines().count));
    const std::size_t ny = at(plan_.grid()[1]), nz = at(plan_.grid()[2]);
    const MeshPlan::Range planes = plan_.planes(ranks_.rank());
    Messages to(at(plan_.ranks()));
    for (const Spectrum& spectrum : spectra) {
        for (int owner = 0; owner < plan_.ranks(); ++owner) {
            const MeshPlan::Range there = plan_.planes(owner);
            for (std::size_t x = at(there.first); x < at(there.first + there.count); ++x) {
                for (std::size_t y = 0; y < at(lines().count); ++y) {
                    const std::size_t row = x * plane + y * fft_.pitch();
                    append(to[at(owner)], spectrum.re.data() + row, half);
                    append(to[at(owner)], spectrum.im.data() + row, half);
                }
            }
        }
    }
    const int me = ranks_.rank();
    const Messages parts = exchange(std::move(to), [&](int sender) {
        return spectra.size() * sizeof(R) * plan_.transposed(me, sender);
    });
    std::vector<Reader> readers(parts.begin(), parts.end());
    Messages rows(at(plan_.ranks()));
    std::vector<R> row_of_brick;
    for (std::size_t set = 0; set < spectra.size(); ++set) {
        for (std::size_t sender = 0; sender < parts.size(); ++sender) {
            const MeshPlan::Range there = plan_.lines(static_cast<int>(sender));
            for (std::size_t x = 0; x < at(planes.count); ++x) {
                for (std::size_t y = at(there.first); y < at(there.first + there.count); ++y) {
                    const std::size_t row = x * fft_.plane() + y * fft_.pitch();
                    readers[sender].take(planes_.re.data() + row, half);
                    readers[sender].take(planes_.im.data() + row, half);
                }
            }
        }
        fft_.planes_backward(planes_, real_.data(), at(planes.count), threads);
        for (std::size_t reader = 0; reader < rows.size(); ++reader) {
            const MeshBrick& brick = bricks_[reader];
            row_of_brick.resize(at(brick.extent[2]));
            for (const int k : plan_.planes_of(brick, ranks_.rank())) {
                const std::size_t x = at((brick.first[0] + k) % plan_.grid()[0] - planes.first);
                for (int j = 0; j < brick.extent[1]; ++j) {
                    const std::size_t y = at(brick.first[1] + j) % ny;
                    const R* const from = real_.data() + (x * ny + y) * nz;
                    for_each_row(brick, [&](std::size_t i, std::size_t z, std::size_t some) {
                        std::copy_n(from + z, some, row_of_brick.data() + i);
                    });
                    append(rows[reader], row_of_brick.data(), row_of_brick.size());
                }
            }
        }
    }
    std::vector<std::size_t> lengths;
    for (int owner = 0; owner < plan_.ranks(); ++owner) {
        lengths.push_back(spectra.size() * sizeof(R) * plan_.planes_of(mine_, owner).size() *
                          mine_.points_of_plane());
    }
    traffic_.sent += count(rows);
    potentials_ = ranks_.begin_exchange(std::move(rows), lengths);
}

template <class R>
void SharedMesh<R>::take_potentials(const MeshLayout& layout,
                                    std::vector<std::vector<R>>& potentials)
{
    const Messages mine = std::exchange(potentials_, {})->finish();
    traffic_.received += count(mine);
    for (int owner = 0; owner < plan_.ranks(); ++owner) {
        Reader reader(mine[at(owner)]);
        for (std::vector<R>& potential : potentials) {
            for (const int k : plan_.planes_of(mine_, owner)) {
                for (std::size_t y = 0; y < at(mine_.extent[1]); ++y) {
                    reader.take(potential.data() + at(k) * layout.plane + y * layout.pitch,
                                at(mine_.extent[2]));
                }
            }
        }
    }
}

template class SharedMesh<double>;
template class SharedMesh<float>;

} // namespace tessera
