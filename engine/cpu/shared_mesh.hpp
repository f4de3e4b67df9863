#pragma once

#include "engine/backend/transport.hpp"
#include "engine/cpu/fft3d.hpp"
#include "engine/cpu/mesh_layout.hpp"
#include "engine/cpu/mesh_splines.hpp"
#include "engine/plans/mesh_plan.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace tessera
{

/// A mesh of all ranks, cut as MeshPlan says. Integer charges come from each rank's brick and are
/// added by the owner of their plane; spectra are handed out as whole lines along x (of a rank's
/// range of y); potentials come back into the bricks. Every line is transformed whole by one rank:
/// the bits are those of one rank (ADR 0011). Every call but put() is collective.
template <class R>
class SharedMesh {
public:
    using Whole = MeshWhole<R>;
    using Spectrum = typename Fft3d<R>::Spectrum;

    SharedMesh(const std::array<int, 3>& grid, Transport& ranks);

    [[nodiscard]] const MeshPlan& plan() const { return plan_; }
    /// The range of y whose lines along x this rank has: (x, y, z) of a spectrum stands at
    /// x * fft().plane_of(count) + (y - first) * fft().pitch() + z.
    [[nodiscard]] MeshPlan::Range lines() const { return plan_.lines(ranks_.rank()); }
    [[nodiscard]] const Fft3d<R>& fft() const { return fft_; }

    /// Starts an evaluation; `mine`: the points that this rank's atoms touch.
    void begin(const MeshBrick& mine);
    /// Takes the charges of the next set of coefficients: meshes of this rank's threads, to be
    /// added, each laid out as `layout` from the brick's first point (or empty: nothing).
    void put(const MeshLayout& layout, std::span<const std::span<const Whole>> meshes);

    /// Adds up the charges of all ranks, `unit` each, and transforms along z and y: spectra on this
    /// rank's lines, not yet transformed along x. False, on all ranks alike, where a sum left the
    /// range of the mesh (half of the integers').
    [[nodiscard]] bool forward(R unit, std::vector<Spectrum>& spectra, int threads);

    /// The way back, from spectra transformed along x to potentials, which are sent to the bricks.
    void backward(const std::vector<Spectrum>& spectra, int threads);
    /// What arrives in this rank's brick, laid out as `layout`.
    void take_potentials(const MeshLayout& layout, std::vector<std::vector<R>>& potentials);

    [[nodiscard]] const MeshBrick& brick() const { return mine_; }
    /// Bytes to and from other ranks since begin(): what plan().traffic() says.
    [[nodiscard]] const MeshPlan::Traffic& traffic() const { return traffic_; }

private:
    using Messages = std::vector<Transport::Bytes>;

    [[nodiscard]] std::int64_t count(const Messages& messages) const;
    template <class Length>
    Messages exchange(Messages to, const Length& length);
    bool add_charges(const Messages& from, std::size_t set, R unit);
    template <class Visit>
    void for_each_row(const MeshBrick& brick, const Visit& visit) const;

    MeshPlan plan_;
    Transport& ranks_;
    Fft3d<R> fft_;
    MeshBrick mine_;
    std::vector<MeshBrick> bricks_; ///< of all ranks, as far as they touch this rank's planes
    Messages charges_;
    std::vector<Whole> sum_;                          ///< this rank's planes
    std::vector<R> real_;                             ///< the same as numbers
    Spectrum planes_;                                 ///< their spectrum along z and y
    std::unique_ptr<Transport::Exchange> potentials_; ///< on their way
    MeshPlan::Traffic traffic_;
};

} // namespace tessera
