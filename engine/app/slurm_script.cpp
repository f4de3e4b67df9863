#include "engine/app/slurm_script.hpp"

#include "engine/app/slurm_time.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>
#include <set>

namespace tessera
{

namespace
{

bool is_plain(unsigned char c)
{
    return std::isalnum(c) != 0 ||
           std::string_view("_-./=,:+@%").find(static_cast<char>(c)) != std::string_view::npos;
}

bool is_plain_word(const std::string& word)
{
    return std::all_of(word.begin(), word.end(), [](unsigned char c) { return is_plain(c); });
}

/// A text that stays within the line of a comment.
std::string in_one_line(std::string text)
{
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return std::iscntrl(c) != 0; }, ' ');
    return text;
}

std::string option_line(const std::string& option, const std::string& value)
{
    return value.empty() ? std::string() : fmt::format("#SBATCH --{}={}\n", option, value);
}

bool requeues_itself(const SlurmJob& job)
{
    return job.requeue && job.chain == 0;
}

/// A signal nearer to the end than Slurm's clock of about a minute is no warning.
bool is_warned(const SlurmJob& job)
{
    constexpr double times_the_warning = 5;
    return job.warning > 0 && (!job.time || *job.time >= times_the_warning * job.warning);
}

std::string heading(const SlurmJob& job)
{
    std::string out = "#!/bin/bash\n# Written by: " + in_one_line(job.command) + "\n";
    const std::string file = in_one_line(shell_quoted(job.file));
    if (job.chain > 0) {
        out += fmt::format("# A chain of {} jobs, each goes on where the one before stopped. "
                           "Submit it with: bash {} submit\n",
                           job.chain, file);
    } else {
        out += fmt::format("# Submit it with: sbatch {}\n", file);
    }
    if (job.folder.empty()) {
        out += "# Paths are seen from the folder in which that is called.\n";
    }
    return out;
}

std::string sbatch_options(const SlurmJob& job)
{
    std::string out = option_line("job-name", job.name) + option_line("account", job.account) +
                      option_line("partition", job.partition) + option_line("qos", job.qos) +
                      option_line("nodes", std::to_string(job.nodes)) +
                      option_line("ntasks-per-node", std::to_string(job.ranks_per_node));
    out += job.cores > 0 ? option_line("cpus-per-task", std::to_string(job.cores))
                         : std::string("#SBATCH --exclusive\n");
    if (job.gpus_per_node > 0) {
        out += option_line("gpus-per-node", std::to_string(job.gpus_per_node));
    }
    out += option_line("mem", job.memory);
    if (job.time) {
        out += option_line("time", slurm_time_text(*job.time));
    }
    out += option_line("array", job.array);
    out += option_line("output", job.name + (job.array.empty() ? "-%j.out" : "-%A_%a.out"));
    out += "# a job that is started again goes on in the same file\n"
           "#SBATCH --open-mode=append\n";
    out += job.requeue
               ? "# Slurm may start the job again, after pre-emption or when a node failed\n"
                 "#SBATCH --requeue\n"
               : "#SBATCH --no-requeue\n";
    if (is_warned(job)) {
        out += fmt::format("# so many seconds before the end the program (not this shell) is told "
                           "to stop with a checkpoint\n#SBATCH --signal=USR1@{:.0f}\n",
                           job.warning);
    }
    for (const std::string& option : job.options) {
        out += "#SBATCH " + option + '\n';
    }
    return out;
}

/// Of a chain: submits all jobs of it and notes their numbers.
std::string chain_submission(const SlurmJob& job)
{
    const std::filesystem::path folder = job.folder.empty() ? job.deck_folder : job.folder;
    const std::string list = (folder / (job.name + ".jobs")).lexically_normal().string();
    return fmt::format(
        "jobs={} # numbers of the jobs of the chain, in order\n"
        "if [ \"${{1:-}}\" = submit ]; then\n"
        "    : >\"$jobs\" || exit 4\n"
        "    job=\n"
        "    for ((link = 1; link <= {}; ++link)); do\n"
        "        job=$(sbatch --parsable ${{job:+--dependency={}:\"$job\"}} \"$0\") || exit 4\n"
        "        job=${{job%%;*}} # without the cluster's name\n"
        "        echo \"$job\" >>\"$jobs\"\n"
        "        echo \"job $job, $link of {}\"\n"
        "    done\n"
        "    exit 0\n"
        "fi\n\n"
        "# Takes back the jobs of the chain that would follow this one.\n"
        "end_chain() {{\n"
        "    local later\n"
        "    mapfile -t later < <(awk -v own=\"$SLURM_JOB_ID\" 'found; $0 == own {{ found = 1 }}' "
        "\"$jobs\")\n"
        "    [ \"${{#later[@]}}\" -eq 0 ] || scancel \"${{later[@]}}\"\n"
        "}}\n\n",
        shell_quoted(list), job.chain, job.dependency, job.chain);
}

