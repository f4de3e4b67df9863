#include "engine/cpu/pme.hpp"

#include "engine/base/error.hpp"
#include "engine/cpu/pair_sums.hpp"
#include "engine/math/bspline.hpp"
#include "engine/math/constants.hpp"
#include "engine/plans/pme_plan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <type_traits>

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

constexpr std::array<double, 7> binomials{1, 6, 15, 20, 15, 6, 1};

constexpr double to_integer = 6755399441055744.0; // 1.5 * 2^52: rounds to nearest even

/// Spline weights and mesh indices of one atom. `Order` is the spline order where it is known while
/// compiling (loops are then unrolled), else 0.
template <int Order, class R>
struct Splines {
    static constexpr int room = Order > 0 ? Order : largest_spline_order;
    R weight[3][room]; ///< along z by ascending mesh point, along x and y descending
    R slope[3][room];
    std::size_t index[3][room];
    bool is_contiguous; ///< along z: no wrap inside the spline

    Splines(const Box& box, const Vec3& canonical, const std::array<int, 3>& n, int any_order)
    {
        const int order = Order > 0 ? Order : any_order;
        const Vec3 fraction = box.to_fraction(canonical);
        for (int d = 0; d < 3; ++d) {
            const int size = n[at(d)];
            double u = (fraction[d] - std::floor(fraction[d])) * size;
            u = u < size ? u : 0.0; // a fraction of -1e-17 has become 1
            const int cell = static_cast<int>(u);
            bspline_weights(order, static_cast<R>(u - cell), weight[d], slope[d]);
            for (int k = 0; k < order; ++k) {
                const int point = cell - k;
                index[d][k] = at(point < 0 ? point + size : point);
            }
        }
        std::reverse(weight[2], weight[2] + order);
        std::reverse(slope[2], slope[2] + order);
        std::reverse(index[2], index[2] + order);
        is_contiguous = index[2][0] < index[2][order - 1];
    }

    /// Adds to an int64 mesh.
    void spread(double scaled, std::size_t ny, std::size_t nz, int any_order,
                std::int64_t* mesh) const
    {
        // a weight is below 1, so the sum keeps its last bits for the integer
        if (std::fabs(scaled) < 2251799813685248.0) { // 2^51
            add_points(scaled, ny, nz, any_order, mesh, [](double v) {
                return std::bit_cast<std::int64_t>(v + to_integer) -
                       std::bit_cast<std::int64_t>(to_integer);
            });
        } else {
            add_points(scaled, ny, nz, any_order, mesh,
                       [](double v) { return static_cast<std::int64_t>(std::llrint(v)); });
        }
    }
    /// Adds to an int32 mesh modulo 2^32; halves are rounded away from zero.
    void spread(float scaled, std::size_t ny, std::size_t nz, int any_order,
                std::int32_t* mesh) const
    {
        add_points(scaled, ny, nz, any_order, reinterpret_cast<std::uint32_t*>(mesh), [](float v) {
            return static_cast<std::uint32_t>(
                static_cast<std::int32_t>(v + std::copysign(0.5F, v)));
        });
    }

    template <class Whole, class Round>
    void add_points(R scaled, std::size_t ny, std::size_t nz, int any_order, Whole* mesh,
                    Round round) const
    {
        const int order = Order > 0 ? Order : any_order;
        for (int i = 0; i < order; ++i) {
            for (int j = 0; j < order; ++j) {
                const R plane = scaled * (weight[0][i] * weight[1][j]);
                Whole* line = mesh + (index[0][i] * ny + index[1][j]) * nz;
                if (is_contiguous) {
                    Whole* first = line + index[2][0];
                    for (int k = 0; k < order; ++k) {
                        first[k] += round(plane * weight[2][k]);
                    }
                } else {
                    for (int k = 0; k < order; ++k) {
                        line[index[2][k]] += round(plane * weight[2][k]);
                    }
                }
            }
        }
    }

