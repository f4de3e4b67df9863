#include "engine/cpu/pme.hpp"

#include "engine/base/error.hpp"
#include "engine/base/let_go.hpp"
#include "engine/cpu/atom_loop.hpp"
#include "engine/cpu/pair_sums.hpp"
#include "engine/plans/pme_plan.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <omp.h>
#include <type_traits>
#include <utility>

namespace tessera
{

namespace
{

std::size_t at(std::int64_t k)
{
    return static_cast<std::size_t>(k);
}

const std::array<int, 3>& checked(const std::array<int, 3>& grid, int order)
{
    check_pme_grid(grid, order);
    return grid;
}

constexpr auto nowhere = ~std::size_t{0};

/// The indices at which a mesh with margins holds the point p of n.
std::array<std::size_t, 2> images(std::size_t p, std::size_t n, std::size_t margin)
{
    return {p + margin, p + margin >= n ? p + margin - n : nowhere};
}

template <class Whole, class Unsigned>
void add_row(const Whole* row, std::vector<Unsigned>& sum)
{
    for (std::size_t k = 0; k < sum.size(); ++k) {
        sum[k] += static_cast<Unsigned>(row[k]);
    }
}

/// What one addend of exact sums must be; false for NaN.
bool fits(const Vec3& f)
{
    return std::fabs(f.x) < fixed::largest_force && std::fabs(f.y) < fixed::largest_force &&
           std::fabs(f.z) < fixed::largest_force;
}

std::vector<Coefficients> each_shared(std::vector<std::vector<double>> sets)
{
    std::vector<Coefficients> out;
    for (std::vector<double>& set : sets) {
        out.push_back(std::make_shared<const std::vector<double>>(std::move(set)));
    }
    return out;
}

/// The share of the calling thread in 0 .. all - 1.
struct Share {
    std::size_t first, count;

