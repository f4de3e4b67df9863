#include "engine/app/slurm_options.hpp"

#include <fmt/format.h>

namespace tessera
{

namespace
{

/// What is wrong with a word that counts something; empty: nothing.
CLI::Validator count_of(const std::string& things, int least)
{
    return CLI::Validator(
        [things, least](const std::string& word) {
            const bool digits = !word.empty() && word.size() <= 6 &&
                                word.find_first_not_of("0123456789") == std::string::npos;
            return digits && std::stoi(word) >= least
                       ? std::string()
                       : fmt::format("\"{}\" is no number of {} (a whole number{}, up to 999999)",
                                     word, things,
                                     least > 0 ? fmt::format(", {} at least", least) : "");
        },
        "");
}

void take_text(CLI::App& command, const std::string& name, std::string& to, const std::string& type,
               const std::string& what)
{
    command.add_option(name, to, what)->type_name(type);
}

void take_count(CLI::App& command, const std::string& name, int& to, const std::string& things,
                int least, const std::string& what)
{
    command.add_option(name, to, what)->type_name("N")->check(count_of(things, least));
}

void take_lines(CLI::App& command, const std::string& name, std::vector<std::string>& to,
                const std::string& type, const std::string& what)
{
    command.add_option(name, to, what)->option_text(type)->allow_extra_args(false);
}

} // namespace

void take_slurm_options(CLI::App& command, SlurmOptions& options)
{
    SlurmJob& job = options.job;
    take_count(command, "--nodes", job.nodes, "nodes", 1, "nodes (1)");
    take_count(command, "--ranks-per-node,--ntasks-per-node", job.ranks_per_node, "ranks", 1,
               "ranks on each node (1)");
    take_count(command, "--cores,--cpus-per-task", job.cores, "cores", 1,
               "cores of each rank, and its threads; without it: whole nodes");
    take_count(command, "--gpus-per-node", job.gpus_per_node, "GPUs", 0, "GPUs of each node (0)");
    take_text(command, "--time", options.time, "TIME",
              "time limit of a job: \"24 h\", \"90 min\", 1-12:00:00; without it: the partition's");
    take_text(command, "--mem", job.memory, "SIZE", "memory of a node, such as 16G");
    take_text(command, "--account", job.account, "NAME", "who pays");
    take_text(command, "--partition", job.partition, "NAME", "partition (queue)");
    take_text(command, "--qos", job.qos, "NAME", "quality of service");
    take_text(command, "--name,--job-name", job.name, "NAME", "the job's name (the deck's)");
    take_text(command, "--array", job.array, "LIST",
              "replicas: 1-8, 1-8%2 (two at a time); each has its own folder and seed");
    take_count(command, "--chain", job.chain, "jobs", 2,
               "jobs that follow each other, each goes on where the one before stopped");
    take_text(command, "--dependency", job.dependency, "KIND",
              "of a chain: afterany (go on also after a job that Slurm ended) or afterok");
    command.add_flag("!--no-requeue", job.requeue,
                     "a job that stopped at its limit does not go back into the queue");
    take_count(command, "--max-restarts", job.most_restarts, "restarts", 0,
               "times that a job goes back into the queue (100)");
    command
        .add_option("--signal", job.warning,
                    "seconds before the end at which the program is told to stop (120; 0: it "
                    "watches its time alone)")
        ->type_name("SECONDS")
        ->check(count_of("seconds", 0));
    take_text(command, "--mpi", job.mpi, "TYPE", "for srun --mpi (pmi2 for several ranks)");
    take_lines(command, "--sbatch", job.options, "OPTION",
               "one more option of sbatch, such as --sbatch=--exclude=node7 (may be repeated)");
    take_lines(command, "--line", job.prologue, "COMMAND",
               "a line of shell before the program, such as \"module load mpich\" (may be "
               "repeated)");
    take_text(command, "--program", job.program, "FILE", "tessera on the nodes (this one)");
    take_text(command, "--script", options.file, "FILE",
              "script to write (the deck's name with .sbatch); -: standard output");
    command.add_flag("--relative", options.relative,
                     "paths as they are given, seen from the folder in which sbatch is called");
    command.add_flag("--overwrite", options.overwrite, "replace a script that differs");
    command.add_flag("--submit", options.submit, "submit the script");
}

} // namespace tessera
