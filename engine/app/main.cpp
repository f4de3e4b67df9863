#include "engine/app/agreement.hpp"
#include "engine/app/command_line.hpp"
#include "engine/app/commands/commands.hpp"
#include "engine/app/exit_status.hpp"
#include "engine/app/large_arrays.hpp"
#include "engine/app/printable_streams.hpp"
#include "engine/app/ranks.hpp"
#include "engine/app/simd_wish.hpp"
#include "engine/app/slurm_options.hpp"
#include "engine/app/stop_request.hpp"
#include "engine/app/version.hpp"
#include "engine/app/wait_policy.hpp"
#include "engine/base/diagnostic.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <iostream>

namespace
{

using namespace tessera;

/// What is wrong with a file's name; empty: nothing.
std::string name_fault(const std::string& word)
{
    return word.empty()
               ? "the file's name is empty (perhaps a variable of the shell is). Name a file"
               : std::string();
}

/// Adds DECK and --set. A missing deck is told by reading it, in our own words.
void take_deck(CLI::App& command, DeckOptions& options)
{
    command.add_option("deck", options.deck, "TOML file that says what to compute")
        ->type_name("DECK")
        ->check(name_fault)
        ->required();
    command
        .add_option("--set", options.sets,
                    "override a key of the deck, such as run.steps=100 (may be repeated)")
        ->option_text("KEY=VALUE")
        ->allow_extra_args(false);
}

/// What is wrong with the word after --threads; empty: nothing.
std::string threads_fault(const std::string& word)
{
    const bool digits = !word.empty() && word.size() <= 4 &&
                        word.find_first_not_of("0123456789") == std::string::npos;
    return digits && std::stoi(word) <= 4096
               ? std::string()
               : fmt::format("\"{}\" is no number of threads (a whole number up to 4096; 0: all "
                             "cores given to the process)",
                             word);
}

/// --threads of a command that computes.
void take_threads(CLI::App& command, DeckOptions& options)
{
    command
        .add_option_function<int>(
            "--threads", [&options](int threads) { options.threads = threads; },
            "instead of compute.threads; 0: all cores given to the process")
        ->type_name("N")
        ->check(threads_fault);
}

int usage_fault(const std::string& message)
{
    throw InputError(message); // of several ranks one tells it
}

int unknown_command(CLI::App& app, const std::string& word)
{
    std::vector<std::string> known = {"help"};
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        known.push_back(command->get_name());
    }
    const std::string near = nearest_name(word, known);
    std::string more = "\n" + commands_in_words(app);
    if (word.size() > 5 && word.compare(word.size() - 5, 5, ".toml") == 0) {
        more = fmt::format(" A deck follows the command: tessera run {}", word);
    } else if (!near.empty()) {
        more = fmt::format(" Did you mean \"{}\"? tessera help lists all.", near);
    }
    return usage_fault(fmt::format("tessera: unknown command \"{}\".{}", word, more));
}

/// tessera help [COMMAND]
int help(CLI::App& app, const std::vector<std::string>& words)
{
    if (words.size() < 2 || words[1] == "help") {
        std::cout << app.help();
        return exit_status::done;
    }
    const CLI::App* const command = find_command(app, words[1]);
    if (command == nullptr) {
        return unknown_command(app, words[1]);
    }
    std::cout << command->help("tessera");
    return exit_status::done;
}

int not_built(const std::string& command)
{
    return usage_fault(
        "tessera " + command +
        " is not built yet. What is built: run, energy, check, validate --quick, slurm, "
        "convert, info.");
}

/// Commands whose work is one process's, where a launcher started several: the first does it, or
/// all refuse.
int done_by_one(Transport* ranks, const std::function<int()>& command)
{
    return is_first(ranks) ? command() : exit_status::done;
}