    explicit Share(std::size_t all)
    {
        const std::size_t team = at(omp_get_num_threads()), me = at(thread_number());
        first = all * me / team;
        count = all * (me + 1) / team - first;
    }
};

} // namespace

/// Units of the mesh an e.
template <class R>
double scale_of_mesh(double largest)
{
    if constexpr (std::is_same_v<R, double>) {
        return fixed::mesh_scale;
    }
    // Weights of an atom sum to one at every order: a point holds what a uniform density puts into
    // its cell. Sixteen atoms of the largest charge at 0.3, the largest weight of order 4, are
    // generous; every point is looked at when meshes are added.
    constexpr double crowd = 16 * 0.3, half_range = 1073741824.0; // 2^30
    const double bits = std::floor(std::log2(half_range / (crowd * (largest > 0 ? largest : 1.0))));
    return std::exp2(std::min<double>(fixed::mixed_mesh_bits, bits));
}

template <class R>
BasicPme<R>::BasicPme(const std::array<int, 3>& grid, int order, const Waves& waves,
                      std::vector<std::vector<double>> coefficients, EnergyKind kind)
    : BasicPme(grid, order, waves, each_shared(std::move(coefficients)), kind)
{
}

template <class R>
BasicPme<R>::BasicPme(const std::array<int, 3>& grid, int order, const Waves& waves,
                      std::vector<Coefficients> coefficients, EnergyKind kind)
    : layout_(checked(grid, order), order), spread_(layout_), fft_(grid), waves_(waves),
      coefficient_(std::move(coefficients)), kind_(kind)
{
    for (std::size_t d = 0; d < 3; ++d) {
        moduli_[d] = spline_moduli(order, grid[d]);
    }
    double largest = 0;
    for (const Coefficients& set : coefficient_) {
        for (const double c : *set) {
            largest = std::max(largest, std::fabs(c));
        }
    }
    if (std::holds_alternative<DispersionWaves>(waves_) && largest > 0) {
        // small numbers would lose digits on the integer mesh; a power of two costs none
        coefficient_scale_ = std::exp2(std::ceil(std::log2(largest)));
        for (Coefficients& set : coefficient_) {
            auto scaled = std::make_shared<std::vector<double>>(*set);
            for (double& c : *scaled) {
                c /= coefficient_scale_;
            }
            set = std::move(scaled);
        }
    }
    mesh_scale_ = scale_of_mesh<R>(largest / coefficient_scale_);
}

template <class R>
void BasicPme<R>::make_meshes()
{
    potential_.resize(coefficient_.size());
    for (AlignedVector<R>& mesh : potential_) {
        mesh.resize(spread_.size);
    }
}

template <class R>
void BasicPme<R>::let_go()
{
    tessera::let_go(filter_);
    make_room();
}

template <class R>
void BasicPme<R>::make_room()
{
    tessera::let_go(atoms_);
    tessera::let_go(other_charges_);
    charges_of_.clear();
    tessera::let_go(potential_);
    if (shared_) {
        shared_->let_go_of_spectra();
    }
}

template <class R>
void BasicPme<R>::restrict_to(std::span<const std::int32_t> atoms, Transport& ranks, double drift,
                              const std::optional<PencilGrid>& pencils)
{
    if (!shared_) {
        let_go(); // spectra have other sizes
        const MeshPlan plan = pencils ? MeshPlan(layout_.n, ranks.size(), *pencils)
                                      : MeshPlan(layout_.n, ranks.size());
        shared_ = std::make_unique<SharedMesh<R>>(plan, ranks);
        whole_ = coefficient_;
    }
    shared_->forget_bricks();
    drift_ = drift;
    row_.clear();
    name_.clear();
    for (std::size_t row = 0; row < atoms.size(); ++row) {
        const std::int32_t a = atoms[row];
        if (a >= 0 && std::any_of(whole_.begin(), whole_.end(),
                                  [&](const Coefficients& set) { return (*set)[at(a)] != 0.0; })) {
            row_.push_back(static_cast<std::int32_t>(row));
            name_.push_back(a);
        }
    }
    for (std::size_t s = 0; s < whole_.size(); ++s) {
        auto mine = std::make_shared<std::vector<double>>();
        for (const std::int32_t a : name_) {
            mine->push_back((*whole_[s])[at(a)]);
        }
        coefficient_[s] = std::move(mine);
    }
}

/// Of the whole mesh.
template <class R>
std::array<std::size_t, 3> BasicPme<R>::cell_of(const MeshAtom<R>& atom) const
{
    const std::size_t in_plane = atom.first % layout_.plane;
    return {atom.first / layout_.plane, in_plane / layout_.pitch, in_plane % layout_.pitch};
}

/// The points that this rank's atoms touch until they have drifted farther than they may.
template <class R>
MeshBrick BasicPme<R>::brick_of_atoms(const Box& box) const
{
    constexpr double rounding = 1e-5; // of places within a cell, FP32
    std::array<std::vector<char>, 3> is_marked;
    const Vec3 height = box.heights();
    for (std::size_t d = 0; d < 3; ++d) {
        const int n = layout_.n[d];
        const double farthest =
            std::min<double>(drift_ * n / height[static_cast<int>(d)] + rounding, n);
        is_marked[d].resize(at(n));
        for (const MeshAtom<R>& atom : atoms_) {
            const auto cell = static_cast<int>(cell_of(atom)[d]);
            const double above = static_cast<double>(atom.above[d]);
            const int last = cell + static_cast<int>(std::floor(above + farthest));
            for (int c = cell + static_cast<int>(std::floor(above - farthest)); c <= last; ++c) {
                is_marked[d][at((c % n + n) % n)] = 1;
            }
        }
    }
    return brick_of_cells(is_marked, layout_.order);
}

/// Cuts this rank's brick out of the mesh.
template <class R>
void BasicPme<R>::move_into_brick()
{
    const MeshBrick& brick = shared_->brick();
    const int margin = layout_.order - 1;
    std::array<int, 3> length{1, 1, 1};
    for (std::size_t d = 0; d < 3 && !brick.is_empty(); ++d) {
        length[d] = brick.extent[d] == layout_.n[d] ? layout_.n[d] : brick.extent[d] - margin;
    }
    spread_ = MeshLayout(length, layout_.order);
    for (std::size_t a = 0; a < atoms_.size(); ++a) {
        const std::array<std::size_t, 3> cell = cell_of(atoms_[a]);
        std::array<std::size_t, 3> c{};
        for (std::size_t d = 0; d < 3; ++d) {
            const int n = layout_.n[d];
            c[d] = (cell[d] + at(2 * n - brick.first[d] - margin)) % at(n);
            if (c[d] >= at(length[d])) {
                throw PhysicsError(fmt::format(
                    "atom {} has left the part of the PME mesh on which its rank spreads charges "
                    "(it moved more than {:.6g} nm since ranks cut the cell, without a search). "
                    "Minimise the start structure or shorten run.timestep.",
                    name_[a] + 1, drift_));
            }
        }
        atoms_[a].first =
            static_cast<std::uint32_t>(c[0] * spread_.plane + c[1] * spread_.pitch + c[2]);
    }
}

template <class R>
void BasicPme<R>::locate(const Box& box, const CanonicalPositions& positions, int threads)
{
    atoms_.resize(shared_ ? row_.size() : positions.size());
    for_each_stretch(
        std::ssize(atoms_), CanonicalPositions::most, threads,
        [&](std::size_t first, std::size_t last) {
            const std::size_t count = last - first;
            Vec3 x[CanonicalPositions::most];
            if (shared_) {
                positions.read(std::span(row_).subspan(first, count), x);
            } else {
                positions.read(first, last, x);
            }
            locate_on_mesh<R>(layout_, box, {x, count}, std::span(atoms_).subspan(first, count));
        });
}

template <class R>
void BasicPme<R>::spread(std::size_t set, int threads)
{
    static_assert(sizeof(R) == sizeof(Whole));
    other_charges_.resize(at(threads - 1));
    charges_of_.assign(at(threads), {});
#pragma omp parallel num_threads(threads)
    {
        const std::size_t me = at(thread_number());
        auto* mesh = reinterpret_cast<Whole*>(potential_[set].data());
        if (me > 0) {
            other_charges_[me - 1].resize(spread_.size);
            mesh = other_charges_[me - 1].data();
        }
        std::fill_n(mesh, spread_.size, Whole{0});
        const Share share(atoms_.size());
        const double* const coefficient = coefficient_[set]->data() + share.first;
        constexpr std::size_t block = 1024; // atoms whose charges stay in the cache
        R charge[block];                    // in units of the mesh
        for (std::size_t b = 0; b < share.count; b += block) {
            const std::size_t some = std::min(block, share.count - b);
            std::transform(coefficient + b, coefficient + b + some, charge,
                           [this](double c) { return static_cast<R>(c * mesh_scale_); });
            spread_on_mesh<R>(spread_, std::span(atoms_).subspan(share.first + b, some), charge,
                              mesh);
        }
        charges_of_[me] = {mesh, spread_.size};
    }
}

/// Copies the points of a mesh that its margins repeat.
template <class R>
void BasicPme<R>::fill_margins(std::size_t set, int threads)
{
    R* const mesh = potential_[set].data();
    const std::size_t margin = layout_.margin(), nx = at(layout_.n[0]), ny = at(layout_.n[1]),
                      nz = at(layout_.n[2]);
    const std::size_t length = nz + margin;
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static)
        for (std::size_t x = 0; x < nx; ++x) {
            for (std::size_t y = 0; y < ny; ++y) {
                R* const points = mesh + row(x, y);
                for (std::size_t k = 1; k <= margin; ++k) {
                    points[-static_cast<std::ptrdiff_t>(k)] = points[nz - k];
                }
            }
            R* const below = mesh + row(x, 0) - margin * (layout_.pitch + 1);
            for (std::size_t j = 0; j < margin; ++j) {
                std::copy_n(below + (ny + j) * layout_.pitch, length, below + j * layout_.pitch);
            }
        }
#pragma omp for schedule(static)
        for (std::size_t i = 0; i < margin; ++i) {
            std::copy_n(mesh + (nx + i) * layout_.plane, (ny + margin) * layout_.pitch,
                        mesh + i * layout_.plane);
        }
    }
}

