#include "engine/app/commands/commands.hpp"
#include "engine/app/exit_status.hpp"
#include "engine/app/load.hpp"
#include "engine/app/ranks.hpp"
#include "engine/app/slurm_time.hpp"
#include "engine/base/error.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace tessera
{

namespace fs = std::filesystem;

namespace
{

bool is_on_path(const std::string& program)
{
    const char* const path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
        if (access((fs::path(folder) / program).c_str(), X_OK) == 0) {
            return true;
        }
    }
    return false;
}

/// The first line that a command prints; empty: it failed.
std::string first_line_of(const std::string& command)
{
    const auto close = [](std::FILE* pipe) { pclose(pipe); };
    const std::unique_ptr<std::FILE, decltype(close)> pipe(popen(command.c_str(), "r"), close);
    std::string out(256, '\0');
    if (pipe == nullptr ||
        std::fgets(out.data(), static_cast<int>(out.size()), pipe.get()) == nullptr) {
        return {};
    }
    out.resize(std::strcspn(out.c_str(), "\n"));
    return out;
}

/// "my run.toml" makes my_run
std::string name_from(const fs::path& deck)
{
    std::string name = deck.stem().string();
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0 && c != '-'; },
        '_');
    return name;
}

/// An output as the deck names it: seen from the deck's folder, where it stands below it.
std::string seen_from(const fs::path& folder, const fs::path& file)
{
    const fs::path seen = fs::absolute(file).lexically_normal().lexically_relative(
        fs::absolute(folder).lexically_normal());
    return seen.empty() || *seen.begin() == ".." ? fs::absolute(file).string() : seen.string();
}

/// The same below a replica's own folder.
std::string within_replica(const fs::path& folder, const fs::path& file)
{
    const fs::path seen = seen_from(folder, file);
    return seen.is_absolute() ? seen.filename().string() : seen.string();
}

/// Whether replicas with other seeds are other runs.
bool draws_random_numbers(const DynamicsSettings& dynamics)
{
    return !dynamics.minimises() &&
           (dynamics.generate_velocities || dynamics.thermostat != ThermostatKind::none ||
            dynamics.barostat != BarostatKind::none);
}

void make_replicas(const Deck& deck, const fs::path& folder, SlurmJob& job)
{
    if (!draws_random_numbers(deck.dynamics)) {
        fail({deck.place_of("run.seed"),
              "--array: all replicas would be the same run (no velocities are drawn, and no "
              "thermostat or barostat draws random numbers)",
              "", "draw velocities: run.velocities = \"maxwell-boltzmann\""});
    }
    for (const auto& [key, file] : {std::pair("output.trajectory", &deck.output.trajectory),
                                    std::pair("output.log", &deck.output.log),
                                    std::pair("output.checkpoint", &deck.output.checkpoint)}) {
        if (*file) {
            job.outputs.emplace_back(key, within_replica(folder, **file));
        }
    }
    job.seeds = {{"run.seed", deck.dynamics.seed}};
    if (deck.gives("thermostat.seed")) {
        job.seeds.emplace_back("thermostat.seed", deck.dynamics.thermostat_seed);
    }
    job.checkpoint = within_replica(folder, *deck.output.checkpoint);
}

/// What the deck and the machine say of the job.
SlurmJob completed(const SlurmOptions& options, const Deck& deck)
{
    SlurmJob job = options.job;
    const fs::path folder = fs::absolute(deck.file).parent_path();
    if (!deck.output.checkpoint) {
        fail({deck.place_of("output.checkpoint"),
              "output.checkpoint = \"none\", but a job goes on from its checkpoint", "",
              "name a file"});
    }
    job.name = job.name.empty() ? name_from(deck.file) : job.name;
    if (job.program.empty()) {
        job.program = fs::read_symlink("/proc/self/exe").string();
    } else if (!options.relative && job.program.find('/') != std::string::npos) {
        job.program = fs::absolute(job.program).lexically_normal().string();
    }
    if (job.mpi.empty() && job.ranks() > 1) {
        job.mpi = "pmi2";
    }
    job.sets = options.input.sets;
    if (options.relative) {
        job.deck = deck.file.string();
        job.deck_folder = deck.file.has_parent_path() ? deck.file.parent_path().string() : ".";
        job.checkpoint = deck.output.checkpoint->string();
    } else {
        job.folder = folder.string();
        job.deck = deck.file.filename().string();
        job.checkpoint = seen_from(folder, *deck.output.checkpoint);
    }
    if (!deck.output.time_limit && !deck.output.time_limit_of_slurm) {
        job.sets.emplace_back("output.time_limit=slurm");
    }
    if (!job.array.empty()) {
        make_replicas(deck, folder, job);
    }
    return job;
}

