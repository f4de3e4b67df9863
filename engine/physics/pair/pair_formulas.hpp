#pragma once

// Every formula between two non-bonded atoms, for host, device and vector code alike.
#include "engine/physics/pair/coulomb.hpp"
#include "engine/physics/pair/ewald.hpp"
#include "engine/physics/pair/lennard_jones.hpp"
#include "engine/physics/pair/pair_result.hpp"
