#pragma once

#include "engine/geometry/box.hpp"
#include "engine/model/topology.hpp"

#include <array>
#include <filesystem>
#include <string>
#include <vector>

namespace tessera
{

struct GromacsTopologyOptions {
    std::vector<std::filesystem::path> include;
    std::vector<std::string> defines;
    double coulomb_constant = 0;
};
Topology read_gromacs_topology(const std::filesystem::path& path,
                               const GromacsTopologyOptions& options);
void set_restraint_reference(Topology& topology, const std::vector<Vec3>& positions);
double ewald_beta_for_tolerance(double cutoff, double tolerance);
double lj_ewald_beta_for_tolerance(double cutoff, double tolerance);
std::array<int, 3> pme_grid_for_spacing(const Box& box, double spacing, int order);

} // namespace tessera
