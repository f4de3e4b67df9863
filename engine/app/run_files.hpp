#pragma once

#include "engine/app/assemble.hpp"

namespace tessera
{

/// A file, and what names it: a key of the deck, an option, or words.
struct NamedFile {
    std::string by;
    std::filesystem::path path;
};

/// What a command reads for this deck: the deck, the topology with all it includes, coordinates,
/// the reference of restraints.
std::vector<NamedFile> files_read(const Deck& deck);

/// What a run of this deck writes: trajectory, log, checkpoint, and their passing names.
std::vector<NamedFile> files_written(const Deck& deck);

/// Both: what no other output of a command may be.
std::vector<NamedFile> files_of(const Deck& deck);

/// Every file of `written` that is one of `read`, by the file system's own identity (links
/// followed), as a fault. Files that do not exist yet overwrite nothing.
void refuse_to_overwrite(const Deck& deck, const std::vector<NamedFile>& written,
                         const std::vector<NamedFile>& read, Diagnostics& diagnostics);

/// The same for the outputs of a run; and an output that another needs the name of.
void refuse_to_overwrite_inputs(const Deck& deck, Diagnostics& diagnostics);

/// Throws EnvironmentError where a live run holds one of them.
void refuse_held(const std::vector<NamedFile>& written);

/// Throws FileError where one of them cannot be made, as far as that can be told before it is: what
/// a command computes first would be lost.
void refuse_unwritable(const std::vector<NamedFile>& written);

/// A line for every output of a run whose folder is missing or may not be written to.
std::vector<Diagnostic> unwritable_outputs(const Deck& deck);

/// Whether the file's last line is whole. Not so where a disk was full in the midst of a row.
bool ends_a_line(const std::filesystem::path& file);

/// Whether trajectory or log get something at this step.
bool writes_at(const OutputDeck& output, std::int64_t step);

/// Gives trajectory, log and checkpoint of an earlier run numbered names (traj.1.h5md), the
/// checkpoint first: at no moment does a checkpoint stand beside another run's trajectory. Returns
/// a line that says so; empty where there was nothing. Throws FileError.
std::string keep_earlier_run(const Deck& deck);

} // namespace tessera
