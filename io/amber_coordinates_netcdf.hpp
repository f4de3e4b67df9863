#pragma once

#include "engine/model/coordinates.hpp"
#include "io/netcdf3.hpp"

namespace tessera
{

/// The coordinates of an Amber NetCDF file: of a restart (Conventions AMBERRESTART), or of the
/// first frame of a trajectory (AMBER). Units and scale_factor attributes are honoured; a unit that
/// is not known is refused. Source: AMBER NetCDF Trajectory/Restart Convention 1.0.
Coordinates amber_netcdf_frame(const Netcdf3& file);

} // namespace tessera
