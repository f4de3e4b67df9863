#include "engine/app/command_line.hpp"

#include "engine/base/diagnostic.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tessera
{

namespace
{

std::vector<CLI::App*> all_commands(CLI::App& app)
{
    return app.get_subcommands([](const CLI::App*) { return true; });
}

/// "DECK", "IN OUT"; empty: the command takes no words.
std::string positionals_of(const CLI::App& command)
{
    std::string out;
    for (const CLI::Option* option : command.get_options()) {
        if (option->get_positional()) {
            out += (out.empty() ? "" : " ") + option->get_type_name();
        }
    }
    return out;
}

std::vector<std::string> options_of(const CLI::App& command)
{
    std::vector<std::string> out;
    for (const CLI::Option* option : command.get_options()) {
        for (const std::string& name : option->get_lnames()) {
            out.push_back("--" + name);
        }
    }
    return out;
}

std::string unknown_option(const std::string& who, const CLI::App& command, const std::string& word,
                           bool before_command)
{
    const std::string name = word.substr(0, word.find('='));
    const std::vector<std::string> known = options_of(command);
    const std::string near = nearest_name(name, known);
    std::string out = fmt::format("{}: unknown option \"{}\".", who, name);
    if (!near.empty()) {
        out += fmt::format(" Did you mean {}?", near);
    } else if (before_command) {
        out += " Options of a command stand behind it: tessera run DECK --threads 2.";
    } else {
        out += fmt::format(" Its options: {}.", fmt::join(known, ", "));
    }
    return out;
}

} // namespace

std::string commands_in_words(const CLI::App& app)
{
    std::string out = "commands\n";
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        const std::string takes = command->get_name() + " " + positionals_of(*command);
        out += fmt::format("  tessera {:<16} {}\n", takes, command->get_description());
    }
    return out +
           "tessera help COMMAND tells the options of one; tessera check --list-keys the keys "
           "of a deck.";
}

CLI::App* find_command(CLI::App& app, const std::string& name)
{
    const auto all = all_commands(app);
    const auto found = std::find_if(all.begin(), all.end(), [&](const CLI::App* command) {
        return command->get_name() == name;
    });
    return found == all.end() ? nullptr : *found;
}

std::string usage_fault_in_words(CLI::App& app, const std::vector<std::string>& words,
                                 const CLI::ParseError& fault)
{
    CLI::App* command = nullptr;
    auto behind = words.begin(); // the first word behind the command
    for (; behind != words.end() && command == nullptr; ++behind) {
        command = find_command(app, *behind);
    }
    const CLI::App& asked = command == nullptr ? app : *command;
    const std::string who = command == nullptr ? "tessera" : "tessera " + command->get_name();
    const std::string help =
        command == nullptr ? "tessera help" : "tessera help " + command->get_name();
    // an option that nobody knows comes first: what follows from it is no fault of its own
    const std::vector<std::string> left = app.remaining(true);
    const auto is_left = [&](const std::string& word) {
        return std::find(left.begin(), left.end(), word) != left.end();
    };
    for (auto word = words.begin(); word != words.end(); ++word) {
        if (is_left(*word) && word->size() > 1 && word->front() == '-' && *word != "--") {
            const bool before = command == nullptr || word < behind;
            return unknown_option(before ? "tessera" : who, before ? app : asked, *word, before) +
                   " (" + (before ? "tessera help" : help) + ")";
        }
    }
    if (command == nullptr) {
        return "tessera: a command is missing.\n" + commands_in_words(app);
    }
    const std::string takes = positionals_of(asked);
    for (const std::string& word : words) {
        if (is_left(word)) {
            return fmt::format(
                "{}: \"{}\" is one word too many ({}). {} tells what it takes.", who, word,
                takes.empty() ? "it takes none" : "it takes " + takes + " alone", help);
        }
    }
    for (const CLI::Option* option : asked.get_options()) {
        if (option->get_positional() && option->get_required() && option->count() == 0) {
            return fmt::format("{}: {} is missing ({}). Write tessera {} {}; {} tells its options.",
                               who, option->get_type_name(), option->get_description(),
                               asked.get_name(), takes, help);
        }
    }
    const std::string what = fault.what();
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&fault) != nullptr) {
        return fmt::format("{}: {} needs a value ({})", who, what.substr(0, what.find(':')), help);
    }
    return fmt::format("{}: {} ({})", who, what, help);
}

} // namespace tessera