    /// Derivatives of the potential with respect to the three mesh coordinates. The sums over x and
    /// y keep the points along z apart, as lanes of a vector; those are joined at the end.
    [[nodiscard]] Vec3 gather(const R* potential, std::size_t ny, std::size_t nz,
                              int any_order) const
    {
        const int order = Order > 0 ? Order : any_order;
        R x[room] = {}, y[room] = {}, z[room] = {};
        for (int i = 0; i < order; ++i) {
            R plain[room] = {}, steep[room] = {}; // weights or slopes along y
            for (int j = 0; j < order; ++j) {
                const R* line = potential + (index[0][i] * ny + index[1][j]) * nz;
                R phi[room];
                if (is_contiguous) {
                    std::copy_n(line + index[2][0], order, phi);
                } else {
                    for (int k = 0; k < order; ++k) {
                        phi[k] = line[index[2][k]];
                    }
                }
                for (int k = 0; k < order; ++k) {
                    plain[k] += weight[1][j] * phi[k];
                    steep[k] += slope[1][j] * phi[k];
                }
            }
            for (int k = 0; k < order; ++k) {
                x[k] += slope[0][i] * plain[k];
                y[k] += weight[0][i] * steep[k];
                z[k] += weight[0][i] * plain[k];
            }
        }
        R sum[3] = {};
        for (int k = 0; k < order; ++k) {
            sum[0] += weight[2][k] * x[k];
            sum[1] += weight[2][k] * y[k];
            sum[2] += slope[2][k] * z[k];
        }
        return {sum[0], sum[1], sum[2]};
    }
};

/// Calls `work` with the spline order as a constant where that pays.
template <class Work>
void with_order(int order, const Work& work)
{
    switch (order) {
    case 4:
        work(std::integral_constant<int, 4>());
        break;
    case 5:
        work(std::integral_constant<int, 5>());
        break;
    case 6:
        work(std::integral_constant<int, 6>());
        break;
    default:
        work(std::integral_constant<int, 0>());
    }
}

} // namespace

/// Units of the mesh an e.
template <class R>
double scale_of_mesh(double largest, int order)
{
    if constexpr (std::is_same_v<R, double>) {
        return fixed::mesh_scale;
    }
    // the spline's largest weight, (2/3)^3 at order 4, falls with the order as the cells it covers
    // grow in number
    constexpr double crowd = 16 * 0.3, half_range = 1073741824.0; // 2^30
    const double more = order > 4 ? order / 4.0 : 1.0;
    const double most = crowd * more * more * more * (largest > 0 ? largest : 1.0);
    const double bits = std::floor(std::log2(half_range / most));
    return std::exp2(std::min<double>(fixed::mixed_mesh_bits, bits));
}

template <class R>
BasicPme<R>::BasicPme(const std::array<int, 3>& grid, int order, const Waves& waves,
                      std::vector<std::vector<double>> coefficients, EnergyKind kind)
    : fft_(checked(grid, order)), order_(order), waves_(waves),
      coefficient_(std::move(coefficients)), kind_(kind)
{
    for (std::size_t d = 0; d < 3; ++d) {
        moduli_[d] = spline_moduli(order, grid[d]);
    }
    double largest = 0;
    for (const std::vector<double>& set : coefficient_) {
        for (const double c : set) {
            largest = std::max(largest, std::fabs(c));
        }
    }
    if (std::holds_alternative<DispersionWaves>(waves_) && largest > 0) {
        // small numbers would lose digits on the integer mesh; a power of two costs none
        coefficient_scale_ = std::exp2(std::ceil(std::log2(largest)));
        for (std::vector<double>& set : coefficient_) {
            for (double& c : set) {
                c /= coefficient_scale_;
            }
        }
    }
    mesh_scale_ = scale_of_mesh<R>(largest / coefficient_scale_, order);
    potential_.resize(coefficient_.size());
    spectrum_.resize(coefficient_.size());
    for (std::size_t s = 0; s < coefficient_.size(); ++s) {
        potential_[s].resize(fft_.points());
        spectrum_[s].resize(fft_.spectrum_points());
    }
}

template <class R>
void BasicPme<R>::restrict_to(std::span<const std::int32_t> atoms, MeshSum add_meshes,
                              bool books_energy)
{
    for (std::vector<double>& set : coefficient_) {
        std::vector<double> part;
        for (const std::int32_t a : atoms) {
            part.push_back(a < 0 ? 0.0 : set[at(a)]);
        }
        set = std::move(part);
    }
    add_meshes_ = std::move(add_meshes);
    books_energy_ = books_energy;
}

