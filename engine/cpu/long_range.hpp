#pragma once

#include "engine/cpu/ewald.hpp"
#include "engine/cpu/pme.hpp"
#include "engine/model/topology.hpp"
#include "engine/plans/settings.hpp"

#include <memory>
#include <optional>
#include <span>

namespace tessera
{

/// The long-range part of electrostatics and, with LJ-PME, of dispersion: energies
/// coulomb_reciprocal (the mesh alone and the uniform background of a net charge, -pi ke Q^2/(2 V
/// beta^2)) and lj_reciprocal. Where the settings have neither it does nothing. Corrections of
/// excluded pairs and self terms belong to Nonbonded.
///
/// With Precision::mixed the mesh of charges is FP32 (MixedPme); direct waves and the dispersion
/// mesh stay FP64.
class LongRange {
public:
    /// Throws InputError where mesh, order or splitting parameter make no sense.
    LongRange(const Topology& topology, const NonbondedSettings& settings);
    /// Shares the charges.
    LongRange(const std::shared_ptr<const Topology>& shared, const NonbondedSettings& settings);

    /// A rank's part, see Pme::restrict_to; the object must have been made from the whole topology.
    /// Atoms may go half of the settings' list buffer, as pair lists allow, until the next one.
    /// Throws NotBuilt for direct Ewald sums, which have no integer mesh to share.
    void restrict_to(std::span<const std::int32_t> atoms, Transport& ranks);

    /// As ForceProvider::add_ahead, all but forces; calls other ranks.
    bool add_ahead(const Box& box, std::span<const Vec3> positions, Wanted wanted, int threads,
                   EnergySums& energies);
    /// Not const: meshes are kept between calls.
    void add_forces(const Box& box, std::span<const Vec3> positions, Wanted wanted, int threads,
                    ForceSums& forces, EnergySums& energies);

    /// Returns the memory of what add_forces() makes anew.
    void let_go();
    /// The same, but for what takes long to make.
    void make_room();

    /// Of the meshes, at the last add_forces() that wanted hashes.
    [[nodiscard]] std::vector<PhaseHash> phase_hashes() const;

private:
    template <class Visit>
    void for_each_mesh(const Visit& visit);

    std::optional<Pme> coulomb_mesh_;
    std::optional<MixedPme> mixed_coulomb_mesh_;
    std::optional<Pme> dispersion_mesh_;
    std::optional<Ewald> waves_;
    bool is_ahead_ = false; ///< potentials are made
    double drift_ = 0;      ///< nm, see restrict_to
    double background_ = 0; ///< pi ke Q^2/(2 beta^2), kJ/mol nm^3
};

} // namespace tessera
