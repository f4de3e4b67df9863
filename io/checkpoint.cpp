#include "io/checkpoint.hpp"

#include "engine/base/text_file.hpp"
#include "io/content_hash.hpp"
#include "io/hdf5.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <unistd.h>

namespace tessera
{

namespace
{

constexpr int newest_format = 1;

/// Behind the HDF5 content, where HDF5 does not look: magic, length and hash of all before.
struct Trailer {
    std::array<char, 8> magic = {'T', 'E', 'S', 'S', 'E', 'R', 'A', 'C'};
    std::uint64_t length = 0;
    std::uint64_t hash = 0;
};
static_assert(sizeof(Trailer) == 24);

[[noreturn]] void fail_system(const std::string& path, const std::string& what)
{
    throw FileError(fmt::format("{}: cannot {} ({}). Check the folder, its permissions and the "
                                "free space",
                                path, what, std::strerror(errno)));
}

/// False: the cause is in errno.
bool write_all(int file, std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t count = ::write(file, bytes.data(), bytes.size());
        if (count == 0 || (count < 0 && errno != EINTR)) {
            return false;
        }
        bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(0, count)));
    }
    return true;
}

/// Writes content and trailer, and waits until all of it is on the disk.
void write_sealed(const std::string& path, std::string_view content,
                  const std::function<void(std::string_view)>& at)
{
    ContentHash hash;
    hash.add_bytes(content.data(), content.size());
    Trailer trailer;
    trailer.length = content.size();
    trailer.hash = hash.value();
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) {
        fail_system(path, "create the checkpoint");
    }
    const std::size_t half = content.size() / 2;
    bool is_good = write_all(file, content.substr(0, half));
    if (is_good) {
        at("half written");
    }
    is_good = is_good && write_all(file, content.substr(half)) &&
              write_all(file, {reinterpret_cast<const char*>(&trailer), sizeof trailer}) &&
              ::fsync(file) == 0;
    const int cause = errno;
    ::close(file);
    if (!is_good) {
        ::unlink(path.c_str());
        errno = cause;
        fail_system(path, "write the checkpoint");
    }
}

/// A message that another one goes on with.
std::string without_stop(std::string message)
{
    if (message.ends_with('.')) {
        message.pop_back();
    }
    return message;
}

void rename_file(const std::string& from, const std::string& to)
{
    if (std::rename(from.c_str(), to.c_str()) != 0) {
        fail_system(from, "rename it to " + to);
    }
}

/// Gives the file its second name, <path>.prev, while it keeps the first. Where the file system
/// knows no second names it is renamed: <path> is missing until the next one is put there.
void keep_as_previous(const std::string& path)
{
    if (!std::filesystem::exists(path)) {
        return;
    }
    const std::string previous = path + ".prev", passing = path + ".prev.tmp";
    ::unlink(passing.c_str());
    if (::link(path.c_str(), passing.c_str()) != 0) {
        rename_file(path, previous);
        return;
    }
    rename_file(passing, previous);
    ::unlink(passing.c_str()); // left where both were the same file already
}

void sync_folder(const std::string& path)
{
    const std::filesystem::path parent = std::filesystem::path(path).parent_path();
    const int folder =
        ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        ::fsync(folder); // some file systems cannot: the renames stand all the same
        ::close(folder);
    }
}

template <class Number>
void write_map(h5::File& file, const std::string& group,
               const std::map<std::string, std::vector<Number>>& arrays)
{
    file.create_group(group);
    std::vector<std::string> names;
    for (const auto& [name, values] : arrays) {
        file.write(fmt::format("{}/{}", group, names.size()), values);
        names.push_back(name);
    }
    file.write_texts(group + "/names", names);
}

template <class Number>
std::map<std::string, std::vector<Number>> read_map(const h5::File& file, const std::string& group)
{
    std::map<std::string, std::vector<Number>> out;
    const std::vector<std::string> names = file.read_texts(group + "/names");
    for (std::size_t i = 0; i < names.size(); ++i) {
        out[names[i]] = file.dataset(fmt::format("{}/{}", group, i)).template read<Number>();
    }
    return out;
}

