#pragma once

#include "engine/app/assemble.hpp"
#include "engine/model/state.hpp"

#include <array>
#include <string>
#include <vector>

namespace tessera
{

/// A mesh that was tried.
struct TriedMesh {
    std::array<int, 3> grid{};
    int order = 0;
    /// kJ/mol/nm, RMS over atoms, against a mesh of half the spacing in FP64
    double force_error = 0;
    double seconds = 0; ///< of forces, the fastest of a few
};

/// pme.tune: other meshes of the same splitting, with splines of orders 4 to 8, that err no more at
/// these positions than the mesh of the settings; and which of them is the fastest here.
struct TunedMesh {
    std::vector<TriedMesh> tried; ///< that of the settings first
    std::size_t chosen = 0;       ///< another than the first only where it saves 2 % or more
};
TunedMesh tune_mesh(const Assembly& assembly, const State& start, int threads);

/// One line a mesh, and which was chosen.
std::string in_words(const TunedMesh& tuned);

/// A line below the deck's echo: the mesh in use, where tuning may have chosen it.
std::string tuned_mesh_in_words(const Deck& deck, const NonbondedSettings& nonbonded);

} // namespace tessera
