#include "engine/cpu/exclusion_corrections.hpp"

#include "engine/cpu/simd/simd_choice.hpp"
#include "engine/math/constants.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace tessera
{

ExclusionCorrections::ExclusionCorrections(std::shared_ptr<const Topology> topology,
                                           const PairForm& form, const std::vector<double>& mesh_c6,
                                           std::shared_ptr<const RaggedList> pairs,
                                           const Topology* self_terms_of)
    : form_(form), topology_(std::move(topology)), pairs_(std::move(pairs))
{
    const bool has_field =
        form.coulomb == CoulombForm::reaction_field && (form.field.k != 0.0 || form.field.c != 0.0);
    has_coulomb_ = form.coulomb == CoulombForm::ewald || has_field;
    is_empty_ = !has_coulomb_ && !form.lj_ewald;
    if (is_empty_) {
        return;
    }
    if (form.lj_ewald) {
        mesh_c6_ = mesh_c6;
    }
    // kJ/mol per e^2, and per kJ/mol nm^6
    const double per_charge2 = form.coulomb == CoulombForm::ewald
                                   ? -form.coulomb_constant * form.beta * 0.5 * two_over_sqrt_pi
                               : has_field ? -0.5 * form.coulomb_constant * form.field.c
                                           : 0.0;
    const double per_c6 =
        form.lj_ewald ? form.lj_beta2 * form.lj_beta2 * form.lj_beta2 / 12.0 : 0.0;
    for (std::size_t a = 0; self_terms_of != nullptr && a < self_terms_of->charge.size(); ++a) {
        const double q = self_terms_of->charge[a];
        const std::int32_t type = self_terms_of->type[a];
        self_coulomb_.add(per_charge2 * (q * q));
        self_lj_.add(form.lj_ewald ? per_c6 * mesh_c6[self_terms_of->pairs.at(type, type)] : 0.0);
    }
}

/// Pairs side by side, for vector code.
struct ExclusionCorrections::Batch {
    static constexpr int size = 64;
    int count = 0;
    std::int32_t i[size], j[size]; ///< atoms
    alignas(64) double xi[3][size], xj[3][size];
    alignas(64) double strength[size];
    alignas(64) double d[3][size]; ///< x_i - x_j at the nearest image, nm
    alignas(64) double energy[size], force_over_r[size];
    alignas(64) std::int64_t force[3][size]; ///< in units of the force grid
};

/// What one thread adds: directly, where the atom is its own, or later.
struct ExclusionCorrections::Share {
    ForceSums& forces;
    std::size_t end; ///< from it on atoms are another thread's
    EnergySums energies;
    struct Later {
        std::size_t atom;
        std::array<std::int64_t, 3> force; ///< in units of the force grid
    };
    std::vector<Later> later;
    std::vector<std::pair<std::size_t, Vec3>> beyond; ///< perhaps off the grid: kJ/mol/nm

    void add(std::size_t atom, const std::array<std::int64_t, 3>& force)
    {
        for (std::size_t c = 0; c < 3; ++c) {
            forces.fixed()[atom][c] += force[c];
        }
    }
    void finish()
    {
        for (const Later& l : later) {
            add(l.atom, l.force);
        }
        for (const auto& [atom, force] : beyond) {
            forces.add(atom, force);
        }
    }
};

namespace
{

// Vectors never cross a call: everything is inlined into code of one instruction set.
#define TESSERA_INLINE_ [[gnu::always_inline]] inline

/// The cell on the master grid, lower triangular, and the inverse of its diagonal; both zero in
/// open space. Whole numbers below 2^53 are exact in FP64.
struct GridCell {
    double ax = 0, bx = 0, by = 0, cx = 0, cy = 0, cz = 0;
    double inverse[3] = {};

    explicit GridCell(const PositionGrid& grid)
    {
        const auto whole = [](std::int64_t x) { return static_cast<double>(x); };
        const GridPosition a = grid.shift({1, 0, 0}), b = grid.shift({0, 1, 0}),
                           c = grid.shift({0, 0, 1});
        ax = whole(a.x);
        bx = whole(b.x), by = whole(b.y);
        cx = whole(c.x), cy = whole(c.y), cz = whole(c.z);
        if (grid.box().is_periodic()) {
            inverse[0] = 1 / ax, inverse[1] = 1 / by, inverse[2] = 1 / cz;
        }
    }
};

template <class Batch>
TESSERA_INLINE_ double distance2(const Batch& b, int k)
{
    return norm2(Vec3{b.d[0][k], b.d[1][k], b.d[2][k]});
}

/// Differences at the nearest image, exact; false where one of them, or its formula, needs more
/// than that: distant pairs, pairs more than one cell apart.
template <class Batch>
TESSERA_INLINE_ bool subtract(Batch& b, int n, const GridCell& cell, double largest_r2)
{
    constexpr double exact = 9007199254740992.0; // 2^53: below it differences of whole numbers are
    constexpr double farthest = PositionGrid::farthest * fixed::position_scale;
    int is_far = 0;
#pragma omp simd reduction(| : is_far)
    for (int k = 0; k < n; ++k) {
        double d[3];
        for (int c = 0; c < 3; ++c) {
            const double i = std::rint(b.xi[c][k] * fixed::position_scale);
            const double j = std::rint(b.xj[c][k] * fixed::position_scale);
            d[c] = i - j;
            is_far |= std::fabs(i) < farthest ? 0 : 1; // written so that NaN counts as far
            is_far |= std::fabs(j) < farthest ? 0 : 1;
            is_far |= std::fabs(d[c]) < exact ? 0 : 1;
        }
        const double nz = std::rint(d[2] * cell.inverse[2]);
        d[2] -= nz * cell.cz;
        d[1] -= nz * cell.cy;
        d[0] -= nz * cell.cx;
        const double ny = std::rint(d[1] * cell.inverse[1]);
        d[1] -= ny * cell.by;
        d[0] -= ny * cell.bx;
        const double nx = std::rint(d[0] * cell.inverse[0]);
        d[0] -= nx * cell.ax;
        // at most one each way
        is_far |= nx * nx + ny * ny + nz * nz < 3.5 ? 0 : 1;
        for (int c = 0; c < 3; ++c) {
            b.d[c][k] = d[c] * (1.0 / fixed::position_scale);
        }
        is_far |= distance2(b, k) < largest_r2 ? 0 : 1;
    }
    return is_far == 0;
}

/// Energies where wanted: their series costs as much as that of the forces.
template <class Batch>
TESSERA_INLINE_ void evaluate(Batch& b, int n, const PairForm& form, bool wants_energies)
{
    if (form.coulomb == CoulombForm::ewald) {
        const double beta = form.beta;
        const auto pair = [&](int k) __attribute__((always_inline))
        {
            return ewald_excluded_near(b.strength[k], beta * beta * distance2(b, k), beta);
        };
#pragma omp simd
        for (int k = 0; k < n; ++k) {
            b.force_over_r[k] = pair(k).force_over_r;
        }
        if (wants_energies) {
#pragma omp simd
            for (int k = 0; k < n; ++k) {
                b.energy[k] = pair(k).energy;
            }
        }
    } else {
        const ReactionField<double> field = form.field;
#pragma omp simd
        for (int k = 0; k < n; ++k) {
            const PairResult<double> pair =
                reaction_field_excluded(b.strength[k], distance2(b, k), field);
            b.energy[k] = pair.energy;
            b.force_over_r[k] = pair.force_over_r;
        }
    }
}

/// False where a force is too large for the fast rounding: the sum of |f| < 2^51 and 1.5 2^52 holds
/// the nearest whole number in its last bits.
template <class Batch>
TESSERA_INLINE_ bool round_forces(Batch& b, int n)
{
    constexpr double largest = 2251799813685248.0; // 2^51
    constexpr double magic = 6755399441055744.0;   // 1.5 2^52
    int is_large = 0;
#pragma omp simd reduction(| : is_large)
    for (int k = 0; k < n; ++k) {
        for (int c = 0; c < 3; ++c) {
            const double f = b.force_over_r[k] * b.d[c][k] * fixed::force_scale;
            is_large |= std::fabs(f) < largest ? 0 : 1; // NaN is large
            b.force[c][k] =
                std::bit_cast<std::int64_t>(f + magic) - std::bit_cast<std::int64_t>(magic);
        }
    }
    return is_large == 0;
}

template <class Batch>
TESSERA_INLINE_ bool compute_body(Batch& b, int n, const GridCell& cell, const PairForm& form,
                                  double largest_r2, bool wants_energies)
{
    if (!subtract(b, n, cell, largest_r2)) {
        return false;
    }
    evaluate(b, n, form, wants_energies);
    return round_forces(b, n);
}

template <class Batch>
[[gnu::flatten, gnu::target("avx512f,avx512dq,avx512vl,avx512bw,prefer-vector-width=512")]] bool
compute_avx512(Batch& b, int n, const GridCell& cell, const PairForm& form, double largest_r2,
               bool wants_energies)
{
    return compute_body(b, n, cell, form, largest_r2, wants_energies);
}
template <class Batch>
[[gnu::flatten, gnu::target("avx2")]] bool compute_avx2(Batch& b, int n, const GridCell& cell,
                                                        const PairForm& form, double largest_r2,
                                                        bool wants_energies)
{
    return compute_body(b, n, cell, form, largest_r2, wants_energies);
}
template <class Batch>
[[gnu::flatten]] bool compute_baseline(Batch& b, int n, const GridCell& cell, const PairForm& form,
                                       double largest_r2, bool wants_energies)
{
    return compute_body(b, n, cell, form, largest_r2, wants_energies);
}

#undef TESSERA_INLINE_

/// Below it (nm^2) an image is the nearest, and the batch's formula holds; 0: never.
double largest_distance2(const PairForm& form, const Box& box)
{
    constexpr double infinite = std::numeric_limits<double>::infinity();
    if (form.lj_ewald) {
        return 0;
    }
    const double nearest = box.is_periodic() ? box.images().safe2 : infinite;
    return std::min(nearest, form.coulomb == CoulombForm::ewald
                                 ? ErfSeries::largest_x2 / (form.beta * form.beta) * (1 - 1e-12)
                                 : form.coulomb_cutoff2);
}

} // namespace

/// Any pair, one at a time.
void ExclusionCorrections::add_pair(const PositionGrid& grid, std::span<const Vec3> positions,
                                    std::size_t i, std::size_t j, Wanted wanted, Share& share) const
{
    const GridPosition xi = grid.canonical(positions[i]), xj = grid.canonical(positions[j]);
    const Vec3 d = grid.box().shortest(to_nm({xi.x - xj.x, xi.y - xj.y, xi.z - xj.z}));
    const double r2 = norm2(d);
    PairResult<double> coulomb{0, 0}, lj{0, 0};
    if (form_.coulomb == CoulombForm::ewald) {
        coulomb = ewald_excluded(strength(i, j), r2, form_.beta);
    } else if (form_.coulomb == CoulombForm::reaction_field && r2 < form_.coulomb_cutoff2) {
        coulomb = reaction_field_excluded(strength(i, j), r2, form_.field);
    }
    if (form_.lj_ewald) {
        lj = lj_ewald_excluded(attraction(i, j), r2, form_.lj_beta2);
    }
    const Vec3 f = (coulomb.force_over_r + lj.force_over_r) * d;
    share.beyond.emplace_back(i, f);
    share.beyond.emplace_back(j, -f);
    if (wanted.energies) {
        share.energies.add(EnergyKind::coulomb_real, coulomb.energy);
        share.energies.add(EnergyKind::lj, lj.energy);
    }
    if (wanted.virial) {
        share.energies.add_virial(-0.5 * outer(d, f));
    }
}

/// Adds the pairs of a batch and empties it.
void ExclusionCorrections::add_batch(const PositionGrid& grid, std::span<const Vec3> positions,
                                     Wanted wanted, Batch& b, Share& share) const
{
    const auto compute =
        for_simd_level(compute_baseline<Batch>, compute_avx2<Batch>, compute_avx512<Batch>);
    const int n = std::exchange(b.count, 0);
    const auto i = [&](int k) { return static_cast<std::size_t>(b.i[k]); };
    const auto j = [&](int k) { return static_cast<std::size_t>(b.j[k]); };
    if (share.forces.mode() != SumMode::exact ||
        !compute(b, n, GridCell(grid), form_, largest_distance2(form_, grid.box()),
                 wanted.energies)) {
        for (int k = 0; k < n; ++k) {
            add_pair(grid, positions, i(k), j(k), wanted, share);
        }
        return;
    }
    for (int k = 0; k < n; ++k) {
        const std::array<std::int64_t, 3> f{b.force[0][k], b.force[1][k], b.force[2][k]};
        const std::array<std::int64_t, 3> back{-f[0], -f[1], -f[2]};
        share.add(i(k), f);
        if (j(k) < share.end) {
            share.add(j(k), back);
        } else {
            share.later.push_back({j(k), back});
        }
    }
    for (int k = 0; k < n && wanted.energies; ++k) {
        share.energies.add(EnergyKind::coulomb_real, b.energy[k]);
    }
    for (int k = 0; k < n && wanted.virial; ++k) {
        const Vec3 d{b.d[0][k], b.d[1][k], b.d[2][k]};
        share.energies.add_virial(-0.5 * outer(d, b.force_over_r[k] * d));
    }
}

/// All pairs of the atoms from `first` to the end of the share.
void ExclusionCorrections::add_share(const PositionGrid& grid, std::span<const Vec3> positions,
                                     std::size_t first, Wanted wanted, Share& share) const
{
    Batch b;
    for (std::size_t a = first; a < share.end; ++a) {
        for (const std::int32_t* other = pairs_->begin(a); other != pairs_->end(a); ++other) {
            const auto j = static_cast<std::size_t>(*other);
            if (j < a) {
                continue;
            }
            const double charges = strength(a, j);
            if (charges == 0.0 && attraction(a, j) == 0.0) {
                continue;
            }
            const int k = b.count++;
            b.i[k] = static_cast<std::int32_t>(a);
            b.j[k] = *other;
            b.strength[k] = charges;
            for (int c = 0; c < 3; ++c) {
                b.xi[c][k] = positions[a][c];
                b.xj[c][k] = positions[j][c];
            }
            if (b.count == Batch::size) {
                add_batch(grid, positions, wanted, b, share);
            }
        }
    }
    if (b.count > 0) {
        add_batch(grid, positions, wanted, b, share);
    }
}

void ExclusionCorrections::add_forces(const PositionGrid& grid, std::span<const Vec3> positions,
                                      Wanted wanted, int threads, ForceSums& forces,
                                      EnergySums& energies) const
{
    if (is_empty_) {
        return;
    }
    if (wanted.energies) {
        energies.add(EnergyKind::coulomb_real, self_coulomb_);
        energies.add(EnergyKind::lj, self_lj_);
    }
    const std::size_t entries = pairs_->value.size();
    const std::size_t parts = entries < 8192 ? 1 : static_cast<std::size_t>(std::max(1, threads));
    std::vector<std::size_t> first(parts + 1, pairs_->rows());
    std::vector<Share> shares;
    shares.reserve(parts);
    first[0] = 0;
    for (std::size_t p = 1; p < parts; ++p) { // all pairs of an atom i stay together
        const auto before = static_cast<std::int64_t>(p * entries / parts);
        first[p] = static_cast<std::size_t>(
            std::lower_bound(pairs_->offset.begin(), pairs_->offset.end(), before) -
            pairs_->offset.begin());
    }
    for (std::size_t p = 0; p < parts; ++p) {
        shares.push_back({forces, first[p + 1], {}, {}, {}});
    }
#pragma omp parallel for schedule(static, 1) num_threads(static_cast <int>(parts))
    for (std::size_t p = 0; p < parts; ++p) {
        add_share(grid, positions, first[p], wanted, shares[p]);
    }
    for (Share& share : shares) {
        share.finish();
        energies.merge(share.energies);
    }
}

} // namespace tessera