void write_content(h5::File& file, const State& state, const Checkpoint& checkpoint)
{
    const hsize_t atoms = state.position.size();
    file.set_number("/", "format", newest_format);
    file.set_fixed_text("/", "program_version", checkpoint.program_version);
    file.set_fixed_text("/", "topology_hash", checkpoint.topology_hash);
    file.write_text("/deck", checkpoint.deck_text);

    static_assert(sizeof(GridPosition) == 3 * sizeof(std::int64_t));
    static_assert(sizeof(Vec3) == 3 * sizeof(double));
    file.create_group("/state");
    file.set_number("/state", "step", state.step);
    file.set_number("/state", "time", state.time);
    file.set_number("/state", "periodic", state.box.is_periodic() ? 1 : 0);
    file.set_number("/state", "velocities_half_step_behind",
                    state.velocities_half_step_behind ? 1 : 0);
    const Mat3 cell = state.box.is_periodic() ? state.box.vectors() : Mat3{};
    file.write("/state/box", std::span<const double>(&cell[0].x, 9), {3, 3});
    file.write("/state/position",
               std::span<const std::int64_t>(
                   reinterpret_cast<const std::int64_t*>(state.position.data()), 3 * atoms),
               {atoms, 3});
    file.write("/state/velocity",
               std::span<const double>(reinterpret_cast<const double*>(state.velocity.data()),
                                       3 * state.velocity.size()),
               {state.velocity.size(), 3});
    write_map(file, "/doubles", checkpoint.doubles);
    write_map(file, "/integers", checkpoint.integers);
}

State read_state(const h5::File& file)
{
    const auto number = [&](const std::string& name) {
        const std::vector<double> values = file.numbers("/state", name);
        return values.empty() ? 0.0 : values.front();
    };
    State state;
    const double step = number("step");
    if (!(std::abs(step) < 0x1p53)) { // exact below
        throw InputError(fmt::format("/state names step {}", step));
    }
    state.step = static_cast<std::int64_t>(step);
    state.time = number("time");
    state.velocities_half_step_behind = number("velocities_half_step_behind") != 0;
    const auto cell = file.dataset("/state/box").read<double>();
    if (number("periodic") != 0) {
        if (cell.size() != 9) {
            throw InputError(fmt::format("/state/box holds {} values instead of 9", cell.size()));
        }
        state.box = Box(Mat3{{{cell[0], cell[1], cell[2]},
                              {cell[3], cell[4], cell[5]},
                              {cell[6], cell[7], cell[8]}}});
    }
    const auto position = file.dataset("/state/position").read<std::int64_t>();
    const auto velocity = file.dataset("/state/velocity").read<double>();
    for (std::size_t i = 0; i + 2 < position.size(); i += 3) {
        state.position.push_back({position[i], position[i + 1], position[i + 2]});
    }
    for (std::size_t i = 0; i + 2 < velocity.size(); i += 3) {
        state.velocity.push_back({velocity[i], velocity[i + 1], velocity[i + 2]});
    }
    return state;
}

/// What stands before the trailer. Throws DamagedCheckpoint unless length and hash are those of the
/// trailer.
std::string sealed_content(const std::string& path)
{
    std::string content = read_file(path);
    Trailer trailer;
    const Trailer right;
    if (content.size() < sizeof trailer) {
        throw DamagedCheckpoint(path + ": is no complete checkpoint (too short)");
    }
    const std::size_t length = content.size() - sizeof trailer;
    std::memcpy(&trailer, content.data() + length, sizeof trailer);
    if (trailer.magic != right.magic || trailer.length != length) {
        throw DamagedCheckpoint(path + ": is no complete checkpoint (its end mark is missing: the "
                                       "file was cut short, or is another kind of file)");
    }
    ContentHash hash;
    hash.add_bytes(content.data(), length);
    if (hash.value() != trailer.hash) {
        throw DamagedCheckpoint(path + ": was altered (its checksum is wrong)");
    }
    content.resize(length);
    return content;
}

Checkpoint read_one(const std::string& path, const std::string& expected_topology_hash)
{
    const h5::File file = h5::File::open_image(path, sealed_content(path));
    const std::vector<double> format = file.numbers("/", "format");
    Checkpoint out;
    out.program_version = file.text("/", "program_version");
    out.topology_hash = file.text("/", "topology_hash");
    if (format.empty() || format.front() > newest_format) {
        throw InputError(fmt::format(
            "{}: the checkpoint was written by a newer program (version {}, format {}; this one "
            "reads up to format {}). Continue with that program.",
            path, out.program_version, format.empty() ? 0 : format.front(), newest_format));
    }
    if (!expected_topology_hash.empty() && out.topology_hash != expected_topology_hash) {
        throw InputError(fmt::format(
            "{}: the checkpoint is of another system (topology {} in the file, {} in the deck). "
            "Name the checkpoint of this system, or start without --continue.",
            path, out.topology_hash, expected_topology_hash));
    }
    out.deck_text = file.read_text("/deck");
    try {
        out.state = read_state(file);
    } catch (const InputError& fault) {
        throw DamagedCheckpoint(fmt::format("{}: its checksum fits, but {}", path, fault.what()));
    }
    out.doubles = read_map<double>(file, "/doubles");
    out.integers = read_map<std::int64_t>(file, "/integers");
    return out;
}

} // namespace