/// Without the margins.
template <class R>
BitHash BasicPme<R>::hash_of_points(const AlignedVector<R>& mesh) const
{
    const std::size_t nx = at(layout_.n[0]), ny = at(layout_.n[1]), nz = at(layout_.n[2]);
    std::vector<R> points(nx * ny * nz);
    for (std::size_t line = 0; line < nx * ny; ++line) {
        std::copy_n(mesh.data() + row(line / ny, line % ny), nz, points.data() + line * nz);
    }
    return hash_of_numbers(points);
}

template <class R>
void BasicPme<R>::gather(const Box& box, int threads, ForceSums& forces)
{
    // an atom has one owner, but what the sums remember of overflow is shared
    std::int64_t out_of_range = std::numeric_limits<std::int64_t>::max();
    for (std::size_t set = 0; set < coefficient_.size(); ++set) {
        if (!shared_) {
            fill_margins(set, threads);
        }
#pragma omp parallel num_threads(threads) reduction(min : out_of_range)
        {
            const Share share(atoms_.size());
            out_of_range =
                std::min(out_of_range, gather_share(box, set, share.first, share.count, forces));
        }
    }
    if (out_of_range != std::numeric_limits<std::int64_t>::max() && forces.out_of_range() < 0) {
        forces.mark_pair(out_of_range, -1);
    }
}

