#include "engine/app/agreement.hpp"

#include "engine/app/version.hpp"
#include "engine/base/bit_hash.hpp"
#include "engine/base/byte_stream.hpp"
#include "engine/base/error.hpp"
#include "io/topology_hash.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace tessera
{

namespace
{

constexpr char ends_name = '\x1e', ends_value = '\x1f';

std::string joined(const Alike& lines)
{
    std::string out;
    for (const auto& [name, value] : lines) {
        out += name + ends_name + value + ends_value;
    }
    return out;
}

std::map<std::string, std::string> parted(const std::string& text)
{
    std::map<std::string, std::string> out;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t name = text.find(ends_name, begin), value = text.find(ends_value, name);
        out[text.substr(begin, name - begin)] = text.substr(name + 1, value - name - 1);
        begin = value + 1;
    }
    return out;
}

bool are_all(std::uint64_t mine, Transport& ranks)
{
    const auto word = static_cast<std::int64_t>(mine);
    std::array<std::int64_t, 2> largest{word, ~word}; // of the complements: the smallest's
    ranks.take_largest(largest);
    return largest[0] == ~largest[1];
}

/// The keys in which two ranks differ, each with both values.
std::string differences(const std::string& first, const std::string& other, std::size_t rank)
{
    constexpr int most = 8; // told one by one
    auto a = parted(first), b = parted(other);
    for (const auto& [name, value] : b) {
        a.try_emplace(name);
    }
    std::string out;
    int count = 0;
    for (const auto& [name, value] : a) {
        if (b[name] != value && ++count <= most) {
            out += fmt::format("\n  {}: {} on rank 0, {} on rank {}", name,
                               value.empty() ? "nothing" : value,
                               b[name].empty() ? "nothing" : b[name], rank);
        }
    }
    return count > most ? out + fmt::format("\n  and {} more", count - most) : out;
}

/// Of positions or velocities of all atoms: one number.
template <class Vectors>
std::string hash_in_words(const Vectors& values)
{
    BitHash hash;
    std::uint64_t number = 0;
    for (const auto& v : values) {
        hash.add(number++, {bits_of(v.x), bits_of(v.y), bits_of(v.z)});
    }
    return fmt::format("{:016x}", hash.value());
}

std::string cell_in_words(const Box& box)
{
    const Mat3& h = box.vectors();
    return box.is_periodic() ? fmt::format("{} {} {} / {} {} {} nm", h[0].x, h[1].y, h[2].z, h[1].x,
                                           h[2].x, h[2].y)
                             : "none";
}

} // namespace

void require_agreement(Transport& ranks, const Alike& mine)
{
    const std::string text = joined(mine);
    if (are_all(hash_of_numbers(std::vector<std::int64_t>(text.begin(), text.end())).value(),
                ranks)) {
        return;
    }
    const auto size = static_cast<std::size_t>(ranks.size());
    std::vector<Transport::Bytes> out(size);
    out[0] = bytes_of(text);
    const std::vector<Transport::Bytes> of_all = ranks.exchange(std::move(out));
    std::string fault;
    if (ranks.rank() == 0) {
        std::size_t other = 1;
        while (other + 1 < size && of_all[other] == of_all[0]) {
            ++other;
        }
        fault = fmt::format("the ranks were not started alike, but they share one run:{}\nStart "
                            "all of them with the same program, command, deck and files; "
                            "--threads alone may differ.",
                            differences(text, text_of(of_all[other]), other));
    }
    out.assign(size, bytes_of(fault));
    throw InputError(text_of(ranks.exchange(std::move(out))[0]));
}

bool asks_for_words(const std::vector<std::string>& words)
{
    return std::any_of(words.begin(), words.end(), [](const std::string& word) {
        return word == "-h" || word == "--help" || word == "--version" || word == "--list-keys";
    });
}

Alike told_by_command_line(const std::vector<std::string>& words)
{
    const std::string command = words.empty() ? std::string() : words[0];
    Alike out{{"the program", version_text()}};
    const bool is_shared = command == "run" || command == "energy" || command == "check";
    out.emplace_back("the command", is_shared && !asks_for_words(words)
                                        ? command
                                        : fmt::format("{}", fmt::join(words, " ")));
    return out;
}

Alike told_by_system(const Deck& deck, const Assembly& assembly)
{
    Alike out;
    for (const auto& [key, value] : deck.values) {
        if (key != "compute.threads") {
            out.emplace_back(key, value);
        }
    }
    const Coordinates& start = assembly.coordinates;
    out.emplace_back("hash of the topology", topology_hash(*assembly.topology));
    out.emplace_back("hash of the start's positions", hash_in_words(start.positions));
    out.emplace_back("hash of the start's velocities", hash_in_words(start.velocities));
    out.emplace_back("the start's cell", cell_in_words(assembly.box));
    return out;
}

Alike told_by_checkpoint(const State* state)
{
    if (state == nullptr) {
        return {{"the checkpoint", "none"}};
    }
    return {{"the checkpoint", fmt::format("of step {}", state->step)},
            {"hash of the checkpoint's positions", hash_in_words(state->position)},
            {"hash of the checkpoint's velocities", hash_in_words(state->velocity)},
            {"the checkpoint's cell", cell_in_words(state->box)}};
}

} // namespace tessera