void warn_of_unwise(const SlurmJob& job, const Deck& deck)
{
    if (job.gpus_per_node > 0) {
        std::cerr << "warning: GPUs are asked for, but runs on GPUs are not built yet: the job "
                     "would hold them idle\n";
    }
    if (job.time && deck.output.time_limit && *deck.output.time_limit > *job.time) {
        std::cerr << fmt::format("warning: {}: the run stops after {:.6g} s (output.time_limit), "
                                 "but --time ends the job after {:.6g} s: take the key out, the "
                                 "program then asks Slurm\n",
                                 deck.file.string(), *deck.output.time_limit, *job.time);
    }
}

/// Where this machine knows the partition's nodes.
void refuse_too_many_cores(const SlurmJob& job)
{
    if (!is_on_path("sinfo")) {
        return;
    }
    const std::string partition =
        job.partition.empty() ? std::string() : " -p " + shell_quoted(job.partition);
    const int has =
        std::atoi(first_line_of("sinfo -h" + partition + " -o %c 2>/dev/null | sort -rn").c_str());
    const int asked = std::max(1, job.cores) * job.ranks_per_node;
    if (has > 0 && asked > has) {
        throw InputError(fmt::format(
            "--ranks-per-node {} with --cores {} asks for {} cores of a node, but the largest "
            "node{} has {} (sinfo says so). Ask for fewer, or for more nodes.",
            job.ranks_per_node, std::max(1, job.cores), asked,
            job.partition.empty() ? "" : " of partition " + job.partition, has));
    }
}

void write_script(const std::string& file, const std::string& text, bool overwrite)
{
    std::ostringstream old;
    if (std::ifstream there(file); there) {
        old << there.rdbuf();
        if (old.str() == text) {
            return;
        }
        if (!overwrite) {
            throw InputError(fmt::format("{}: is there already and differs from what would be "
                                         "written. Give --overwrite to replace it, or another "
                                         "name with --script.",
                                         file));
        }
    }
    errno = 0;
    std::ofstream out(file);
    out << text;
    out.close();
    if (!out) {
        throw FileError(fmt::format("{}: cannot be written ({}). Name another file with --script.",
                                    file, std::strerror(errno)));
    }
}

void submit(const SlurmJob& job)
{
    if (!is_on_path("sbatch")) {
        throw EnvironmentError(fmt::format(
            "sbatch was not found on PATH (this machine submits no jobs). The script {} is "
            "written: submit it on a login node of the cluster, with {} {}{}.",
            job.file, job.chain > 0 ? "bash" : "sbatch", shell_quoted(job.file),
            job.chain > 0 ? " submit" : ""));
    }
    std::cout.flush();
    const std::string file = shell_quoted(job.file);
    const int status =
        std::system((job.chain > 0 ? "bash -- " + file + " submit" : "sbatch -- " + file).c_str());
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        throw EnvironmentError(fmt::format("sbatch refused {} (its message stands above). Mend "
                                           "what it says and submit again.",
                                           job.file));
    }
}

} // namespace

int slurm_command(const SlurmOptions& options)
{
    const LoadedSystem system = load_system(options.input, true);
    SlurmOptions asked = options;
    if (!options.time.empty()) {
        asked.job.time = job_time(options.time);
    }
    SlurmJob job = completed(asked, system.deck);
    const bool to_output = options.file == "-";
    job.file = to_output || options.file.empty() ? job.name + ".sbatch" : options.file;
    if (const auto faults = faults_of(job); !faults.empty()) {
        throw InputError(fmt::format("{}", fmt::join(faults, "\n")));
    }
    if (to_output && options.submit) {
        throw InputError("--submit needs a file, but --script - writes to standard output. Leave "
                         "one of them out.");
    }
    if (job.ranks() > 1) {
        refuse_on_ranks(system.deck, system.assembly, job.ranks());
    }
    refuse_too_many_cores(job);
    warn_of_unwise(job, system.deck);
    if (to_output) {
        std::cout << slurm_script(job);
        return exit_status::done;
    }
    write_script(job.file, slurm_script(job), options.overwrite);
    if (options.submit) {
        submit(job);
        return exit_status::done;
    }
    std::cout << fmt::format("{} is written. Submit it with: {} {}{}\n", job.file,
                             job.chain > 0 ? "bash" : "sbatch", shell_quoted(job.file),
                             job.chain > 0 ? " submit" : "");
    return exit_status::done;
}

} // namespace tessera
