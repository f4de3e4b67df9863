#include "engine/app/output_watch.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

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
        struct stat ours = {};
        if (descriptor_ >= 0 && fstat(descriptor_, &ours) == 0) {
            length_ = ours.st_size;
            samples_ = samples(length_);
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
    static constexpr off_t sampled = 65536; // bytes

    /// Some bytes of the file at the last look.
    struct Sample {
        off_t offset = 0;
        std::vector<char> bytes;
    };
    /// Its beginning and its end.
    [[nodiscard]] std::vector<Sample> samples(off_t length) const
    {
        return {sample(0), sample(std::max<off_t>(0, length - sampled))};
    }
    [[nodiscard]] Sample sample(off_t offset) const
    {
        Sample out{offset, std::vector<char>(sampled)};
        const ssize_t count = pread(descriptor_, out.bytes.data(), sampled, offset);
        out.bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
        return out;
    }
    /// Whether most of it is zeros now, as where a file was cut and written again behind the cut.
    [[nodiscard]] bool is_blank_now(const Sample& before) const
    {
        const Sample now = sample(before.offset);
        std::size_t written = 0, gone = 0;
        for (std::size_t k = 0; k < before.bytes.size(); ++k) {
            const bool is_zero = k >= now.bytes.size() || now.bytes[k] == 0;
            written += before.bytes[k] != 0 ? 1 : 0;
            gone += before.bytes[k] != 0 && is_zero ? 1 : 0;
        }
        return 2 * gone > written;
    }

    std::filesystem::path file_;
    int descriptor_ = -1;
    off_t length_ = 0;
    std::vector<Sample> samples_;
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
    // What the next look compares with is read before the old is looked for: a cut between the two
    // is found now, and one that comes later the next time. A file that was cut may be long again
    // by then, as it is written at offsets, and its format's mark be written anew.
    std::vector<Sample> next = samples(ours.st_size);
    for (const Sample& before : samples_) {
        if (is_blank_now(before)) {
            return fmt::format("{}: was cut or overwritten while the run wrote to it",
                               file_.string());
        }
    }
    length_ = ours.st_size;
    samples_ = std::move(next);
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
