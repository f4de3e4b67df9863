#pragma once

#include "engine/app/slurm_script.hpp"
#include "engine/backend/transport.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tessera
{

/// What every command that reads a deck takes.
struct DeckOptions {
    std::filesystem::path deck;
    std::vector<std::string> sets; ///< --set KEY=VALUE, in order
    std::optional<int> threads;    ///< --threads, instead of compute.threads
};

struct EnergyOptions {
    DeckOptions input;
    std::string json;   ///< file to write, or empty
    std::string forces; ///< file to write, or empty
};

struct CheckOptions {
    DeckOptions input;
    bool list_keys = false; ///< print the reference of keys and do nothing else
    bool strict = false;    ///< names that differ are an error
};

struct RunOptions {
    DeckOptions input;
    std::string continuation; ///< empty: from the start; "always"; "if-present"
    bool quiet = false;
};

struct ValidateOptions {
    DeckOptions input;
    std::string json;         ///< file to write, or empty
    bool quick = false;       ///< tests T1 and T2, all that is built
    std::int64_t frames = 4;  ///< configurations judged, the start included
    std::int64_t stride = 25; ///< steps of dynamics between them
};

struct ConvertOptions {
    std::filesystem::path from, to;
    std::filesystem::path topology; ///< gives names, masses and bonds that IN lacks; or empty
};

struct SlurmOptions {
    DeckOptions input;
    SlurmJob job;           ///< what the options say; slurm_command() adds what the deck says
    std::string time;       ///< as the user wrote it; empty: the partition's
    std::string file;       ///< script to write; "-": standard output; empty: the deck's name
    bool relative = false;  ///< paths as given, not absolute
    bool overwrite = false; ///< a script that is there and differs is replaced
    bool submit = false;
};

struct InfoOptions {
    std::string step_of; ///< checkpoint whose step is wanted; empty: what the program is
};

// Each returns the exit status, or throws as exit_status.hpp maps. Those with `ranks` (null: this
// process is alone) are called by all of them together.
int energy_command(const EnergyOptions& options, Transport* ranks);
int check_command(const CheckOptions& options, Transport* ranks);
int run_command(const RunOptions& options, Transport* ranks);
/// exit_status::accuracy_missed where a margin is missed.
int validate_command(const ValidateOptions& options);
int convert_command(const ConvertOptions& options);
int info_command(const InfoOptions& options);
/// Writes a batch script, and submits it if asked.
int slurm_command(const SlurmOptions& options);

} // namespace tessera
