#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tessera
{

/// Every command with what it does, a line each, and how to learn more.
std::string commands_in_words(const CLI::App& app);

/// The command of this name; nullptr: there is none.
CLI::App* find_command(CLI::App& app, const std::string& name);

/// What is wrong with a command line that was refused: the words as the user wrote them, the
/// nearest option or command, what is missing. `words` is the command line without the program.
std::string usage_fault_in_words(CLI::App& app, const std::vector<std::string>& words,
                                 const CLI::ParseError& fault);

} // namespace tessera
