#pragma once

#include "engine/backend/sums.hpp"
#include "engine/cpu/fft3d.hpp"
#include "engine/cpu/mesh_kernel.hpp"
#include "engine/cpu/mesh_splines.hpp"
#include "engine/cpu/position_grid.hpp"
#include "engine/cpu/shared_mesh.hpp"
#include "engine/plans/settings.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace tessera
{

using Waves = std::variant<CoulombWaves, DispersionWaves>;

/// One an atom.
using Coefficients = std::shared_ptr<const std::vector<double>>;

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
             std::vector<Coefficients> coefficients, EnergyKind kind);
    BasicPme(const std::array<int, 3>& grid, int order, const Waves& waves,
             std::vector<std::vector<double>> coefficients, EnergyKind kind);

    /// A rank's part: only the atoms listed (global numbers; -1: an atom that another rank spreads)
    /// are spread and feel forces, in the caller's new numbering; the mesh is shared (SharedMesh),
    /// energies are those of this rank's lines of the spectrum. Parts may follow one another; then
    /// add_forces() is collective. Ranks tell each other where their atoms are in the first one;
    /// throws PhysicsError in a later one where an atom has gone beyond `drift` (nm) and the mesh's
    /// spacing from there. `pencils`: for tests, else the plan's choice.
    void restrict_to(std::span<const std::int32_t> atoms, Transport& ranks, double drift,
                     const std::optional<PencilGrid>& pencils = {});

    /// Of a rank's part: who has which share, and the bytes of the last add_forces().
    [[nodiscard]] const SharedMesh<R>* shared() const { return shared_.get(); }

    /// Throws PhysicsError where charges crowd beyond the range of the FP32 mesh.
    /// Positions are canonical for this box.
    void add_forces(const Box& box, const CanonicalPositions& positions, Wanted wanted, int threads,
                    ForceSums& forces, EnergySums& energies);
    /// Its halves: all but forces, and forces. Between them potentials of other ranks may still be
    /// on their way.
    void make_potential(const Box& box, const CanonicalPositions& positions, Wanted wanted,
                        int threads, EnergySums& energies);
    void add_mesh_forces(const Box& box, Wanted wanted, int threads, ForceSums& forces);

    /// Returns the memory of what add_forces() makes anew.
    void let_go();
    /// The same, but for the filter, which takes long to make.
    void make_room();

    /// Of the mesh charges and of the mesh potential, at the last add_forces() that wanted hashes
    /// (not of a rank's part).
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
    void make_meshes();
    void locate(const Box& box, const CanonicalPositions& positions, int threads);
    void spread(std::size_t set, int threads);
    void add_sums(const Box& box, Wanted wanted, int threads, EnergySums& energies);
    [[nodiscard]] double mixing(std::size_t set) const;
    void convolve(int threads);
    void fill_margins(std::size_t set, int threads);
    [[nodiscard]] BitHash hash_of_points(const AlignedVector<R>& mesh) const;
    void gather(const Box& box, int threads, ForceSums& forces);
    std::int64_t gather_share(const Box& box, std::size_t set, std::size_t first, std::size_t count,
                              ForceSums& forces);

    using Whole = MeshWhole<R>;
    using Spectrum = SpectrumView<R>;

    void add_up_meshes(std::size_t set, int threads);
    [[nodiscard]] std::array<std::size_t, 3> cell_of(const MeshAtom<R>& atom) const;
    [[nodiscard]] MeshBrick brick_of_atoms(const Box& box) const;
    void move_into_brick();
    [[noreturn]] void refuse_crowd() const;
    [[nodiscard]] const Fft3d<R>& fft() const { return shared_ ? shared_->fft() : fft_; }
    /// The waves that this rank has, as they stand in its spectra,
    [[nodiscard]] WavePart waves() const
    {
        return shared_ ? shared_->waves() : whole_spectrum(layout_.pitch, layout_.plane);
    }
    /// and in the filter.
    [[nodiscard]] WavePart filter_part() const
    {
        return shared_ ? shared_->waves() : whole_spectrum(fft_.pitch(), fft_.plane());
    }
    [[nodiscard]] WavePart whole_spectrum(std::size_t pitch, std::size_t plane) const
    {
        return {{0, fft_.size()[1]}, {0, fft_.half()}, pitch, plane};
    }
    [[nodiscard]] Spectrum spectrum(std::size_t set)
    {
        return shared_ ? shared_->spectrum(set)
                       : fft_.in_place({potential_[set].data() + row(0, 0) - layout_.margin(),
                                        layout_.pitch, layout_.plane});
    }
    [[nodiscard]] MeshView<R> real(std::size_t set)
    {
        return {potential_[set].data() + row(0, 0), layout_.pitch, layout_.plane};
    }
    void along_x(typename Fft3d<R>::Way way, int threads);
    /// The atom of the caller's whose splines these are.
    [[nodiscard]] std::size_t atom_of(std::size_t row) const
    {
        return shared_ ? static_cast<std::size_t>(row_[row]) : row;
    }
    /// Index of the point (x, y, 0) in a mesh with margins.
    [[nodiscard]] std::size_t row(std::size_t x, std::size_t y) const
    {
        const std::size_t m = layout_.margin();
        return (x + m) * layout_.plane + (y + m) * layout_.pitch + m;
    }

    MeshLayout layout_; ///< of the mesh
    MeshLayout spread_; ///< of what this rank spreads: the mesh, or a brick of it
    Fft3d<R> fft_;
    Waves waves_;
    std::vector<Coefficients> coefficient_; ///< scaled to at most 1 for the integer mesh
    std::vector<Coefficients> whole_;       ///< of all atoms, where this rank has a part
    double mesh_scale_;                     ///< units of the mesh an e
    double coefficient_scale_ = 1;          ///< true coefficient = scale * stored
    EnergyKind kind_;
    std::unique_ptr<SharedMesh<R>> shared_; ///< null: this rank spreads everything
    std::vector<std::int32_t> row_;         ///< atoms of this rank's part that have a coefficient
    std::vector<std::int32_t> name_;        ///< their global numbers
    double drift_ = 0;                      ///< nm
    std::array<std::vector<double>, 3> moduli_;

    Box filter_box_;
    AlignedVector<R> filter_; ///< twice the influence

    std::vector<MeshAtom<R>> atoms_;
    /// With margins, one a coefficient. First, in the same memory, charges of the first thread,
    /// those of all, and (but on ranks) their spectrum.
    std::vector<AlignedVector<R>> potential_;
    std::vector<std::vector<Whole>> other_charges_;  ///< of the other threads
    std::vector<std::span<const Whole>> charges_of_; ///< threads; empty: it did not come
    BitHash charges_hash_, potential_hash_;
};

using Pme = BasicPme<double>;
using MixedPme = BasicPme<float>;

} // namespace tessera