template <class R>
void BasicPme<R>::prepare_influence(const Box& box, int threads)
{
    if (!influence_.empty() && box == influence_box_) {
        return;
    }
    influence_.resize(fft_.spectrum_points());
    slope_.resize(fft_.spectrum_points());
    influence_box_ = box;
    const int nx = fft_.size()[0], ny = fft_.size()[1];
    const int half = fft_.half();
    const Mat3& inverse = box.inverse();
    const double scale = coefficient_scale_ * coefficient_scale_ / box.volume();
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int x = 0; x < nx; ++x) {
        for (int y = 0; y < ny; ++y) {
            for (int z = 0; z < half; ++z) {
                const Vec3 m{static_cast<double>(signed_wave(x, nx)),
                             static_cast<double>(signed_wave(y, ny)), static_cast<double>(z)};
                const Vec3 k = 2.0 * constants::pi * times(inverse, m);
                const WaveWeight w = std::visit(
                    [&](const auto& waves) { return wave_weight(waves, norm2(k)); }, waves_);
                const std::size_t i = (at(x) * at(ny) + at(y)) * at(half) + at(z);
                influence_[i] =
                    scale * w.value * (moduli_[0][at(x)] * moduli_[1][at(y)] * moduli_[2][at(z)]);
                slope_[i] = w.slope;
            }
        }
    }
}

template <class R>
void BasicPme<R>::spread(const Box& box, std::span<const Vec3> canonical,
                         const std::vector<double>& c, int threads)
{
    const std::array<int, 3>& n = fft_.size();
    const std::size_t ny = at(n[1]), nz = at(n[2]);
    const auto atoms = static_cast<std::int64_t>(canonical.size());
    mesh_.resize(at(threads));
    for (std::vector<Whole>& mesh : mesh_) {
        mesh.clear(); // a thread that does not come leaves nothing of an earlier call
    }
#pragma omp parallel num_threads(threads)
    {
        std::vector<Whole>& mesh = mesh_[at(thread_number())];
        mesh.assign(fft_.points(), 0);
        with_order(order_, [&](auto order) {
#pragma omp for schedule(static)
            for (std::int64_t a = 0; a < atoms; ++a) {
                if (c[at(a)] != 0.0) {
                    const Splines<order(), R> s(box, canonical[at(a)], n, order_);
                    s.spread(static_cast<R>(c[at(a)] * mesh_scale_), ny, nz, order_, mesh.data());
                }
            }
        });
    }
}

template <class R>
void BasicPme<R>::convolve(const Box& box, Wanted wanted, int threads, EnergySums& energies)
{
    const int nx = fft_.size()[0], ny = fft_.size()[1], nz = fft_.size()[2];
    const int half = fft_.half();
    const std::size_t sets = coefficient_.size();
    const Mat3& inverse = box.inverse();
    const bool has_sums = wanted.energies || wanted.virial;
#pragma omp parallel num_threads(threads)
    {
        EnergySums mine;
#pragma omp for schedule(static) nowait
        for (int x = 0; x < nx; ++x) { // a plane is summed by one thread, in one order
            double energy = 0;
            Mat3 tensor;
            for (int y = 0; y < ny; ++y) {
                const std::size_t line = (at(x) * at(ny) + at(y)) * at(half);
                for (int z = 0; z < half; ++z) {
                    const std::size_t i = line + at(z);
                    const double g = influence_[i];
                    std::array<std::complex<double>, 7> s;
                    double square = 0;
                    for (std::size_t k = 0; k < sets; ++k) {
                        s[k] = std::complex<double>(spectrum_[k][i]);
                    }
                    for (std::size_t k = 0; k < sets; ++k) {
                        const double mixing = sets == 1 ? 1.0 : binomials[k] / 64.0;
                        const std::complex<double> partner = s[sets - 1 - k];
                        square +=
                            mixing * (s[k].real() * partner.real() + s[k].imag() * partner.imag());
                        spectrum_[k][i] = std::complex<R>(2.0 * g * mixing * partner);
                    }
                    if (has_sums) {
                        const double both = z == 0 || 2 * z == nz ? 1.0 : 2.0; // k and -k
                        const double e = both * g * square;
                        energy += e;
                        if (wanted.virial) {
                            const Vec3 m{static_cast<double>(signed_wave(x, nx)),
                                         static_cast<double>(signed_wave(y, ny)),
                                         static_cast<double>(z)};
                            const Vec3 k = 2.0 * constants::pi * times(inverse, m);
                            tensor += outer((e * slope_[i]) * k, k);
                        }
                    }
                }
            }
            if (wanted.energies) {
                mine.add(kind_, energy);
            }
            if (wanted.virial) {
                mine.add_virial(-0.5 * (energy * identity3() + 2.0 * tensor));
            }
        }
        if (has_sums) {
#pragma omp critical(pme_energies)
            energies.merge(mine);
        }
    }
}

