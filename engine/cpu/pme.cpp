#include "engine/cpu/pme.hpp"

#include "engine/cpu/pair_sums.hpp"
#include "engine/math/bspline.hpp"
#include "engine/math/constants.hpp"
#include "engine/plans/pme_plan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
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

/// Spline weights and mesh indices of one atom. `Order` is the spline order where it is known while
/// compiling (loops are then unrolled), else 0.
template <int Order>
struct Splines {
    static constexpr int room = Order > 0 ? Order : largest_spline_order;
    double weight[3][room]; ///< along z by ascending mesh point, along x and y descending
    double slope[3][room];
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
            bspline_weights(order, u - cell, weight[d], slope[d]);
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

    void spread(double scaled, std::size_t ny, std::size_t nz, int any_order,
                std::int64_t* mesh) const
    {
        const int order = Order > 0 ? Order : any_order;
        constexpr double to_integer = 6755399441055744.0; // 1.5 * 2^52: rounds to nearest even
        // a weight is below 1, so the sum keeps its last bits for the integer
        const bool is_small = std::fabs(scaled) < 2251799813685248.0; // 2^51
        for (int i = 0; i < order; ++i) {
            for (int j = 0; j < order; ++j) {
                const double plane = scaled * (weight[0][i] * weight[1][j]);
                std::int64_t* line = mesh + (index[0][i] * ny + index[1][j]) * nz;
                if (is_contiguous && is_small) {
                    std::int64_t* first = line + index[2][0];
                    for (int k = 0; k < order; ++k) {
                        first[k] += std::bit_cast<std::int64_t>(plane * weight[2][k] + to_integer) -
                                    std::bit_cast<std::int64_t>(to_integer);
                    }
                } else {
                    for (int k = 0; k < order; ++k) {
                        line[index[2][k]] += std::llrint(plane * weight[2][k]);
                    }
                }
            }
        }
    }

    /// Derivatives of the potential with respect to the three mesh coordinates. The sums over x and
    /// y keep the points along z apart, as lanes of a vector; those are joined at the end.
    [[nodiscard]] Vec3 gather(const double* potential, std::size_t ny, std::size_t nz,
                              int any_order) const
    {
        const int order = Order > 0 ? Order : any_order;
        double x[room] = {}, y[room] = {}, z[room] = {};
        for (int i = 0; i < order; ++i) {
            double plain[room] = {}, steep[room] = {}; // weights or slopes along y
            for (int j = 0; j < order; ++j) {
                const double* line = potential + (index[0][i] * ny + index[1][j]) * nz;
                double phi[room];
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
        Vec3 sum;
        for (int k = 0; k < order; ++k) {
            sum += Vec3{weight[2][k] * x[k], weight[2][k] * y[k], slope[2][k] * z[k]};
        }
        return sum;
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

Pme::Pme(const std::array<int, 3>& grid, int order, const Waves& waves,
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
    potential_.resize(coefficient_.size());
    spectrum_.resize(coefficient_.size());
    for (std::size_t s = 0; s < coefficient_.size(); ++s) {
        potential_[s].resize(fft_.points());
        spectrum_[s].resize(fft_.spectrum_points());
    }
}

void Pme::restrict_to(std::span<const std::int32_t> atoms, MeshSum add_meshes, bool books_energy)
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

void Pme::prepare_influence(const Box& box, int threads)
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

void Pme::spread(const Box& box, std::span<const Vec3> canonical, const std::vector<double>& c,
                 int threads)
{
    const std::array<int, 3>& n = fft_.size();
    const std::size_t ny = at(n[1]), nz = at(n[2]);
    const auto atoms = static_cast<std::int64_t>(canonical.size());
    mesh_.resize(at(threads));
    for (std::vector<std::int64_t>& mesh : mesh_) {
        mesh.clear(); // a thread that does not come leaves nothing of an earlier call
    }
#pragma omp parallel num_threads(threads)
    {
        std::vector<std::int64_t>& mesh = mesh_[at(thread_number())];
        mesh.assign(fft_.points(), 0);
        with_order(order_, [&](auto order) {
#pragma omp for schedule(static)
            for (std::int64_t a = 0; a < atoms; ++a) {
                if (c[at(a)] != 0.0) {
                    const Splines<order()> s(box, canonical[at(a)], n, order_);
                    s.spread(c[at(a)] * fixed::mesh_scale, ny, nz, order_, mesh.data());
                }
            }
        });
    }
}

void Pme::convolve(const Box& box, Wanted wanted, int threads, EnergySums& energies)
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
                        s[k] = spectrum_[k][i];
                    }
                    for (std::size_t k = 0; k < sets; ++k) {
                        const double mixing = sets == 1 ? 1.0 : binomials[k] / 64.0;
                        const std::complex<double> partner = s[sets - 1 - k];
                        square +=
                            mixing * (s[k].real() * partner.real() + s[k].imag() * partner.imag());
                        spectrum_[k][i] = 2.0 * g * mixing * partner;
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

void Pme::gather(const Box& box, std::span<const Vec3> canonical, int threads,
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
            const Splines<order()> s(box, canonical[at(a)], n, order_);
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

void Pme::add_forces(const Box& box, std::span<const Vec3> canonical, Wanted wanted, int threads,
                     ForceSums& forces, EnergySums& energies)
{
    prepare_influence(box, threads);
    const auto points = static_cast<std::int64_t>(fft_.points());
    for (std::size_t s = 0; s < coefficient_.size(); ++s) {
        spread(box, canonical, coefficient_[s], threads);
        std::vector<double>& real = potential_[s];
        std::vector<std::int64_t> total(add_meshes_ ? fft_.points() : 0);
#pragma omp parallel for schedule(static) num_threads(threads)
        for (std::int64_t p = 0; p < points; ++p) {
            std::int64_t sum = 0;
            for (const std::vector<std::int64_t>& mesh : mesh_) {
                sum += mesh.empty() ? 0 : mesh[at(p)];
            }
            if (total.empty()) {
                real[at(p)] = from_fixed(sum, fixed::mesh_scale);
            } else {
                total[at(p)] = sum;
            }
        }
        if (!total.empty()) {
            add_meshes_(total);
            for (std::size_t p = 0; p < total.size(); ++p) {
                real[p] = from_fixed(total[p], fixed::mesh_scale);
            }
        }
        fft_.forward(real.data(), spectrum_[s].data(), threads);
    }
    convolve(box, books_energy_ ? wanted : Wanted{}, threads, energies);
    for (std::size_t s = 0; s < coefficient_.size(); ++s) {
        fft_.backward(spectrum_[s].data(), potential_[s].data(), threads);
    }
    gather(box, canonical, threads, forces);
}

} // namespace tessera
