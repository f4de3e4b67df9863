#pragma once

#include "engine/geometry/box.hpp"
#include "engine/model/topology.hpp"

#include <array>
#include <filesystem>
#include <string>
#include <vector>

namespace tessera
{

double ewald_beta_for_tolerance(double cutoff, double tolerance);
double lj_ewald_beta_for_tolerance(double cutoff, double tolerance);
std::array<int, 3> pme_grid_for_spacing(const Box& box, double spacing, int order);

} // namespace tessera