template <class R>
void BasicPme<R>::gather(const Box& box, std::span<const Vec3> canonical, int threads,
                         ForceSums& forces) const
{
    const std::array<int, 3>& n = fft_.size();
    const std::size_t ny = at(n[1]), nz = at(n[2]);
    const Mat3& inverse = box.inverse();
    const auto atoms = static_cast<std::int64_t>(canonical.size());
    std::vector<Vec3> force(canonical.size());
    with_order(order_, [&](auto order) {
#pragma omp parallel for schedule(static) num_threads(threads)
        for (std::int64_t a = 0; a < atoms; ++a) {
            const auto has_any = [&](const std::vector<double>& set) { return set[at(a)] != 0.0; };
            if (std::none_of(coefficient_.begin(), coefficient_.end(), has_any)) {
                continue;
            }
            const Splines<order(), R> s(box, canonical[at(a)], n, order_);
            Vec3 slope; // dU/d(mesh coordinate)
            for (std::size_t set = 0; set < coefficient_.size(); ++set) {
                slope +=
                    coefficient_[set][at(a)] * s.gather(potential_[set].data(), ny, nz, order_);
            }
            const Vec3 per_fraction{slope.x * n[0], slope.y * n[1], slope.z * n[2]};
            force[at(a)] = -times(inverse, per_fraction); // u_d = n_d sum_k x_k inverse_kd
        }
    });
    for (std::size_t a = 0; a < force.size(); ++a) {
        forces.add(a, force[a]);
    }
}

/// Joins the meshes of all threads, and of all ranks, and turns them into numbers.
template <class R>
void BasicPme<R>::add_up_meshes(std::vector<R>& real, int threads)
{
    using Unsigned = std::make_unsigned_t<Whole>;
    const auto points = static_cast<std::int64_t>(fft_.points());
    std::vector<std::int64_t> total(add_meshes_ ? fft_.points() : 0);
    const auto unit = static_cast<R>(1.0 / mesh_scale_);
    const auto largest = static_cast<std::int64_t>(std::numeric_limits<Whole>::max() / 2);
    int too_large = 0;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(| : too_large)
    for (std::int64_t p = 0; p < points; ++p) {
        Unsigned sum = 0;
        for (const std::vector<Whole>& mesh : mesh_) {
            sum += mesh.empty() ? Unsigned{0} : static_cast<Unsigned>(mesh[at(p)]);
        }
        const auto whole = static_cast<Whole>(sum);
        if (total.empty()) {
            too_large |= whole < largest && whole > -largest ? 0 : 1;
            real[at(p)] = static_cast<R>(whole) * unit;
        } else {
            total[at(p)] = whole;
        }
    }
    if (!total.empty()) {
        add_meshes_(total);
        for (std::size_t p = 0; p < total.size(); ++p) {
            too_large |= total[p] < largest && total[p] > -largest ? 0 : 1;
            real[p] = static_cast<R>(total[p]) * unit;
        }
    }
    if (too_large != 0) {
        throw PhysicsError(
            fmt::format("charges crowd so that the PME mesh leaves its range of {} e "
                        "a point (atoms lie on each other). Minimise the start "
                        "structure, or set compute.precision = \"fp64\".",
                        static_cast<double>(largest) / mesh_scale_));
    }
}

template <class R>
void BasicPme<R>::add_forces(const Box& box, std::span<const Vec3> canonical, Wanted wanted,
                             int threads, ForceSums& forces, EnergySums& energies)
{
    charges_hash_ = potential_hash_ = {};
    prepare_influence(box, threads);
    for (std::size_t s = 0; s < coefficient_.size(); ++s) {
        spread(box, canonical, coefficient_[s], threads);
        add_up_meshes(potential_[s], threads);
        if (wanted.hashes) {
            charges_hash_.add(hash_of_numbers(potential_[s]));
        }
        fft_.forward(potential_[s].data(), spectrum_[s].data(), threads);
    }
    convolve(box, books_energy_ ? wanted : Wanted{}, threads, energies);
    for (std::size_t s = 0; s < coefficient_.size(); ++s) {
        fft_.backward(spectrum_[s].data(), potential_[s].data(), threads);
        if (wanted.hashes) {
            potential_hash_.add(hash_of_numbers(potential_[s]));
        }
    }
    gather(box, canonical, threads, forces);
}

template class BasicPme<double>;
template class BasicPme<float>;

} // namespace tessera
