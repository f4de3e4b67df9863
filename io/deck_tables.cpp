#include "io/deck_tables.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tessera
{

namespace fs = std::filesystem;

void DeckTables::fault(const std::string& path, std::string what, std::string caret,
                       std::string hint)
{
    diagnostics_.error(
        {values_.value_place(path), std::move(what), std::move(caret), std::move(hint)});
}

void DeckTables::warn(const std::string& path, std::string what, std::string hint)
{
    diagnostics_.warning({values_.value_place(path), std::move(what), "", std::move(hint)});
}

std::string DeckTables::with_place(const std::string& path) const
{
    const SourcePlace place = values_.key_place(path);
    return place.line > 0 ? fmt::format("{} ({}:{})", path, place.file, place.line)
                          : fmt::format("{} ({})", path, place.file);
}

void DeckTables::contradiction(const std::string& first, const std::string& second)
{
    diagnostics_.error(
        {values_.key_place(second),
         fmt::format("{} contradicts {} (both set the same thing)", second, with_place(first)),
         "one of the two too many", "remove one of them"});
}

void DeckTables::without_effect(const std::string& path, const std::string& why)
{
    idle(path, why);
    if (values_.given(path)) {
        warn(path, fmt::format("{} has no effect ({})", path, why), "remove it");
    }
}

std::string DeckTables::text_of(const std::string& path) const
{
    const DeckValue* value = values_.find(path);
    return value == nullptr ? std::string() : value->text;
}

std::string DeckTables::usual_value(const std::string& path)
{
    const DeckKey& key = *find_deck_key(path);
    const std::string_view usual = key.default_value;
    const bool says_nothing = usual.empty() || usual == "\"none\"" || usual == "false";
    const std::string words = choices_in_words(key, true);
    return (says_nothing ? fmt::format("write {}", example_of(key.dimension))
                         : fmt::format("the default is {}", usual)) +
           (words.empty() ? "" : "; or " + words);
}

std::optional<double> DeckTables::positive(const std::string& path)
{
    const std::optional<double> value = values_.get<double>(path);
    if (value && !(*value > 0)) {
        fault(path, fmt::format("{} = {} is not above zero", path, text_of(path)),
              "must be above zero", usual_value(path));
        return std::nullopt;
    }
    return value;
}

void DeckTables::set_positive(double& target, const std::string& path)
{
    target = positive(path).value_or(target);
}

void DeckTables::set_tolerance(double& target, const std::string& path)
{
    const std::optional<double> value = values_.get<double>(path);
    if (!value) {
        return;
    }
    if (!(*value > 0 && *value < 1)) {
        fault(path, fmt::format("{} = {} is out of range (between 0 and 1)", path, *value),
              "between 0 and 1",
              fmt::format("the default is {}", find_deck_key(path)->default_value));
        return;
    }
    target = *value;
}

std::optional<std::int64_t> DeckTables::in_steps(const std::string& path)
{
    const std::optional<double> time = positive(path);
    if (!time || !timestep_) {
        return std::nullopt;
    }
    const double steps = *time / *timestep_;
    const double whole = std::round(steps);
    if (!(whole < most_steps)) {
        fault(path, fmt::format("{} = {} is too many steps ({:.3g})", path, text_of(path), steps),
              "too long", usual_value(path));
        return std::nullopt;
    }
    // a default is a suggestion: it follows the step, whatever that is
    if (!values_.given(path)) {
        return std::max<std::int64_t>(1, static_cast<std::int64_t>(whole));
    }
    if (whole < 1 || std::fabs(steps - whole) > 1e-9 * std::max(1.0, whole)) {
        fault(path,
              fmt::format("{} = {} is not a whole number of steps ({:.6g} steps of {} ps)", path,
                          text_of(path), steps, *timestep_),
              "not a whole number of steps",
              fmt::format("choose a multiple of run.timestep, such as \"{:.9g} ps\"",
                          std::max(1.0, whole) * *timestep_));
        return std::nullopt;
    }
    return static_cast<std::int64_t>(whole);
}

std::int64_t DeckTables::count(const std::string& path, std::int64_t fallback) const
{
    return values_.get<std::int64_t>(path).value_or(fallback);
}

fs::path DeckTables::beside_deck(const std::string& name) const
{
    const fs::path path(name);
    return (path.is_absolute() ? path : deck_.file.parent_path() / path).lexically_normal();
}

void DeckTables::set_temperature(double& target, const std::string& path)
{
    const auto value = values_.get<double>(path);
    if (value && *value < 0) {
        fault(path, fmt::format("{} = {} is below zero", path, text_of(path)), "0 K or more",
              usual_value(path));
        return;
    }
    target = value.value_or(target);
}

void DeckTables::idle_table(const std::string& table)
{
    const std::string kind = table + ".kind";
    if (values_.word(kind).empty()) {
        return; // at fault already
    }
    std::string given, first; // one line for all: a table is often switched off for a while
    for (const DeckKey& key : deck_keys()) {
        const std::string path(key.path);
        if (path == kind || path.rfind(table + ".", 0) != 0) {
            continue;
        }
        idle(path, fmt::format("there is no {}", table));
        if (!values_.given(path)) {
            continue;
        }
        if (values_.given(kind)) {
            first = first.empty() ? path : first;
            given += (given.empty() ? "" : ", ") + path;
        } else {
            fault(path, fmt::format("{} is given without {} (there is no {})", path, kind, table),
                  "",
                  fmt::format("add kind = \"{}\" under [{}], or remove {}",
                              table == "thermostat" ? "v-rescale" : "c-rescale", table,
                              path.substr(table.size() + 1)));
        }
    }
    if (!given.empty()) {
        warn(first,
             fmt::format("{} {} no effect ({} = \"none\")", given, given == first ? "has" : "have",
                         kind),
             "remove what is not needed");
    }
}

} // namespace tessera
