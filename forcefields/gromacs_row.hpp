#pragma once

#include "engine/base/diagnostic.hpp"
#include "forcefields/gromacs_preprocessor.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera
{

/// A data line of a topology, cut into words.
struct GromacsRow {
    LineOrigin origin;
    std::vector<std::string_view> words; ///< point into GromacsText
    bool leap_order = false;             ///< see GromacsLine

    [[nodiscard]] std::size_t size() const { return words.size(); }
    [[nodiscard]] std::string_view operator[](std::size_t k) const { return words[k]; }
};

/// The word as a whole number or as a finite number; empty where it is none.
std::optional<int> to_integer(std::string_view word);
std::optional<double> to_number(std::string_view word);

/// Lower case, without '-' and '_': how directive names and keywords are compared.
std::string normalized_name(std::string_view name);

/// Notes faults with the place of a row.
class GromacsReport {
public:
    GromacsReport(const GromacsText& text, Diagnostics& diagnostics)
        : text_(text), diagnostics_(diagnostics)
    {
    }
    [[nodiscard]] Diagnostic make(LineOrigin origin, std::string_view token, std::string what,
                                  std::string hint = {}) const
    {
        return {text_.place(origin, token), std::move(what), {}, std::move(hint)};
    }
    void error(LineOrigin origin, std::string_view token, std::string what,
               std::string hint = {}) const
    {
        diagnostics_.error(make(origin, token, std::move(what), std::move(hint)));
    }
    void error(const GromacsRow& row, std::string_view token, std::string what,
               std::string hint = {}) const
    {
        error(row.origin, token, std::move(what), std::move(hint));
    }
    void warning(const GromacsRow& row, std::string_view token, std::string what,
                 std::string hint = {}) const
    {
        diagnostics_.warning(make(row.origin, token, std::move(what), std::move(hint)));
    }
    void raise(Diagnostic fault) const { diagnostics_.error(std::move(fault)); }

    /// "file:line" for a second place within a message.
    [[nodiscard]] std::string where(LineOrigin origin) const;

    /// The numbers of words[first...]; empty (after an error) when one is no number.
    [[nodiscard]] std::optional<std::vector<double>> numbers(const GromacsRow& row,
                                                             std::size_t first) const;
    /// A whole number; empty after an error. `meaning`: "the function type".
    [[nodiscard]] std::optional<int> integer(const GromacsRow& row, std::size_t at,
                                             std::string_view meaning) const;
    [[nodiscard]] std::optional<double> number(const GromacsRow& row, std::size_t at,
                                               std::string_view meaning) const;

private:
    const GromacsText& text_;
    Diagnostics& diagnostics_;
};

} // namespace tessera
