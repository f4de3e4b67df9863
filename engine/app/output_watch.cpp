#include "engine/app/output_watch.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace tessera
{

/// Its own descriptor keeps the inode from being given to another file.
class OutputWatch::File {
public:
    explicit File(std::filesystem::path file) : file_(std::move(file))
    {
        std::error_code ignored;
        if (std::filesystem::is_regular_file(file_, ignored)) {
            descriptor_ = open(file_.c_str(), O_RDONLY | O_CLOEXEC);
        }
    }
    ~File()
    {
        if (descriptor_ >= 0) {
            close(descriptor_);
        }
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    [[nodiscard]] std::string loss();

private:
    using Beginning = std::array<char, 8>;

    [[nodiscard]] bool read(Beginning& beginning) const
    {
        return pread(descriptor_, beginning.data(), beginning.size(), 0) ==
               static_cast<ssize_t>(beginning.size());
    }

    std::filesystem::path file_;
    int descriptor_ = -1;
    off_t length_ = 0;
    std::optional<Beginning> beginning_; // which formats never change
};

std::string OutputWatch::File::loss()
{
    struct stat ours = {};
    if (descriptor_ < 0 || fstat(descriptor_, &ours) != 0) {
        return "";
    }
    struct stat named = {};
    if (stat(file_.c_str(), &named) != 0) {
        // other faults may pass, and are told when a write fails
        return errno == ENOENT ? fmt::format("{}: was removed or moved while the run wrote to it",
                                             file_.string())
                               : "";
    }
    if (named.st_dev != ours.st_dev || named.st_ino != ours.st_ino) {
        return fmt::format("{}: was replaced by another file while the run wrote to it",
                           file_.string());
    }
    if (ours.st_size < length_) {
        return fmt::format("{}: was cut from {} to {} bytes while the run wrote to it",
                           file_.string(), length_, ours.st_size);
    }
    length_ = ours.st_size;
    // a file that was cut may be long again by now, where it is written at offsets
    Beginning beginning;
    if (read(beginning)) {
        if (beginning_ && *beginning_ != beginning) {
            return fmt::format("{}: was cut or overwritten from its beginning while the run wrote "
                               "to it",
                               file_.string());
        }
        beginning_ = beginning;
    }
    return "";
}

void OutputWatch::add(std::filesystem::path file)
{
    files_.push_back(std::make_shared<File>(std::move(file)));
}

void OutputWatch::look()
{
    for (const auto& file : files_) {
        if (loss_.empty()) {
            loss_ = file->loss();
        }
    }
}

std::string loss_and_remedy(const std::string& loss, bool has_checkpoint)
{
    return loss + (has_checkpoint ? ". The checkpoint is sound: bring the file back, or name "
                                    "another one, and --continue."
                                  : ", and no checkpoint was written (output.checkpoint = "
                                    "\"none\"). Leave the files of a run alone until it ends.");
}

} // namespace tessera
