#pragma once

#include "engine/base/error.hpp"
#include "io/coordinates.hpp"
#include "io/structure_g96.hpp"
#include "io/structure_gro.hpp"
#include "io/structure_pdb.hpp"
#include "tests/fuzz/child_reports.hpp"

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <unistd.h>

/// What every fuzz target shares. A target hands the bytes to the function that the program itself
/// calls. The project's own refusals are fine; whatever else happens is a finding: any other
/// exception (ContractViolation and std::bad_alloc included), a report of a sanitizer, more than
/// five seconds of processor time, more memory than run.sh allows, a refusal that does not name
/// the file. Faults of HDF5 itself that end a child of the reader are none (child_reports.hpp).
namespace tessera::fuzz
{

/// A file of this process in memory, gone at exit.
class ScratchFile {
public:
    explicit ScratchFile(const std::string& name)
    {
        const char* const folder = std::getenv("TESSERA_FUZZ_SCRATCH");
        folder_ =
            fmt::format("{}/tessera-fuzz-{}", folder != nullptr ? folder : "/dev/shm", ::getpid());
        std::filesystem::create_directories(folder_);
        path_ = folder_ + "/" + name;
    }
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;
    ~ScratchFile()
    {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    void write(std::string_view content) const
    {
        std::FILE* const file = std::fopen(path_.c_str(), "wb");
        if (file == nullptr ||
            std::fwrite(content.data(), 1, content.size(), file) != content.size() ||
            std::fclose(file) != 0) {
            std::abort();
        }
    }
    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] const std::string& folder() const { return folder_; }

private:
    std::string folder_;
    std::string path_;
};

inline std::string_view bytes(const std::uint8_t* data, std::size_t size)
{
    return {reinterpret_cast<const char*>(data), size};
}

[[noreturn]] inline void finding(const std::string& what)
{
    std::fprintf(stderr, "FINDING: %s\n", what.c_str());
    std::abort();
}

inline void check_message(const std::string& message, const std::string& file)
{
    if (message.find(file) == std::string::npos) {
        finding("a refusal that does not name the file: " + message);
    }
}

/// Children that died of a fault of HDF5's own are counted in the log.
inline void check_child(const std::string& report, bool is_dead)
{
    if (report.empty() && is_dead) {
        finding("a child of the reader died without a report");
    }
    if (!report.empty() && !ChildReports::blames_hdf5(report)) {
        finding("in a child of the reader:\n" + report);
    }
    if (!report.empty()) {
        const std::size_t begin = std::min(report.find("ERROR: "), report.size());
        const std::size_t end = report.find('\n', begin);
        std::fprintf(stderr, "CONTAINED: %s\n", report.substr(begin, end - begin).c_str());
    }
}

/// Runs a reader; refusals must name `file`.
template <class Reader>
void run(const std::string& file, Reader&& reader)
{
    const ChildReports& children = ChildReports::of_this_process();
    const std::clock_t begin = std::clock();
    bool is_child_dead = false;
    try {
        reader();
    } catch (const InputError& refusal) {
        check_message(refusal.what(), file);
        const std::string_view said = refusal.what();
        is_child_dead = said.find("in a process of its own") != said.npos &&
                        said.find(strsignal(SIGXCPU)) == said.npos; // stopped, not died
    } catch (const EnvironmentError& refusal) {
        check_message(refusal.what(), file);
    }
    check_child(children.take(), is_child_dead);
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    if (seconds > 5) {
        finding(fmt::format("{:.1f} s of processor time for one input", seconds));
    }
}

/// Reads coordinates as a deck does, then writes them in the text formats as `convert` does.
inline void read_and_write(const ScratchFile& file, std::string_view content,
                           const CoordinateHints& hints = {})
{
    file.write(content);
    run(file.path(), [&] {
        const Coordinates frame = read_coordinates(file.path(), hints);
        try {
            static_cast<void>(gro_text(frame));
            static_cast<void>(g96_text(frame));
            static_cast<void>(pdb_text(frame));
        } catch (const InputError&) {
            // a value that does not fit its column names the atom, not the file
        }
    });
}

} // namespace tessera::fuzz
