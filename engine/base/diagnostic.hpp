#pragma once

#include "engine/base/error.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tessera
{

/// A place in a user's file. Line and column count from 1; 0 means "the file as a whole" / "the
/// line as a whole".
struct SourcePlace {
    std::string file;
    int line = 0;
    int column = 0;
    int width = 1;           ///< characters to underline
    std::string source_line; ///< the line's text, for the caret picture; empty: no picture
};

/// One fault in a user's input.
struct Diagnostic {
    SourcePlace place;
    std::string what;  ///< lower case, with values, units and the reason in brackets
    std::string caret; ///< short note behind the caret; may be empty
    std::string hint;  ///< what to do; may be empty

    /// The message as the user sees it (house style: place, what, picture, hint).
    [[nodiscard]] std::string text() const;
};

/// Collects the faults of one input, so that all of them are reported at once.
class Diagnostics {
public:
    void error(Diagnostic fault) { faults_.push_back(std::move(fault)); }
    void warning(Diagnostic fault) { warnings_.push_back(std::move(fault)); }
    [[nodiscard]] bool has_errors() const { return !faults_.empty(); }
    [[nodiscard]] const std::vector<Diagnostic>& errors() const { return faults_; }
    [[nodiscard]] const std::vector<Diagnostic>& warnings() const { return warnings_; }

    /// Throws InputError with the first 30 faults, and how many more there are; returns if none.
    void throw_if_any() const;

private:
    std::vector<Diagnostic> faults_;
    std::vector<Diagnostic> warnings_;
};

/// Throws an InputError for a single fault.
[[noreturn]] void fail(Diagnostic fault);

/// The known name nearest to `given` (edit distance at most a third of its length, at least 2;
/// small and capital letters count as the same); empty if none is near.
std::string nearest_name(std::string_view given, const std::vector<std::string>& known);

} // namespace tessera
