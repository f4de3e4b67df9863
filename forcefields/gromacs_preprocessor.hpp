#pragma once

#include "engine/base/diagnostic.hpp"

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tessera
{

/// Where a line came from: an index into GromacsText::file_names and a line counted from 1.
struct LineOrigin {
    std::int32_t file = 0;
    std::int32_t line = 0;
};

/// A logical line: comments and blanks at the ends removed, `\` joined, macros replaced. Never
/// empty.
struct GromacsLine {
    std::string text;
    LineOrigin origin;       ///< its first physical line
    bool leap_order = false; ///< _FF_AMBER_LEAP_ATOM_REORDERING is defined where it stands
};

/// A topology with its includes, read into lines that know where they stand.
struct GromacsText {
    std::vector<std::string> file_names;              ///< as written or found, for messages
    std::vector<std::vector<std::string>> file_lines; ///< the raw lines of each file
    std::vector<GromacsLine> lines;
    std::set<std::string> asked_for; ///< names that an #ifdef, an #ifndef or a line has used

    /// The place of a message. Where the raw line holds `token` as a whole word, it is underlined.
    [[nodiscard]] SourcePlace place(LineOrigin origin, std::string_view token = {}) const;
};

/// Blank-separated words of a line; they point into it.
std::vector<std::string_view> split_words(std::string_view line);

/// Reads a GROMACS topology through its preprocessor: #include "f" or <f>, #define, #undef, #ifdef,
/// #ifndef, #else, #endif; macros are whole words, may hold several words and refer to each other.
/// Files are looked for in the folder of the including file, then in `include` in order, then in
/// the folders of the environment variable GMXLIB. `defines` are "NAME" or "NAME=VALUE". gzip'ed
/// files are read as plain ones. Faults (missing include in a live branch, include cycle, #if,
/// unbalanced branches) go to `diagnostics`; throws FileError only when `path` itself is
/// unreadable.
GromacsText preprocess_gromacs(const std::filesystem::path& path,
                               const std::vector<std::filesystem::path>& include,
                               const std::vector<std::string>& defines, Diagnostics& diagnostics);

} // namespace tessera
