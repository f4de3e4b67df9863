#include "engine/app/run_files.hpp"

#include "engine/app/file_lock.hpp"
#include "engine/base/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <set>
#include <unistd.h>

namespace tessera
{

namespace fs = std::filesystem;

namespace
{

/// The three files a user names, in the order in which they are put aside.
std::vector<NamedFile> named_outputs(const Deck& deck)
{
    std::vector<NamedFile> out;
    const auto add = [&](const char* key, const std::optional<fs::path>& file) {
        if (file) {
            out.push_back({key, *file});
        }
    };
    add("output.checkpoint", deck.output.checkpoint);
    add("output.trajectory", deck.output.trajectory);
    add("output.log", deck.output.log);
    return out;
}

fs::path with_ending(const fs::path& file, const char* ending)
{
    return file.string() + ending;
}

/// traj.h5md -> traj.1.h5md
fs::path numbered(const fs::path& file, int number)
{
    return file.parent_path() /
           fmt::format("{}.{}{}", file.stem().string(), number, file.extension().string());
}

bool same_file(const fs::path& a, const fs::path& b)
{
    std::error_code ignored;
    return fs::equivalent(a, b, ignored);
}

} // namespace

std::vector<NamedFile> files_read(const Deck& deck)
{
    std::vector<NamedFile> out = {{"the deck", deck.file},
                                  {"system.coordinates", deck.system.coordinates}};
    if (deck.system.restraint_reference) {
        out.push_back({"system.restraint_reference", *deck.system.restraint_reference});
    }
    for (const fs::path& file : topology_files(deck)) {
        out.push_back({same_file(file, deck.system.topology) ? "system.topology"
                                                             : "an include of system.topology",
                       file});
    }
    return out;
}

std::vector<NamedFile> files_written(const Deck& deck)
{
    std::vector<NamedFile> out = named_outputs(deck);
    for (const NamedFile& file : named_outputs(deck)) {
        out.push_back({file.by, with_ending(file.path, ".lock")});
    }
    if (deck.output.checkpoint) {
        for (const char* ending : {".prev", ".tmp"}) {
            out.push_back({"output.checkpoint", with_ending(*deck.output.checkpoint, ending)});
        }
    }
    if (deck.output.trajectory) {
        out.push_back({"output.trajectory", with_ending(*deck.output.trajectory, ".new")});
    }
    return out;
}

void refuse_to_overwrite(const Deck& deck, const std::vector<NamedFile>& written,
                         const std::vector<NamedFile>& read, Diagnostics& diagnostics)
{
    for (const NamedFile& to : written) {
        for (const NamedFile& from : read) {
            if (same_file(to.path, from.path)) {
                diagnostics.error(
                    {deck.place_of(to.by),
                     fmt::format("{} would overwrite {} ({} and {} are one file)", to.by, from.by,
                                 to.path.string(), from.path.string()),
                     "the file of " + from.by, "write to another file"});
            }
        }
    }
}

std::vector<NamedFile> files_of(const Deck& deck)
{
    std::vector<NamedFile> out = files_read(deck);
    for (NamedFile& file : files_written(deck)) {
        out.push_back(std::move(file));
    }
    return out;
}

namespace
{

/// An output that bears the passing name of another, as state.h5.tmp beside state.h5.
void refuse_clashes(const Deck& deck, Diagnostics& diagnostics)
{
    const std::vector<NamedFile> outputs = named_outputs(deck);
    const std::vector<NamedFile> all = files_written(deck);
    for (const NamedFile& output : outputs) {
        for (std::size_t k = outputs.size(); k < all.size(); ++k) {
            std::error_code fault; // such as too long a name, which is told elsewhere
            const fs::path one = fs::weakly_canonical(output.path, fault);
            if (fault || one != fs::weakly_canonical(all[k].path, fault)) {
                continue;
            }
            diagnostics.error({deck.place_of(output.by),
                               fmt::format("{} = {} is a name that {} needs beside its own file",
                                           output.by, output.path.string(), all[k].by),
                               "", "choose another name"});
        }
    }
}

} // namespace

void refuse_to_overwrite_inputs(const Deck& deck, Diagnostics& diagnostics)
{
    refuse_clashes(deck, diagnostics);
    std::vector<NamedFile> existing;
    for (NamedFile& file : files_written(deck)) {
        std::error_code ignored;
        if (fs::exists(file.path, ignored)) {
            existing.push_back(std::move(file));
        }
    }
    if (!existing.empty()) { // else the includes need not be looked for
        refuse_to_overwrite(deck, existing, files_read(deck), diagnostics);
    }
}

namespace
{

/// Why a file cannot be made, and what to do; empty: nothing is in its way.
struct Obstacle {
    std::string why, hint;
};

/// In the way of any file: a folder of its name, a missing or closed folder, too long a name. A
/// file that others come and go beside needs its folder even where it exists.
enum class Company : unsigned char { alone, with_others };
Obstacle obstacle_to(const fs::path& file, Company company)
{
    const fs::path parent = file.parent_path();
    const fs::path folder = parent.empty() ? "." : parent;
    std::error_code ignored;
    if (fs::is_directory(file, ignored)) {
        return {"it is a folder", "name a file"};
    }
    if (!fs::is_directory(folder, ignored)) {
        return {fmt::format("the folder {} does not exist", folder.string()),
                "make the folder, or name another one"};
    }
    if ((company == Company::with_others || !fs::exists(file, ignored)) &&
        access(folder.c_str(), W_OK | X_OK) != 0) {
        return {fmt::format("the folder {} may not be written to", folder.string()),
                "change its permissions, or name another one"};
    }
    const long longest = pathconf(folder.c_str(), _PC_NAME_MAX);
    if (longest > 0 && file.filename().native().size() > static_cast<std::size_t>(longest)) {
        return {
            fmt::format("its name is longer than {} bytes, the most this disk can take", longest),
            "choose a shorter name"};
    }
    return {};
}

} // namespace

void refuse_held(const std::vector<NamedFile>& written)
{
    for (const NamedFile& file : written) {
        if (const std::string holder = FileLock::holder_of(file.path); !holder.empty()) {
            throw EnvironmentError(fmt::format("{}: {} is in use by {} (it writes this file). Wait "
                                               "until that run ends, or write to another file.",
                                               file.by, file.path.string(), holder));
        }
    }
}

void refuse_unwritable(const std::vector<NamedFile>& written)
{
    for (const NamedFile& file : written) {
        const Obstacle found = obstacle_to(file.path, Company::alone);
        if (!found.why.empty()) {
            throw FileError(fmt::format("{}: {} cannot be written ({})\n hint: {}", file.by,
                                        file.path.string(), found.why, found.hint));
        }
    }
}

std::vector<Diagnostic> unwritable_outputs(const Deck& deck)
{
    std::vector<Diagnostic> out;
    std::set<std::string> told; // a key's first fault: its passing files share folder and fate
    std::map<std::string, fs::path> own; // the file that the user has named comes first
    for (const NamedFile& file : files_written(deck)) {
        own.emplace(file.by, file.path);
        const bool is_log = file.by == "output.log"; // opened where it is, never renamed
        std::error_code ignored;
        Obstacle found = is_log && fs::is_character_file(file.path, ignored)
                             ? Obstacle()
                             : obstacle_to(file.path, Company::with_others);
        if (!is_log && fs::is_other(file.path, ignored)) {
            found = {"it is a device, pipe or socket, and a file would take its place",
                     "name a file, or write \"none\" for none"};
        } else if (is_log &&
                   (fs::is_fifo(file.path, ignored) || fs::is_socket(file.path, ignored))) {
            found = {"it is a pipe or socket, and without a reader the run would wait for ever",
                     "name a file, or write \"none\" for none"};
        }
        if (!found.why.empty() && told.insert(file.by).second) {
            const fs::path& named = own.at(file.by);
            out.push_back({deck.place_of(file.by),
                           fmt::format("{}: {} cannot be written ({}{})", file.by, named.string(),
                                       named == file.path ? std::string()
                                                          : file.path.filename().string() +
                                                                ", which a run needs beside it: ",
                                       found.why),
                           "", found.hint});
        }
    }
    return out;
}

bool ends_a_line(const fs::path& file)
{
    std::ifstream in(file, std::ios::binary | std::ios::ate);
    return !in || in.tellg() <= 0 || (in.seekg(-1, std::ios::end) && in.get() == '\n');
}

bool writes_at(const OutputDeck& output, std::int64_t step)
{
    const auto every = {output.every, output.energies_every, output.velocities_every,
                        output.forces_every, output.hash_every};
    return std::any_of(every.begin(), every.end(),
                       [step](std::int64_t k) { return k > 0 && step % k == 0; });
}

std::string keep_earlier_run(const Deck& deck)
{
    std::vector<fs::path> old;
    std::vector<fs::path> all;
    for (const NamedFile& file : named_outputs(deck)) {
        all.push_back(file.path);
    }
    const bool has_previous = deck.output.checkpoint.has_value();
    for (const fs::path& file : all) {
        // a device such as /dev/null keeps nothing
        std::error_code ignored;
        if (fs::is_regular_file(file, ignored)) {
            old.push_back(file);
        }
    }
    const fs::path previous =
        has_previous ? with_ending(*deck.output.checkpoint, ".prev") : fs::path();
    std::error_code ignored;
    const bool keep_previous = has_previous && fs::is_regular_file(previous, ignored);
    if (old.empty() && !keep_previous) {
        return "";
    }
    const auto aside_of = [&](const fs::path& file, int number) {
        return file == previous ? with_ending(numbered(*deck.output.checkpoint, number), ".prev")
                                : numbered(file, number);
    };
    if (keep_previous) {
        old.insert(old.begin(), previous);
    }
    int number = 1; // one for all files of a run
    const auto taken = [&] {
        for (const fs::path& file : old) {
            if (fs::exists(fs::symlink_status(aside_of(file, number), ignored))) {
                return true;
            }
        }
        return false;
    };
    while (taken()) {
        ++number;
    }
    std::string line;
    for (const fs::path& file : old) {
        const fs::path aside = aside_of(file, number);
        std::error_code fault;
        fs::rename(file, aside, fault);
        if (fault) {
            throw FileError(fmt::format("{}: cannot be renamed to {} ({}). Check the folder and "
                                        "its permissions, or name other files under [output].",
                                        file.string(), aside.string(), fault.message()));
        }
        line += fmt::format("{}{} as {}", line.empty() ? "" : ", ", file.filename().string(),
                            aside.filename().string());
    }
    return "kept of an earlier run: " + line + "\n";
}

} // namespace tessera
