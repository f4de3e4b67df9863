#pragma once

#include "engine/model/coordinates.hpp"

#include <filesystem>
#include <string_view>

namespace tessera
{

/// Reads a CHARMM coordinate file (.crd, "CARD"), of normal or extended (EXT) width, by columns:
/// the format has no velocities and no cell. Å become nm.
///
///     normal    I5 I5 1X A4 1X A4 3F10.5 1X A4 1X A4 F10.5
///     extended  I10 I10 2X A8 2X A8 3F20.10 2X A8 2X A8 F20.10
Coordinates read_charmm_crd(const std::filesystem::path& path);

/// True where the content is a CHARMM coordinate file (it begins with a title of '*' lines), not an
/// Amber one; both are named .crd.
bool is_charmm_crd(std::string_view content);

} // namespace tessera