int run_tessera(int argc, char** argv, Transport* ranks)
{
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (ranks != nullptr) { // before one may end by itself and leave the others waiting
        require_agreement(*ranks, told_by_command_line(words));
    }
    CLI::App app("Tessera: molecular dynamics with exact sums. All keys of a deck: "
                 "docs/deck-reference.md, or tessera check --list-keys. tessera help COMMAND tells "
                 "the options of a command.",
                 "tessera");
    app.require_subcommand(1);
    app.set_version_flag("--version", std::string(version_text()));

    RunOptions run;
    CLI::App* const run_app = app.add_subcommand("run", "simulate: log, trajectory, checkpoint");
    take_deck(*run_app, run.input);
    run_app->add_flag("--continue{always}", run.continuation,
                      "go on from the checkpoint; --continue=if-present starts anew without one");
    take_threads(*run_app, run.input);
    run_app->add_flag("--quiet", run.quiet, "nothing on standard output");

    EnergyOptions energy;
    CLI::App* const energy_app =
        app.add_subcommand("energy", "one force evaluation at the start coordinates");
    take_deck(*energy_app, energy.input);
    energy_app->add_option("--json", energy.json, "write energies and virial as JSON")
        ->type_name("FILE")
        ->check(name_fault);
    energy_app->add_option("--forces", energy.forces, "write fx fy fz a line, kJ/mol/nm")
        ->type_name("FILE")
        ->check(name_fault);
    take_threads(*energy_app, energy.input);

    CheckOptions check;
    CLI::App* const check_app = app.add_subcommand(
        "check", "read everything, report every fault, say what would run; runs nothing");
    take_deck(*check_app, check.input);
    check_app->get_option("deck")->required(false);
    take_threads(*check_app, check.input);
    check_app->add_flag("--list-keys", check.list_keys, "print every key of the deck");
    check_app->add_flag("--strict", check.strict,
                        "names that differ in coordinates and topology are an error");

    ValidateOptions validate;
    CLI::App* const validate_app = app.add_subcommand(
        "validate", "accuracy of the deck's precision against FP64; status 3 where it misses");
    take_deck(*validate_app, validate.input);
    bool full = false;
    std::string html;
    validate_app->add_flag("--quick", validate.quick, "errors of forces and noise power, seconds");
    validate_app->add_flag("--full", full, "not built yet");
    validate_app->add_option("--json", validate.json, "write what was found as JSON")
        ->type_name("FILE")
        ->check(name_fault);
    validate_app->add_option("--html", html, "not built yet")->type_name("FILE");
    validate_app->add_option("--frames", validate.frames, "configurations, the start included")
        ->type_name("N")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    validate_app->add_option("--stride", validate.stride, "steps of dynamics between two of them")
        ->type_name("STEPS")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str();
    take_threads(*validate_app, validate.input);

    ConvertOptions convert;
    CLI::App* const convert_app =
        app.add_subcommand("convert", "one frame of coordinates into another format: the last of a "
                                      "trajectory (.h5md .nc), the first of a .gro .g96 .pdb");
    convert_app
        ->add_option("in", convert.from,
                     "file to read, of any format that a deck takes as coordinates")
        ->type_name("IN")
        ->check(name_fault)
        ->required();
    convert_app->add_option("out", convert.to, "file to write: .gro .g96 .pdb .h5md")
        ->type_name("OUT")
        ->check(name_fault)
        ->required();
    convert_app
        ->add_option("--topology", convert.topology,
                     "gives names, masses and bonds that IN lacks (.top .prmtop .parm7)")
        ->type_name("FILE")
        ->check(name_fault);

    CLI::App* const info_app =
        app.add_subcommand("info", "build, libraries, SIMD level, GPUs, MPI, HDF5");
    InfoOptions info;
    info_app
        ->add_option("--step-of", info.step_of,
                     "print the step of a checkpoint (\"none\" without one), for scripts")
        ->type_name("CHECKPOINT")
        ->check(name_fault);

    SlurmOptions slurm;
    CLI::App* const slurm_app =
        app.add_subcommand("slurm", "write a batch script for a deck; --submit submits it");
    take_deck(*slurm_app, slurm.input);
    take_slurm_options(*slurm_app, slurm);

    std::vector<CLI::App*> planned;
    for (const char* name : {"report"}) {
        planned.push_back(app.add_subcommand(name, "not built yet"));
        planned.back()->prefix_command();
    }

    if (!words.empty() && words[0] == "help") {
        return done_by_one(ranks, [&] { return help(app, words); });
    }
    if (!words.empty() && words[0].rfind('-', 0) != 0 && find_command(app, words[0]) == nullptr) {
        return unknown_command(app, words[0]);
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& fault) {
        if (fault.get_exit_code() == 0) { // --help and --version were asked for
            return done_by_one(ranks, [&] { return app.exit(fault); });
        }
        return usage_fault(usage_fault_in_words(app, words, fault));
    }

    look_at_simd_wish();
    for (const CLI::App* command : planned) {
        if (command->parsed()) {
            return not_built(command->get_name());
        }
    }
    if (energy_app->parsed()) {
        return energy_command(energy, ranks);
    }
    if (check_app->parsed()) {
        if (check.input.deck.empty() && !check.list_keys) {
            return usage_fault("tessera check: DECK is missing (TOML file that says what to "
                               "compute). Write tessera check DECK; tessera help check tells its "
                               "options.");
        }
        return check_command(check, ranks);
    }
    if (run_app->parsed()) {
        if (!run.continuation.empty() && run.continuation != "always" &&
            run.continuation != "if-present") {
            return usage_fault("--continue=" + run.continuation +
                               " is unknown. Write --continue or --continue=if-present.");
        }
        return run_command(run, ranks);
    }
    if (validate_app->parsed()) {
        if (full || !validate.quick) {
            return not_built(full ? "validate --full" : "validate without --quick");
        }
        if (!html.empty()) {
            return not_built("validate --html");
        }
        refuse_several_ranks(ranks, "validate");
        return validate_command(validate);
    }
    if (convert_app->parsed()) {
        return done_by_one(ranks, [&] { return convert_command(convert); });
    }
    if (slurm_app->parsed()) {
        refuse_several_ranks(ranks, "slurm");
        slurm.job.command = "tessera";
        for (const std::string& word : words) {
            if (word != "--submit" && word != "--overwrite") { // not of what is written
                slurm.job.command += ' ' + shell_quoted(word);
            }
        }
        return slurm_command(slurm);
    }
    return done_by_one(ranks, [&] { return info_command(info); });
}

bool asks_of_the_program(const std::vector<std::string>& words)
{
    return words[0] == "help" || words[0] == "info" || asks_for_words(words);
}

} // namespace

int main(int argc, char** argv)
{
    tessera::let_writes_fail();
    tessera::give_back_hangup();
    tessera::let_waiting_threads_sleep(argv);
    tessera::give_back_large_arrays();
    const tessera::PrintableStreams streams;
    // what tells of the program must work where MPI does not
    const bool tells = argc < 2 || asks_of_the_program({argv + 1, argv + argc});
    return tessera::guarded([&] {
        return tessera::on_ranks(
            tells ? tessera::Unjoined::each_alone : tessera::Unjoined::refused,
            [&](tessera::Transport* ranks) { return run_tessera(argc, argv, ranks); });
    });
}
