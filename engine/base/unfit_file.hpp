#pragma once

#include "engine/base/error.hpp"

namespace tessera
{

/// What was named to be read is missing, damaged, cut short or of another kind (a folder, a
/// device): another name is the remedy. Exit status 2. What keeps a sound file from being read, or
/// one from being written, is a FileError.
struct UnfitFile : InputError {
    using InputError::InputError;
};

} // namespace tessera
