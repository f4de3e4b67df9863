#pragma once

#include <stdexcept>
#include <string>

namespace tessera
{

/// The user's input is wrong. Exit status 2. The text follows the grammar of docs/errors.md:
/// `file:line: what is wrong (why that is wrong)`, then the source line with a caret, then ` hint:
/// what to do`.
struct InputError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The simulation broke: NaN, constraint lost, atom moved too far. Exit status 1.
struct PhysicsError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Something around the program failed: file system, device, MPI. Exit status 4.
struct EnvironmentError : std::runtime_error {
    using std::runtime_error::runtime_error;
};
struct FileError : EnvironmentError {
    using EnvironmentError::EnvironmentError;
};
struct DeviceError : EnvironmentError {
    using EnvironmentError::EnvironmentError;
};
struct MpiError : EnvironmentError {
    using EnvironmentError::EnvironmentError;
};
/// A part that this build lacks. Exit status 4.
struct NotBuilt : EnvironmentError {
    using EnvironmentError::EnvironmentError;
};

/// Our own bug (see contract.hpp). Exit status 70.
struct ContractViolation : std::logic_error {
    using std::logic_error::logic_error;
};

} // namespace tessera
