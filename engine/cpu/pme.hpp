#pragma once

#include "engine/backend/sums.hpp"
#include "engine/cpu/fft3d.hpp"
#include "engine/cpu/mesh_kernel.hpp"
#include "engine/cpu/mesh_splines.hpp"
#include "engine/plans/settings.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <variant>
#include <vector>

namespace tessera
{

using Waves = std::variant<CoulombWaves, DispersionWaves>;

/// Replaces a mesh by its sum over ranks.
using MeshSum = std::function<void(std::span<std::int64_t>)>;

/// Smooth particle-mesh Ewald sum of pair potentials, reciprocal part. Charges (or roots of
/// dispersion coefficients) are spread on an integer mesh, lines are transformed whole, energies
/// are summed exactly: the bits do not depend on threads. U. Essmann et al., J. Chem. Phys. 103,
/// 8577 (1995).
///
/// R = double: mesh int64. R = float (mixed precision): splines, mesh potential and transforms
/// FP32, mesh int32 at 2^26 an e or, where charges are large, so coarse that sixteen atoms of the
/// largest within 4^3 cells (the more for other orders) cannot leave its range; energies are summed
/// in FP64.
template <class R>
class BasicPme {
public:
    /// One coefficient an atom: energy = sum_k w(k) |S(k)|^2. Throws InputError (check_pme_grid).
    /// Seven coefficients an atom, c_k = e sigma^k (k = 0..6): the Lorentz-Berthelot mixture
    /// ((s_i + s_j)/2)^6 = sum_k binomial(6, k)/64 s_i^k s_j^(6-k).
    BasicPme(const std::array<int, 3>& grid, int order, const Waves& waves,
             std::vector<std::vector<double>> coefficients, EnergyKind kind);

    /// A rank's part: only the atoms listed (global numbers; -1: an atom that another rank spreads)
    /// are spread and feel forces, in the caller's new numbering; `add_meshes` sums integer meshes
    /// over ranks; energies are booked where `books_energy`. Parts may follow one another.
    void restrict_to(std::span<const std::int32_t> atoms, MeshSum add_meshes, bool books_energy);

    /// Throws PhysicsError where charges crowd beyond the range of the FP32 mesh.
    /// `canonical`: positions as made by canonical_positions for this box.
    void add_forces(const Box& box, std::span<const Vec3> canonical, Wanted wanted, int threads,
                    ForceSums& forces, EnergySums& energies);

    /// Returns the memory of what add_forces() makes anew.
    void let_go();

    /// Of the mesh charges and of the mesh potential, at the last add_forces() that wanted hashes.
    [[nodiscard]] std::vector<PhaseHash> phase_hashes() const
    {
        return {{"mesh charges", charges_hash_.value()},
                {"mesh potential", potential_hash_.value()}};
    }

private:
    /// Of one wave: `value` is w(k)/V |b|^2 scale^2, `slope` d ln w/d(k^2).
    struct Influence {
        Vec3 k; ///< 1/nm
        double value, slope;
    };
    [[nodiscard]] Influence influence_of(const Box& box, int x, int y, int z) const;
    void prepare_filter(const Box& box, int threads);
    void set_mesh_charges();
    void make_meshes();
    void locate(const Box& box, std::span<const Vec3> canonical, int threads);
    void spread(std::size_t set, int threads);
    void add_sums(const Box& box, Wanted wanted, int threads, EnergySums& energies) const;
    [[nodiscard]] double mixing(std::size_t set) const;
    void convolve(int threads);
    void fill_margins(std::vector<R>& mesh, int threads);
    [[nodiscard]] BitHash hash_of_points(const std::vector<R>& mesh) const;
    void gather(const Box& box, int threads, ForceSums& forces);
    std::int64_t gather_share(const Box& box, std::size_t set, std::size_t first, std::size_t count,
                              ForceSums& forces);

    using Whole = MeshWhole<R>;
    using Spectrum = typename Fft3d<R>::Spectrum;

    void add_up_meshes(std::vector<R>& real, int threads);
    /// Index of the point (x, y, 0) in a mesh with margins.
    [[nodiscard]] std::size_t row(std::size_t x, std::size_t y) const
    {
        const std::size_t m = layout_.margin();
        return (x + m) * layout_.plane + (y + m) * layout_.pitch + m;
    }

    MeshLayout layout_;
    Fft3d<R> fft_;
    Waves waves_;
    std::vector<std::vector<double>> coefficient_; ///< scaled to at most 1 for the integer mesh
    std::vector<std::vector<double>> whole_;       ///< of all atoms, where this rank has a part
    double mesh_scale_;                            ///< units of the mesh an e
    double coefficient_scale_ = 1;                 ///< true coefficient = scale * stored
    EnergyKind kind_;
    MeshSum add_meshes_; ///< null: this rank spreads everything
    bool books_energy_ = true;
    std::array<std::vector<double>, 3> moduli_;

    Box filter_box_;
    AlignedVector<R> filter_; ///< twice the influence, [spectrum]

    std::vector<MeshAtom<R>> atoms_;
    std::vector<std::vector<R>> mesh_charge_; ///< in units of the mesh, one a coefficient
    std::vector<std::vector<Whole>> mesh_;    ///< with margins, one a thread
    std::vector<std::vector<R>> potential_;   ///< with margins, one a coefficient
    std::vector<Spectrum> spectrum_;          ///< one a coefficient
    BitHash charges_hash_, potential_hash_;
};

using Pme = BasicPme<double>;
using MixedPme = BasicPme<float>;

} // namespace tessera
