#include "engine/app/commands/commands.hpp"
#include "engine/app/exit_status.hpp"
#include "engine/app/threads.hpp"
#include "engine/app/version.hpp"
#include "engine/cpu/simd/simd_choice.hpp"
#include "io/checkpoint.hpp"
#include "io/toml_document.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <iostream>

namespace tessera
{

namespace
{

/// For scripts: a number alone, or "none" where no run has left a checkpoint.
int tell_step(const std::string& checkpoint)
{
    if (!has_checkpoint(checkpoint)) {
        std::cout << "none\n";
        return exit_status::done;
    }
    const ReadCheckpoint read = read_checkpoint(checkpoint);
    if (!read.warning.empty()) {
        std::cerr << "warning: " << read.warning << '\n';
    }
    std::cout << read.checkpoint.state.step << '\n';
    return exit_status::done;
}

} // namespace

int info_command(const InfoOptions& options)
{
    if (!options.step_of.empty()) {
        return tell_step(options.step_of);
    }
    const auto line = [](std::string_view name, std::string_view text) {
        std::cout << fmt::format("{:<13} {}\n", name, text);
    };
    line("version", version_text());
    line("build", TESSERA_BUILD_TYPE ", " TESSERA_COMPILER);
    line("precision", "mixed, fp64 (tf32 and tf32-1x are not built yet)");
    line("processor", fmt::format("{} kernels; {} cores given to this process",
                                  name_of(simd_level()), threads_to_use(0)));
    const auto or_own = [](const char* name) {
        const char* const text = std::getenv(name);
        return text != nullptr ? text : "(the OpenMP library's own)";
    };
    line("threads", fmt::format("waiting ones: OMP_WAIT_POLICY={}, GOMP_SPINCOUNT={}",
                                or_own("OMP_WAIT_POLICY"), or_own("GOMP_SPINCOUNT")));
    line("GPU parts", TESSERA_GPU_PARTS);
    line("MPI", TESSERA_MPI_TEXT);
    line("HDF5", TESSERA_HDF5_TEXT);
    line("libraries",
         fmt::format("fmt {}.{}.{}, toml++ {}, {}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100,
                     FMT_VERSION % 100, toml_library_version(), TESSERA_LIBRARIES));
    return exit_status::done;
}

} // namespace tessera
