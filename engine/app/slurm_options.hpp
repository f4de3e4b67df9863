#pragma once

#include "engine/app/commands/commands.hpp"

#include <CLI/CLI.hpp>

namespace tessera
{

/// Adds what `tessera slurm` takes beside the deck.
void take_slurm_options(CLI::App& command, SlurmOptions& options);

} // namespace tessera
