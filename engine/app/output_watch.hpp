#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace tessera
{

/// Tells whether the files that this process writes are still those that their names lead to. A
/// file that was removed, moved, replaced or cut by someone else takes what is written to it
/// without a fault, and is lost. Devices and pipes are not watched.
class OutputWatch {
public:
    /// A file that is open for writing already, that this process only makes longer, and of which
    /// it never turns the most part of 64 KiB into zeros.
    void add(std::filesystem::path file);

    /// Looks at all files.
    void look();

    [[nodiscard]] bool lost() const { return !loss_.empty(); }

    /// What became of the first file that was found lost, without a remedy; empty: nothing.
    [[nodiscard]] const std::string& loss() const { return loss_; }

private:
    class File;
    std::vector<std::shared_ptr<File>> files_;
    std::string loss_;
};

/// The loss, and what to do about it.
std::string loss_and_remedy(const std::string& loss, bool has_checkpoint);

} // namespace tessera