void write_checkpoint(const std::string& path, const Checkpoint& checkpoint,
                      const std::function<void(std::string_view)>& at)
{
    write_checkpoint(path, checkpoint.state, checkpoint, at);
}

void write_checkpoint(const std::string& path, const State& state, const Checkpoint& beside,
                      const std::function<void(std::string_view)>& at)
{
    const auto stage = [&](std::string_view name) {
        if (at) {
            at(name);
        }
    };
    const std::string aside = path + ".tmp";
    try {
        stage("begin");
        {
            // made in memory: HDF5 does not recover from a disk that is full
            h5::File file = h5::File::create_in_memory(aside);
            write_content(file, state, beside);
            write_sealed(aside, file.image(), stage);
        }
        stage("complete");
        keep_as_previous(path);
        stage("previous kept");
        rename_file(aside, path);
        sync_folder(path);
        stage("done");
    } catch (const FileError& fault) {
        throw FileError(fmt::format("{}; {}.", without_stop(fault.what()), what_stands(path)));
    }
}

std::string what_stands(const std::string& path)
{
    if (!has_checkpoint(path)) {
        return "there is no checkpoint yet: start the run anew";
    }
    try {
        const ReadCheckpoint found = read_checkpoint(path);
        return fmt::format("the checkpoint {} of step {} is intact, and --continue goes on from it",
                           found.path, found.checkpoint.state.step);
    } catch (const std::runtime_error&) {
        return fmt::format("the checkpoint {} cannot be read", path);
    }
}

ReadCheckpoint read_checkpoint(const std::string& path, const std::string& expected_topology_hash)
{
    const std::string previous = path + ".prev";
    std::string why = path + ": does not exist";
    bool may_be_sound = false; // but kept from being read
    const auto read = [&](const std::string& name) -> std::optional<Checkpoint> {
        try {
            return read_one(name, expected_topology_hash);
        } catch (const UnfitFile& fault) {
            why = (name == path ? "" : why + "; ") + without_stop(fault.what());
        } catch (const FileError& fault) {
            why = (name == path ? "" : why + "; ") + without_stop(fault.what());
            may_be_sound = true;
        }
        return std::nullopt;
    };
    if (std::filesystem::exists(path)) {
        if (auto whole = read(path)) {
            return {std::move(*whole), path, {}};
        }
    }
    const bool has_previous = std::filesystem::exists(previous);
    const std::string before = why;
    if (auto whole = has_previous ? read(previous) : std::nullopt) {
        const std::int64_t step = whole->state.step;
        return {std::move(*whole), previous,
                fmt::format("{}; the previous checkpoint {} (step {}) is used", before, previous,
                            step)};
    }
    const std::string told = has_previous ? why + ". Start without --continue."
                                          : why + ", and there is no previous one (" + previous +
                                                "). Check the name, or start without --continue.";
    if (may_be_sound) {
        throw FileError(told);
    }
    throw DamagedCheckpoint(told);
}

bool is_checkpoint(const std::string& path)
{
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    Trailer trailer;
    const Trailer right;
    const std::streamoff size = file ? static_cast<std::streamoff>(file.tellg()) : 0;
    const auto length = static_cast<std::streamoff>(sizeof trailer);
    return size > length && file.seekg(size - length) &&
           file.read(reinterpret_cast<char*>(&trailer), sizeof trailer) &&
           trailer.magic == right.magic;
}

Coordinates read_checkpoint_coordinates(const std::string& path)
{
    const State state = read_one(path, {}).state;
    Coordinates out;
    out.title = fmt::format("step {} of {}", state.step, path);
    for (const GridPosition& x : state.position) {
        out.positions.push_back(to_nm(x));
    }
    out.velocities = state.velocity;
    out.box = state.box;
    out.time = state.time;
    out.step = state.step;
    return out;
}

bool has_checkpoint(const std::string& path)
{
    return std::filesystem::exists(path) || std::filesystem::exists(path + ".prev");
}

} // namespace tessera