/// The first atom whose force is out of range is returned and gets none.
template <class R>
std::int64_t BasicPme<R>::gather_share(const Box& box, std::size_t set, std::size_t first,
                                       std::size_t count, ForceSums& forces)
{
    constexpr std::size_t block = 256; // atoms whose slopes stay in the cache
    R slope[block][4];                 // dU/d(mesh coordinates) of a unit charge
    std::int64_t out_of_range = std::numeric_limits<std::int64_t>::max();
    const Mat3& inverse = box.inverse();
    const Vec3 n{static_cast<double>(layout_.n[0]), static_cast<double>(layout_.n[1]),
                 static_cast<double>(layout_.n[2])};
    for (std::size_t b = 0; b < count; b += block) {
        const std::size_t some = std::min(block, count - b);
        gather_from_mesh<R>(spread_, std::span(atoms_).subspan(first + b, some),
                            potential_[set].data(), slope);
        for (std::size_t k = 0; k < some; ++k) {
            const std::size_t a = atom_of(first + b + k);
            const double c = (*coefficient_[set])[first + b + k];
            const Vec3 per_fraction{c * slope[k][0] * n.x, c * slope[k][1] * n.y,
                                    c * slope[k][2] * n.z};
            const Vec3 f = -times(inverse, per_fraction); // u_d = n_d sum_k x_k inverse_kd
            if (fits(f) || forces.mode() == SumMode::floating) {
                forces.add(a, f);
            } else {
                out_of_range = std::min(out_of_range, static_cast<std::int64_t>(a));
            }
        }
    }
    return out_of_range;
}

/// Joins the charges of all threads, and turns them into numbers. A line reads what no other one
/// writes: its own points, and margins.
template <class R>
void BasicPme<R>::add_up_meshes(std::size_t set, int threads)
{
    using Unsigned = std::make_unsigned_t<Whole>;
    const auto unit = static_cast<R>(1.0 / mesh_scale_);
    const auto largest = static_cast<Whole>(std::numeric_limits<Whole>::max() / 2);
    const std::size_t margin = layout_.margin(), nx = at(layout_.n[0]), ny = at(layout_.n[1]),
                      nz = at(layout_.n[2]);
    int too_large = 0;
#pragma omp parallel num_threads(threads) reduction(| : too_large)
    {
        std::vector<Unsigned> sum(nz + margin);
#pragma omp for schedule(static)
        for (std::size_t line = 0; line < nx * ny; ++line) {
            const std::size_t x = line / ny, y = line % ny;
            R* const points = potential_[set].data() + row(x, y);
            std::fill(sum.begin(), sum.end(), 0);
            for (const std::span<const Whole> mesh : charges_of_) {
                for (const std::size_t i : images(x, nx, margin)) {
                    for (const std::size_t j : images(y, ny, margin)) {
                        if (!mesh.empty() && i != nowhere && j != nowhere) {
                            add_row(mesh.data() + i * layout_.plane + j * layout_.pitch, sum);
                        }
                    }
                }
            }
            for (std::size_t k = 0; k < margin; ++k) {
                sum[nz + k] += sum[k];
            }
            for (std::size_t k = 0; k < nz; ++k) {
                const auto whole = static_cast<Whole>(sum[margin + k]);
                too_large |= whole < largest && whole > -largest ? 0 : 1;
                points[k] = static_cast<R>(whole) * unit;
            }
        }
    }
    if (too_large != 0) {
        refuse_crowd();
    }
}