/// Of an array: its folder, and the options that lead every output there.
std::string replica_lines(const SlurmJob& job)
{
    std::set<std::string> folders;
    for (const auto& [key, file] : job.outputs) {
        const std::string inner = std::filesystem::path(file).parent_path().string();
        folders.insert(inner.empty() ? std::string() : '/' + inner);
    }
    folders.insert(std::string());
    std::string out = "# each replica has its own folder beside the deck, and its own seed\n"
                      "replica=replica-$SLURM_ARRAY_TASK_ID\n";
    for (const std::string& inner : folders) {
        out += fmt::format("mkdir -p {}/\"$replica\"{} || exit 4\n", shell_quoted(job.deck_folder),
                           inner.empty() ? inner : shell_quoted(inner));
    }
    out += "own=(";
    for (const auto& [key, seed] : job.seeds) {
        out += fmt::format("--set {}=$(({} + SLURM_ARRAY_TASK_ID))\n     ", key, seed);
    }
    for (std::size_t k = 0; k < job.outputs.size(); ++k) {
        out += fmt::format("{}--set {}=\"$replica\"/{}", k == 0 ? "" : "\n     ",
                           job.outputs[k].first, shell_quoted(job.outputs[k].second));
    }
    return out + ")\n";
}

std::string checkpoint_line(const SlurmJob& job)
{
    if (job.array.empty()) {
        return fmt::format("checkpoint={}\n", shell_quoted(job.checkpoint));
    }
    return fmt::format("checkpoint={}/\"$replica\"/{}\n", shell_quoted(job.deck_folder),
                       shell_quoted(job.checkpoint));
}

std::string program_line(const SlurmJob& job)
{
    std::string out = "srun --cpus-per-task=\"$threads\" --cpu-bind=cores";
    if (!job.mpi.empty()) {
        out += " --mpi=" + job.mpi;
    }
    if (job.ranks() > 1) {
        out += " --kill-on-bad-exit=1";
    }
    out += fmt::format(" \\\n    \"$program\" run {} --continue=if-present --threads \"$threads\"",
                       shell_quoted(job.deck));
    for (const std::string& set : job.sets) {
        out += " \\\n    --set " + shell_quoted(set);
    }
    return out + (job.array.empty() ? "" : " \\\n    \"${own[@]}\"") + '\n';
}

std::string after_the_program(const SlurmJob& job)
{
    const bool chain = job.chain > 0;
    std::string out =
        "status=$?\n\n"
        "# 85: stopped by the time limit or a signal, with a checkpoint. Any other status is the "
        "job's own.\n"
        "if [ \"$status\" -ne 85 ]; then\n";
    out += chain ? "    end_chain # the run is done, or failed: the jobs that follow have no work\n"
                 : "";
    out += "    exit \"$status\"\n"
           "fi\n"
           "after=$(\"$program\" info --step-of \"$checkpoint\")\n"
           "if [ \"$after\" = \"$before\" ]; then\n";
    out += chain ? "    end_chain\n" : "";
    out += fmt::format("    echo \"stopped at step $after, where this job began, so {}: give it "
                       "more time\" >&2\n"
                       "    exit 85\n"
                       "fi\n",
                       chain ? "the chain ends" : "it is not started again");
    if (chain) {
        return out + "echo \"stopped at step $after; the next job of the chain goes on\"\n"
                     "exit 0\n";
    }
    out += fmt::format("if [ \"${{SLURM_RESTART_COUNT:-0}}\" -ge {} ]; then\n"
                       "    echo \"stopped at step $after; not started again after {} restarts\" "
                       ">&2\n"
                       "    exit 85\n"
                       "fi\n",
                       job.most_restarts, job.most_restarts);
    out += "echo \"stopped at step $after; back into the queue\"\n";
    if (job.array.empty()) {
        return out + "scontrol requeue \"$SLURM_JOB_ID\" || exit 85\n";
    }
    return out + "# the bare number of a job may mean its whole array\n"
                 "scontrol requeue \"${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID\" || exit 85\n";
}

void refuse_odd_word(const char* what, const std::string& word, std::vector<std::string>& faults)
{
    if (!is_plain_word(word)) {
        faults.push_back(fmt::format("{} \"{}\" holds a blank, a quote or another sign that no {} "
                                     "has. Write letters, digits and any of _-./=,:+@%.",
                                     what, in_one_line(word), what + 2));
    }
}

