#pragma once

#include <filesystem>
#include <string>

namespace tessera
{

/// Keeps a second process from writing the same file: an advisory lock (fcntl) on `<file>.lock`,
/// links in the file's name followed first. The kernel gives it back when the process dies, however
/// it dies; the lock file is removed by the destructor. File systems that know no locks are used
/// without.
class FileLock {
public:
    /// Throws EnvironmentError where another process holds it (told with number and host),
    /// FileError where the lock file cannot be made.
    explicit FileLock(const std::filesystem::path& file);
    ~FileLock();
    FileLock(FileLock&& other) noexcept;
    FileLock& operator=(FileLock&&) = delete;

    /// Who holds the lock of a file, as the holder wrote it ("process 12 on host node7"); empty:
    /// nobody of whom the file system knows. Makes nothing.
    [[nodiscard]] static std::string holder_of(const std::filesystem::path& file);

private:
    std::string name_;
    int descriptor_ = -1;
};

} // namespace tessera
