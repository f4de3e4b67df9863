#pragma once

#include "engine/base/diagnostic.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tessera
{

/// The sections of an Amber parameter file (prmtop, parm7), cut at its %FLAG lines and read by the
/// width that their %FORMAT states: values may touch and names may hold blanks, so nothing is ever
/// split at blanks. Order is free, unknown sections are kept unread, %COMMENT may stand anywhere.
/// Numbers are as the file has them (Amber units).
///
/// Faults go to the Diagnostics given; a faulty section then reads as zeros of the length asked
/// for, so that reading can go on and all faults are told at once.
class AmberSections {
public:
    /// Reads the file; gzip'ed ones are unpacked. Throws FileError when it cannot be read and
    /// InputError when it has no %FLAG at all.
    AmberSections(const std::filesystem::path& path, Diagnostics& faults);

    [[nodiscard]] bool has(std::string_view flag) const;
    [[nodiscard]] const std::string& file() const { return file_; }
    /// The size of the text. No section can hold more values than that: a bound for counts that
    /// lie.
    [[nodiscard]] std::int64_t characters() const { return characters_; }

    /// The values of a section that must hold `count` of them; `why` says where that number comes
    /// from ("POINTERS NATOM").
    std::vector<std::int64_t> integers(std::string_view flag, std::size_t count,
                                       std::string_view why);
    std::vector<double> reals(std::string_view flag, std::size_t count, std::string_view why);
    /// Words of fixed width, their trailing blanks dropped.
    std::vector<std::string> words(std::string_view flag, std::size_t count, std::string_view why);

    /// The values of a section of any length; empty where the section is absent.
    std::vector<std::int64_t> integers(std::string_view flag);
    std::vector<double> reals(std::string_view flag);
    /// The lines of a section as one text, blanks at both ends dropped; empty where absent.
    [[nodiscard]] std::string text(std::string_view flag) const;

    /// Notes a fault of the section: of value number `index` (from 0), or of the section as a whole
    /// (index < 0).
    void error(std::string_view flag, std::int64_t index, std::string what, std::string hint);

private:
    struct Section {
        int flag_line = 0;     ///< of %FLAG, from 1
        std::size_t begin = 0; ///< data lines: [begin, end) of lines_
        std::size_t end = 0;
        int per_line = 0; ///< fields a line; 0: the format is not a plain one
        int width = 0;
        char letter = 'a'; ///< a, i, e, f of the format, lower case
        std::string format;
        int format_line = 0;
    };
    struct Piece {
        std::string_view text;
        std::size_t line;
        std::size_t column;
    };

    const Section* find(std::string_view flag) const;
    /// Cuts the section into fields; `count` < 0: as many as there are.
    std::vector<Piece> pieces(const Section& section, std::string_view flag, std::int64_t count,
                              std::string_view why);
    void error_at(std::string_view flag, const Piece& piece, std::string what, std::string hint);
    std::int64_t to_integer(std::string_view flag, const Piece& piece);
    double to_real(std::string_view flag, const Piece& piece);
    const Section* required(std::string_view flag, std::string_view why, std::size_t count);
    template <class Value, class Convert>
    std::vector<Value> values(std::string_view flag, std::int64_t count, std::string_view why,
                              Convert convert);

    std::string file_;
    std::vector<std::string> lines_;
    std::int64_t characters_ = 0;
    std::map<std::string, Section, std::less<>> sections_;
    Diagnostics& faults_;
};

} // namespace tessera