/// Whether it reads as sbatch --array: numbers and ranges, then perhaps %N.
bool is_array(const std::string& text)
{
    const auto percent = text.find('%');
    const std::string list = text.substr(0, percent);
    const auto digits_and = [](const std::string& word, std::string_view more) {
        return !word.empty() && std::isdigit(static_cast<unsigned char>(word.front())) != 0 &&
               std::isdigit(static_cast<unsigned char>(word.back())) != 0 &&
               std::all_of(word.begin(), word.end(), [&](unsigned char c) {
                   return std::isdigit(c) != 0 ||
                          more.find(static_cast<char>(c)) != std::string_view::npos;
               });
    };
    return digits_and(list, "-,:") &&
           (percent == std::string::npos || digits_and(text.substr(percent + 1), ""));
}

} // namespace

std::string shell_quoted(const std::string& word)
{
    if (!word.empty() && is_plain_word(word)) {
        return word;
    }
    std::string out = "'";
    for (const char c : word) {
        out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return out + "'";
}

std::vector<std::string> faults_of(const SlurmJob& job)
{
    std::vector<std::string> out;
    refuse_odd_word("--name", job.name, out);
    refuse_odd_word("--account", job.account, out);
    refuse_odd_word("--partition", job.partition, out);
    refuse_odd_word("--qos", job.qos, out);
    refuse_odd_word("--mpi", job.mpi, out);
    for (const auto& [what, lines] :
         {std::pair("--sbatch", &job.options), std::pair("--line", &job.prologue)}) {
        for (const std::string& line : *lines) {
            if (line != in_one_line(line)) {
                out.push_back(fmt::format("{}: \"{}\" is more than one line. Give the option once "
                                          "a line.",
                                          what, in_one_line(line)));
            }
        }
    }
    for (const std::string& option : job.options) {
        if (option.rfind('-', 0) != 0) {
            out.push_back(fmt::format("--sbatch \"{}\" is no option of sbatch (it begins with no "
                                      "dash). Write such as --sbatch=--exclude=node7.",
                                      in_one_line(option)));
        }
    }
    if (!job.memory.empty()) {
        const bool unit =
            std::string_view("KMGT").find(job.memory.back()) != std::string_view::npos;
        const std::string digits = job.memory.substr(0, job.memory.size() - 1);
        if (!unit || digits.empty() ||
            digits.find_first_not_of("0123456789") != std::string::npos) {
            out.push_back(fmt::format("--mem \"{}\" is no amount of memory a node (a whole number "
                                      "and its unit, K, M, G or T). Write such as 16G.",
                                      in_one_line(job.memory)));
        }
    }
    if (!job.array.empty() && !is_array(job.array)) {
        out.push_back(fmt::format("--array \"{}\" is no list of replicas. Write such as 1-8, 1-8%2 "
                                  "(two at a time) or 1,3,5.",
                                  in_one_line(job.array)));
    } else if (!job.array.empty() && job.array.find_first_of("-,") == std::string::npos) {
        out.push_back(fmt::format("--array {0} is one replica alone, the one with number {0} (as "
                                  "sbatch reads it). Write 1-{0} for {0} of them.",
                                  job.array));
    }
    if (!job.array.empty() && job.chain > 0) {
        out.push_back("--array and --chain are two ways to ask for several jobs, and do not go "
                      "together. Leave --chain out: each replica goes back into the queue by "
                      "itself until it is done.");
    }
    if (job.dependency != "afterany" && job.dependency != "afterok") {
        out.push_back(fmt::format("--dependency \"{}\" is unknown. Write afterany (go on also "
                                  "after a job that Slurm ended) or afterok.",
                                  in_one_line(job.dependency)));
    }
    return out;
}

std::string slurm_script(const SlurmJob& job)
{
    std::string out = heading(job) + sbatch_options(job) + '\n';
    if (job.chain > 0) {
        out += chain_submission(job);
    }
    if (!job.folder.empty()) {
        out += fmt::format("cd {} || exit 4\n", shell_quoted(job.folder));
    }
    out += fmt::format("program={}\n", shell_quoted(job.program));
    out += job.cores > 0 ? std::string("threads=$SLURM_CPUS_PER_TASK\n")
                         : fmt::format("threads=$((SLURM_CPUS_ON_NODE / {})) # ranks on a node\n",
                                       job.ranks_per_node);
    for (const std::string& line : job.prologue) {
        out += line + '\n';
    }
    out += job.array.empty() ? "" : replica_lines(job);
    const bool looks_at_steps = requeues_itself(job) || job.chain > 0;
    if (looks_at_steps) {
        out += checkpoint_line(job) + "before=$(\"$program\" info --step-of \"$checkpoint\")\n";
    }
    out += "\n# goes on from the checkpoint where there is one\n" + program_line(job);
    return looks_at_steps ? out + after_the_program(job) : out;
}

} // namespace tessera
