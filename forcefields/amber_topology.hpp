#pragma once

#include "engine/geometry/box.hpp"
#include "engine/model/topology.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace tessera
{

struct AmberTopologyOptions {
    /// kJ/mol nm/e^2. 0: the format's own, constants::coulomb_amber, or constants::coulomb_charmm
    /// for parameter files made from CHARMM's (chamber).
    double coulomb_constant = 0;
};

/// What a parameter file says of the cell. `ifbox`: 0 none, 1 rectangular, 2 truncated octahedron,
/// 3 general. `box` is a fallback from BOX_DIMENSIONS: the cell of a coordinate file wins.
struct AmberTopologyBox {
    std::int32_t atoms = 0;
    int ifbox = 0;
    std::optional<Box> box;
};

/// Reads an Amber parameter file (prmtop, parm7; gzip'ed too) with the force fields of Amber, GAFF,
/// and CHARMM (chamber). Not finish()ed. Units internal: nm, kJ/mol, e, u.
///
/// - K (r - r0)^2 becomes k/2 (r - r0)^2 with k = 2K; kcal = 4.184 kJ.
/// - Dihedrals: a negative fourth atom is an improper (booked as PeriodicImproper), a negative
/// third
///   or fourth one makes no 1-4 pair; each pair takes the scaling of its own dihedral.
/// - Lennard-Jones comes from the pair tables, never from mixing; combination_rule is 0. The r^-4
///   part of 12-6-4 acts within the cut-off, not on 1-4 pairs.
/// - Chamber: every angle is a UreyBradley term, with k_ub = 0 where the file has none, as GROMACS
///   books them.
/// - Extra points of waters (one or two on an oxygen) become virtual sites, whose place follows
/// from
///   the file's own bond lengths: the file has no other word on it.
/// - is_hydrogen: the lighter partner in BONDS_INC_HYDROGEN; where a file leaves that list empty,
/// by
///   element.
///
/// Throws InputError with all faults of the file, and by name for what the engine has no terms for:
/// 10-12 hydrogen bonds, perturbed, polarizable, LES and AMOEBA files, water caps, other extra
/// points.
Topology read_amber_topology(const std::filesystem::path& path,
                             const AmberTopologyOptions& options = {});

/// Reads the cell alone; throws as read_amber_topology.
AmberTopologyBox read_amber_topology_box(const std::filesystem::path& path);

} // namespace tessera
