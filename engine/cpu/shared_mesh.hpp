#pragma once

#include "engine/backend/transport.hpp"
#include "engine/base/let_go.hpp"
#include "engine/cpu/fft3d.hpp"
#include "engine/cpu/mesh_layout.hpp"
#include "engine/cpu/mesh_splines.hpp"
#include "engine/plans/mesh_plan.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace tessera
{

/// Waves of which a rank has the lines along x: (x, y, z) stands in a spectrum at x * plane + (y -
/// y.first) * pitch + z - z.first.
struct WavePart {
    MeshRange y, z;
    std::size_t pitch, plane;
};

/// A mesh of all ranks, cut as MeshPlan says. Integer charges come from each rank's brick and are
/// added by the owner of their line along z; spectra are handed out as whole lines along x;
/// potentials come back into the bricks. Every line is transformed whole by one rank: the bits are
/// those of one rank (ADR 0011, 0022). Every call but put() is collective. Lengths of messages
/// follow from the plan and the bricks, and who has nothing to say sends none.
template <class R>
class SharedMesh {
public:
    using Whole = MeshWhole<R>;
    using Spectrum = SpectrumView<R>;

    SharedMesh(const MeshPlan& plan, Transport& ranks);

    [[nodiscard]] const MeshPlan& plan() const { return plan_; }
    [[nodiscard]] const Fft3d<R>& fft() const { return fft_; }
    /// The waves of which this rank has the lines along x, as they stand in a spectrum of its.
    [[nodiscard]] WavePart waves() const
    {
        return {along_x_.block.y, along_x_.block.z, along_x_.y, along_x_.x};
    }

    /// Tells all ranks which points this rank's atoms may touch from now on.
    void share_bricks(const MeshBrick& mine);
    void forget_bricks() { bricks_.clear(); }
    [[nodiscard]] bool has_bricks() const { return !bricks_.empty(); }
    [[nodiscard]] const MeshBrick& brick() const { return bricks_[me()]; }

    /// Starts an evaluation of so many sets of coefficients.
    void begin(std::size_t sets);
    /// Takes the charges of the next set: meshes of this rank's threads, to be added, each laid out
    /// as `layout` from the brick's first point (or empty: nothing).
    void put(const MeshLayout& layout, std::span<const std::span<const Whole>> meshes);

    /// Adds up the charges of all ranks, `unit` each, and transforms along z and y: spectra on this
    /// rank's lines, not yet transformed along x. False where a sum left the range of the mesh
    /// (half of the integers'): this rank can but give up then.
    [[nodiscard]] bool forward(R unit, int threads);
    /// Of this rank's lines, since begin().
    [[nodiscard]] Spectrum spectrum(std::size_t set) { return spectra_[set].view(); }
    void let_go_of_spectra() { tessera::let_go(spectra_); }

    /// The way back, from spectra transformed along x to potentials, which are sent to the bricks.
    void backward(int threads);
    /// What arrives in this rank's brick, laid out as `layout`.
    void take_potentials(const MeshLayout& layout, std::vector<AlignedVector<R>>& potentials);

    /// To and from other ranks since begin(): what plan().traffic() says.
    [[nodiscard]] const MeshPlan::Traffic& traffic() const { return traffic_; }

private:
    using Messages = std::vector<Transport::Bytes>;
    using Rows = MeshPlan::BrickRows;
    using Way = typename Fft3d<R>::Way;

    /// A block of a spectrum: (x, y, z) at (x - block.x.first) * x + (y - block.y.first) * y + z -
    /// block.z.first.
    struct Placed {
        MeshBlock block;
        std::size_t x, y;

        [[nodiscard]] std::size_t at(int px, int py, int pz) const
        {
            return static_cast<std::size_t>(px - block.x.first) * x +
                   static_cast<std::size_t>(py - block.y.first) * y +
                   static_cast<std::size_t>(pz - block.z.first);
        }
    };
    /// A transposition: what of this rank's block goes into that of each rank, and comes from it.
    struct Turn {
        Placed from, to;
        std::vector<MeshBlock> out, in; ///< [ranks]
    };
    class Transposition;
    /// Memory of a spectrum.
    struct Room {
        AlignedVector<R> re, im;
        std::size_t pitch = 0, plane = 0;

        Room() = default;
        Room(std::size_t numbers, std::size_t to_next_row, std::size_t to_next_plane)
            : re(numbers), im(numbers), pitch(to_next_row), plane(to_next_plane)
        {
        }
        [[nodiscard]] Spectrum view() { return {re.data(), im.data(), pitch, plane}; }
    };

    [[nodiscard]] std::size_t me() const { return static_cast<std::size_t>(ranks_.rank()); }
    /// Of one set's charges or potentials.
    static std::size_t bytes_of(const MeshBrick& brick, const Rows& rows)
    {
        return rows.count() * static_cast<std::size_t>(brick.extent[2]) * sizeof(R);
    }
    [[nodiscard]] Messages exchange(Messages to, const std::vector<std::size_t>& lengths);
    void count_sent(const Messages& messages);
    void count_received(const Messages& messages);
    void put_potential(std::size_t set);
    [[nodiscard]] FftLines<R> lines_along_y() { return {y_.re.data(), y_.im.data(), along_y_.y}; }
    [[nodiscard]] MeshView<R> real()
    {
        const auto nz = static_cast<std::size_t>(plan_.grid()[2]);
        return {real_.data(), nz, nz * static_cast<std::size_t>(along_z_.block.y.count)};
    }
    bool add_charges(std::size_t set, R unit);

    MeshPlan plan_;
    Transport& ranks_;
    Fft3d<R> fft_;
    bool has_slab_; ///< one column: planes are transformed along z and y at once
    Placed along_z_, along_y_, along_x_;
    Turn rows_, columns_, rows_back_, columns_back_;
    std::vector<MeshBrick> bricks_; ///< [ranks]; empty: not told
    std::vector<Rows> given_;       ///< what each rank has of this rank's brick
    std::vector<Rows> taken_;       ///< what this rank has of each rank's brick
    std::size_t sets_ = 0, next_set_ = 0;
    Messages of_bricks_;                              ///< charges and potentials, there and back
    Messages to_row_, to_column_;                     ///< parts of spectra, there and back
    std::vector<Whole> sum_;                          ///< this rank's block along z
    std::vector<R> real_;                             ///< the same as numbers
    Room z_, y_;                                      ///< its spectrum along z, along z and y
    std::vector<Room> spectra_;                       ///< [sets] along z, y and x
    std::unique_ptr<Transport::Exchange> potentials_; ///< on their way
    MeshPlan::Traffic traffic_;
};

} // namespace tessera