template <class R>
void BasicPme<R>::refuse_crowd() const
{
    throw PhysicsError(fmt::format(
        "charges crowd so that the PME mesh leaves its range of {} e "
        "a point (atoms lie on each other, or a charge is far too large). Minimise the start "
        "structure, correct the charge, or set compute.precision = \"fp64\".",
        static_cast<double>(std::numeric_limits<Whole>::max() / 2) / mesh_scale_));
}

template <class R>
void BasicPme<R>::add_forces(const Box& box, const CanonicalPositions& positions, Wanted wanted,
                             int threads, ForceSums& forces, EnergySums& energies)
{
    make_potential(box, positions, wanted, threads, energies);
    add_mesh_forces(box, wanted, threads, forces);
}

template <class R>
void BasicPme<R>::make_potential(const Box& box, const CanonicalPositions& positions, Wanted wanted,
                                 int threads, EnergySums& energies)
{
    charges_hash_ = potential_hash_ = {};
    locate(box, positions, threads);
    if (shared_) {
        if (!shared_->has_bricks()) {
            shared_->share_bricks(brick_of_atoms(box));
        }
        move_into_brick();
        shared_->begin(coefficient_.size());
    }
    make_meshes();
    prepare_filter(box, threads);
    const std::size_t sets = coefficient_.size(), planes = at(layout_.n[0]);
    const bool has_sums = wanted.energies || wanted.virial;
    const bool in_one_sweep = sets == 1 && !has_sums; // the same bits, with less traffic
    for (std::size_t s = 0; s < sets; ++s) {
        spread(s, threads);
        if (shared_) {
            shared_->put(spread_, charges_of_);
            continue;
        }
        add_up_meshes(s, threads);
        if (wanted.hashes) {
            charges_hash_.add(hash_of_points(potential_[s]));
        }
        fft_.planes_forward(real(s), planes, spectrum(s), threads);
    }
    if (shared_ && !shared_->forward(static_cast<R>(1.0 / mesh_scale_), threads)) {
        refuse_crowd();
    }
    using Way = typename Fft3d<R>::Way;
    along_x(in_one_sweep ? Way::filter : Way::forward, threads);
    if (has_sums) {
        add_sums(box, wanted, threads, energies);
    }
    if (!in_one_sweep) {
        convolve(threads);
        along_x(Way::backward, threads);
    }
    if (shared_) {
        shared_->backward(threads);
        if (wanted.energies) { // seldom, and what comes before the forces needs as much
            shared_->let_go_of_spectra();
        }
    }
    for (std::size_t s = 0; s < sets && !shared_; ++s) {
        fft_.planes_backward(spectrum(s), real(s), planes, threads);
    }
}

template <class R>
void BasicPme<R>::along_x(typename Fft3d<R>::Way way, int threads)
{
    const WavePart factor = filter_part();
    std::size_t rows = at(factor.y.count), count = at(factor.z.count);
    if (waves().pitch == count) { // side by side: all are one row, which fills more vectors
        count *= std::exchange(rows, 1);
    }
    for (std::size_t s = 0; s < coefficient_.size(); ++s) {
        fft().along_x(spectrum(s), rows, count, way, {filter_.data(), factor.pitch, factor.plane},
                      threads);
    }
}

template <class R>
void BasicPme<R>::add_mesh_forces(const Box& box, Wanted wanted, int threads, ForceSums& forces)
{
    if (shared_) {
        shared_->take_potentials(spread_, potential_);
    }
    for (std::size_t s = 0; s < potential_.size() && wanted.hashes && !shared_; ++s) {
        potential_hash_.add(hash_of_points(potential_[s]));
    }
    gather(box, threads, forces);
    if (wanted.energies) { // seldom, and listeners may need as much
        make_room();
    }
}

template class BasicPme<double>;
template class BasicPme<float>;

} // namespace tessera
