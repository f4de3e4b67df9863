#pragma once

#include <algorithm>
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

/// Faults in a forked child. HDF5 1.10.8 reads out of bounds where a file is damaged; readers try
/// such a file in a child first (io/hdf5_rehearsal.hpp) and refuse it where the child dies. So such
/// a death is no finding, under one condition: the sanitizer's report says that the fault is
/// HDF5's own, of memory that HDF5 has asked for. Any other report of a child is one, and so is a
/// death without a report. (An input on which HDF5 reads out of bounds without dying of it is
/// refused here alone; users get what HDF5 made of it.)
namespace tessera::fuzz
{

class ChildReports {
public:
    /// From now on children write their reports to a file in memory, and nothing else.
    static ChildReports& of_this_process()
    {
        static ChildReports all;
        return all;
    }

    /// What the last child reported; the next one begins anew. That memory was asked for which
    /// there is not, and refused, is no report.
    std::string take() const
    {
        std::string out(static_cast<std::size_t>(::lseek(file_, 0, SEEK_END)), '\0');
        const ssize_t count = ::pread(file_, out.data(), out.size(), 0);
        out.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
        static_cast<void>(::ftruncate(file_, 0));
        ::lseek(file_, 0, SEEK_SET);
        return without_refused_allocations(out);
    }

    static bool blames_hdf5(std::string_view report)
    {
        const auto library = [](std::string_view stack) { return stack.find("libhdf5"); };
        const auto ours = [](std::string_view stack) { return stack.find("tessera::"); };
        const std::size_t origin = report.find("allocated by thread");
        const std::string_view stack = report.substr(0, origin);
        // without any frame of ours nothing could be told: the reports need llvm-symbolizer
        const bool is_in_library = library(stack) < ours(stack) && ours(stack) != report.npos;
        const std::string_view allocation =
            origin == report.npos ? "libhdf5" : report.substr(origin);
        return is_in_library && library(allocation) < ours(allocation);
    }

private:
    static std::string without_refused_allocations(const std::string& report)
    {
        std::string out;
        for (std::size_t begin = 0; begin < report.size();) {
            const std::size_t end = std::min(report.find('\n', begin), report.size() - 1) + 1;
            const std::string line = report.substr(begin, end - begin);
            out +=
                line.find("WARNING: AddressSanitizer failed to allocate") == line.npos ? line : "";
            begin = end;
        }
        return out.find_first_not_of(" \n") == out.npos ? "" : out;
    }

    ChildReports()
    {
        file_of_children = file_;
        ::pthread_atfork(nullptr, nullptr, [] {
            __sanitizer_set_report_fd(reinterpret_cast<void*>(static_cast<long>(file_of_children)));
            __sanitizer_set_death_callback(nullptr); // libFuzzer's would save the input
        });
    }
    inline static int file_of_children = -1;
    int file_ = ::memfd_create("reports", 0);
};

} // namespace tessera::fuzz
