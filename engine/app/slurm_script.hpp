#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera
{

/// What a batch script asks Slurm for, and what it runs. Texts are as the user wrote them;
/// slurm_script() quotes them for the shell.
struct SlurmJob {
    std::string command;           ///< what wrote the script, for its first line
    std::string file;              ///< name of the script, to say how it is submitted
    std::string name;              ///< of the job
    std::string program;           ///< tessera
    std::string folder;            ///< where the job works; empty: where sbatch was called
    std::string deck;              ///< seen from there
    std::string deck_folder = "."; ///< seen from there
    std::string checkpoint;        ///< seen from there
    std::vector<std::string> sets; ///< KEY=VALUE

    int nodes = 1, ranks_per_node = 1, gpus_per_node = 0;
    int cores = 0;              ///< a rank, its threads too; 0: whole nodes, shared by their ranks
    std::optional<double> time; ///< s
    std::string memory, account, partition, qos;
    std::string mpi;                   ///< of srun --mpi; empty: the cluster's default
    std::vector<std::string> options;  ///< further options of sbatch, such as "--exclude=n7"
    std::vector<std::string> prologue; ///< lines of shell before the program starts

    bool requeue = true;
    int most_restarts = 100;
    double warning = 120; ///< s before the end at which the program is signalled; 0: never

    std::string array; ///< as of sbatch --array; empty: one job
    /// Outputs by key, seen from the deck's folder: each replica has them in a folder of its own.
    std::vector<std::pair<std::string, std::string>> outputs;
    std::vector<std::pair<std::string, std::uint64_t>>
        seeds; ///< keys, each replica adds its number

    int chain = 0; ///< jobs that follow each other; 0: one job
    std::string dependency = "afterany";

    [[nodiscard]] int ranks() const { return nodes * ranks_per_node; }
};

/// The script: options for sbatch, then what the job does. A pure function.
///     exit 85 of the program    the job puts itself back into the queue, unless it made no step or
///                               was restarted most_restarts times; in a chain it ends with 0
///     any other                 is the job's own
std::string slurm_script(const SlurmJob& job);

/// Sentences about what cannot be: no nodes, an array that is a chain, words that would break the
/// script. Empty: nothing.
std::vector<std::string> faults_of(const SlurmJob& job);

/// The word as a shell reads it back.
std::string shell_quoted(const std::string& word);

} // namespace tessera
