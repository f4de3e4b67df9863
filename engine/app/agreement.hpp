#pragma once

#include "engine/app/load.hpp"
#include "engine/backend/transport.hpp"
#include "engine/model/state.hpp"

#include <string>
#include <utility>
#include <vector>

namespace tessera
{

/// What all ranks of a run must have alike: names and values, in words.
using Alike = std::vector<std::pair<std::string, std::string>>;

/// All ranks call it together. Where any rank's differs from the first one's all throw the same
/// InputError, which names what differs with both values. One number a rank travels else.
void require_agreement(Transport& ranks, const Alike& mine);

/// Whether a command line asks for help, the version or the keys of a deck: it only prints.
bool asks_for_words(const std::vector<std::string>& words);

/// Of a command line before it is read: the program and the command, whose options are compared
/// by what they mean later; of commands that one rank carries out, every word.
Alike told_by_command_line(const std::vector<std::string>& words);

/// Of a deck and the files that it names: every key in use, and hashes of the system and of its
/// start. Threads are each rank's own.
Alike told_by_system(const Deck& deck, const Assembly& assembly);

/// Of a state that a run goes on from; null: the run starts anew.
Alike told_by_checkpoint(const State* state);

} // namespace tessera
