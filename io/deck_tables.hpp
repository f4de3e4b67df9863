#pragma once

#include "io/deck.hpp"
#include "io/deck_values.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tessera
{

/// Beyond about 2^53 steps a time in doubles no longer tells one step from the next.
constexpr double most_steps = 9e15;

/// What the readers of the deck's tables share: faults with their places, and numbers that must lie
/// in a range.
class DeckTables {
public:
    DeckTables(const DeckValues& values, Deck& deck, Diagnostics& diagnostics)
        : values_(values), deck_(deck), diagnostics_(diagnostics)
    {
    }

protected:
    void fault(const std::string& path, std::string what, std::string caret, std::string hint);
    void warn(const std::string& path, std::string what, std::string hint);
    void contradiction(const std::string& first, const std::string& second);
    /// Notes why a key changes nothing in this run; the first reason stays.
    void idle(const std::string& path, const std::string& why) { deck_.idle.emplace(path, why); }
    /// The same, and warns where the key is given in vain.
    void without_effect(const std::string& path, const std::string& why);
    /// "run.steps (deck.toml:7)"
    [[nodiscard]] std::string with_place(const std::string& path) const;

    [[nodiscard]] std::string text_of(const std::string& path) const;
    /// A hint: the default, or a value of the right kind where there is none.
    [[nodiscard]] static std::string usual_value(const std::string& path);
    /// A number that must be above zero; faults otherwise.
    std::optional<double> positive(const std::string& path);
    void set_positive(double& target, const std::string& path);
    void set_tolerance(double& target, const std::string& path);
    /// 0 K or more.
    void set_temperature(double& target, const std::string& path);
    /// A time as a number of steps: whole, at least one. Needs timestep_.
    std::optional<std::int64_t> in_steps(const std::string& path);
    [[nodiscard]] std::int64_t count(const std::string& path, std::int64_t fallback) const;
    [[nodiscard]] std::filesystem::path beside_deck(const std::string& name) const;
    /// Keys of a table whose kind is "none": an oversight if nobody said "none", else only idle.
    void idle_table(const std::string& table);

    const DeckValues& values_;
    Deck& deck_;
    Diagnostics& diagnostics_;
    std::optional<double> timestep_;
};

/// Tables [system], [nonbonded], [pme].
void read_force_tables(const DeckValues& values, Deck& deck, Diagnostics& diagnostics);
/// Tables [run], [thermostat], [barostat], [output], [compute]; after read_force_tables().
void read_motion_tables(const DeckValues& values, Deck& deck, Diagnostics& diagnostics);

} // namespace tessera
