#include "forcefields/gromacs_preprocessor.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text_file.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <optional>
#include <unordered_map>

namespace tessera
{

namespace
{

namespace fs = std::filesystem;

constexpr std::size_t most_files = 10000;       ///< of one topology, repeats counted
constexpr std::size_t longest_line = 1U << 20U; ///< with its macros replaced, bytes

const std::string leap_macro = "_FF_AMBER_LEAP_ATOM_REORDERING";
constexpr std::string_view blanks = " \t\r\f\v";

std::string_view trimmed(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string_view without_comment(std::string_view text)
{
    return trimmed(text.substr(0, text.find(';')));
}

/// First word and the rest.
std::pair<std::string_view, std::string_view> cut_word(std::string_view text)
{
    const std::size_t end = text.find_first_of(blanks);
    if (end == std::string_view::npos) {
        return {text, {}};
    }
    return {text.substr(0, end), trimmed(text.substr(end))};
}

struct Branch {
    LineOrigin opened;
    bool live;        ///< lines of the current side are read
    bool parent_live; ///< lines around the branch are read
    bool else_seen = false;
};

class Preprocessor {
public:
    Preprocessor(const std::vector<fs::path>& include, const std::vector<std::string>& defines,
                 Diagnostics& diagnostics)
        : include_(include), diagnostics_(diagnostics)
    {
        for (const std::string& define : defines) {
            const std::size_t equal = define.find('=');
            macros_[define.substr(0, equal)] =
                equal == std::string::npos
                    ? std::string()
                    : std::string(trimmed(std::string_view(define).substr(equal + 1)));
        }
        leap_order_ = macros_.contains(leap_macro);
        if (const char* folders = std::getenv("GMXLIB"); folders != nullptr) {
            std::string_view rest = folders;
            while (!rest.empty()) {
                const std::size_t end = rest.find(':');
                if (const std::string_view one = rest.substr(0, end); !one.empty()) {
                    include_.emplace_back(one);
                }
                rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
            }
        }
    }

    void read(const fs::path& path)
    {
        const auto file = static_cast<std::int32_t>(text_.file_names.size());
        text_.file_names.push_back(path.string());
        text_.file_lines.push_back(split_lines(read_text(path)));
        open_.push_back(canonical(path));
        const std::size_t depth = branches_.size();

        // a copy is avoided: file_lines may grow (and move) while an include is read
        const auto count = static_cast<std::int32_t>(text_.file_lines.back().size());
        for (std::int32_t n = 0; n < count; ++n) {
            const LineOrigin origin{file, n + 1};
            const std::string_view first = without_comment(raw(file, n));
            if (!first.empty() && first.front() == '#') {
                directive(origin, trimmed(first.substr(1)), path, depth);
                continue;
            }
            if (first.empty()) {
                continue;
            }
            std::string joined(first);
            while (!joined.empty() && joined.back() == '\\' && n + 1 < count) {
                joined.pop_back();
                joined += ' ';
                joined += without_comment(raw(file, ++n));
            }
            if (!joined.empty() && joined.back() == '\\') {
                joined.pop_back();
            }
            if (live()) {
                add_line(joined, origin);
            }
        }
        while (branches_.size() > depth) {
            report(branches_.back().opened, "#",
                   "this branch is never closed (the file ends before its #endif)",
                   "add the missing #endif");
            branches_.pop_back();
        }
        open_.pop_back();
    }

    GromacsText take() { return std::move(text_); }

private:
    static std::string canonical(const fs::path& path)
    {
        std::error_code ignored;
        const fs::path real = fs::weakly_canonical(path, ignored);
        return ignored ? path.string() : real.string();
    }
    [[nodiscard]] std::string_view raw(std::int32_t file, std::int32_t n) const
    {
        return text_.file_lines[static_cast<std::size_t>(file)][static_cast<std::size_t>(n)];
    }
    [[nodiscard]] bool live() const { return branches_.empty() || branches_.back().live; }

    void report(LineOrigin origin, std::string_view token, std::string what, std::string hint = {})
    {
        diagnostics_.error({text_.place(origin, token), std::move(what), {}, std::move(hint)});
    }

    void directive(LineOrigin origin, std::string_view text, const fs::path& path,
                   std::size_t depth)
    {
        const auto [word, rest] = cut_word(text);
        if (word == "ifdef" || word == "ifndef") {
            const auto [name, more] = cut_word(rest);
            if (name.empty()) {
                report(origin, word, fmt::format("#{} needs a name", word));
            }
            const bool defined = macros_.contains(std::string(name));
            text_.asked_for.emplace(name);
            branches_.push_back({origin, live() && defined == (word == "ifdef"), live()});
        } else if (word == "else" || word == "endif") {
            if (branches_.size() <= depth) {
                report(origin, word,
                       fmt::format("#{} without #ifdef or #ifndef in this file", word));
            } else if (word == "endif") {
                branches_.pop_back();
            } else if (Branch& branch = branches_.back(); branch.else_seen) {
                report(origin, word, "a second #else in one branch",
                       fmt::format("the branch opens at line {}", branch.opened.line));
            } else {
                branch.else_seen = true;
                branch.live = branch.parent_live && !branch.live;
            }
        } else if (word == "if" || word == "elif") {
            report(origin, word,
                   fmt::format("#{} is not supported (GROMACS topologies know #ifdef, #ifndef and "
                               "#else only)",
                               word),
                   "write it with #ifdef and #ifndef");
            if (word == "if") {
                branches_.push_back({origin, false, live()});
            }
        } else if (!live()) {
            return;
        } else if (word == "define") {
            const auto [name, value] = cut_word(rest);
            if (name.empty()) {
                report(origin, word, "#define needs a name");
            } else if (name.find('(') != std::string_view::npos) {
                report(origin, name, "macros with arguments are not supported",
                       "write the values out");
            } else {
                macros_[std::string(name)] = std::string(value);
                leap_order_ = macros_.contains(leap_macro);
            }
        } else if (word == "undef") {
            macros_.erase(std::string(cut_word(rest).first));
            leap_order_ = macros_.contains(leap_macro);
        } else if (word == "include") {
            include_file(origin, rest, path);
        } else {
            report(origin, word,
                   fmt::format("unknown preprocessor directive \"#{}\" (known: #include, #define, "
                               "#undef, #ifdef, #ifndef, #else, #endif)",
                               word));
        }
    }

    void include_file(LineOrigin origin, std::string_view rest, const fs::path& path)
    {
        const char close = rest.empty() ? '\0' : (rest.front() == '<' ? '>' : rest.front());
        const std::size_t end =
            close == '"' || close == '>' ? rest.find(close, 1) : std::string_view::npos;
        if (end == std::string_view::npos || end < 2) {
            report(origin, "include", "#include needs a file name in \"\" or <>");
            return;
        }
        const std::string_view name = rest.substr(1, end - 1);
        const std::optional<fs::path> found = find(name, path);
        if (!found) {
            std::error_code ignored;
            const fs::path beside = fs::path(path).parent_path() / fs::path(name);
            if (fs::is_directory(beside, ignored)) {
                report(origin, rest.substr(0, end + 1),
                       fmt::format("\"{}\" cannot be included (it is a folder)", name),
                       "name a file in it");
                return;
            }
            std::string folders = fs::path(path).parent_path().string();
            folders = folders.empty() ? "." : folders;
            for (const fs::path& folder : include_) {
                folders += ", " + folder.string();
            }
            report(origin, rest.substr(0, end + 1),
                   fmt::format("include file \"{}\" is not found (looked in {})", name, folders),
                   "add its folder to system.include, or set GMXLIB");
            return;
        }
        if (text_.file_names.size() >= most_files) {
            if (!has_too_many_files_) {
                has_too_many_files_ = true; // told once
                report(origin, rest.substr(0, end + 1),
                       fmt::format("more than {} files are included (files that include each other "
                                   "twice double at every level)",
                                   most_files),
                       "guard each file by #ifndef, #define and #endif");
            }
            return;
        }
        const std::string real = canonical(*found);
        for (const std::string& open : open_) {
            if (open == real) {
                report(
                    origin, rest.substr(0, end + 1),
                    fmt::format("\"{}\" includes itself (directly or through another file)", name),
                    "remove one of the #include lines of the circle");
                return;
            }
        }
        try {
            read(*found);
        } catch (const InputError& fault) {
            report(origin, rest.substr(0, end + 1),
                   fmt::format("include file cannot be read: {}", fault.what()));
        }
    }

    [[nodiscard]] std::optional<fs::path> find(std::string_view name, const fs::path& from) const
    {
        std::error_code ignored;
        const fs::path wanted(name);
        if (wanted.is_absolute()) {
            return fs::is_regular_file(wanted, ignored) ? std::optional(wanted) : std::nullopt;
        }
        if (fs::path beside = from.parent_path() / wanted; fs::is_regular_file(beside, ignored)) {
            return beside;
        }
        for (const fs::path& folder : include_) {
            if (fs::path there = folder / wanted; fs::is_regular_file(there, ignored)) {
                return there;
            }
        }
        return std::nullopt;
    }

    void add_line(const std::string& text, LineOrigin origin)
    {
        const std::string_view line = trimmed(text);
        if (line.empty()) {
            return;
        }
        bool has_macro = false;
        const std::vector<std::string_view> words = split_words(line);
        if (!macros_.empty() && line.front() != '[') {
            for (const std::string_view word : words) {
                has_macro = has_macro || value_of(word) != nullptr;
            }
        }
        if (!has_macro) {
            text_.lines.push_back({std::string(line), origin, leap_order_});
            return;
        }
        std::string expanded;
        for (const std::string_view word : words) {
            expand(word, expanded, 0, origin);
            if (expanded.size() > longest_line) {
                report(origin, word,
                       fmt::format("the macro {} fills more than {} bytes (macros that name others "
                                   "twice double at every level)",
                                   word, longest_line),
                       "write its value out");
                return;
            }
        }
        if (!expanded.empty()) {
            text_.lines.push_back({std::move(expanded), origin, leap_order_});
        }
    }

    /// The text of a macro; null where the word is none or the macro is a bare flag.
    const std::string* value_of(std::string_view word)
    {
        // numbers are most words: they are no macro names
        const char c = word.front();
        if ((c >= '0' && c <= '9') || c == '-' || c == '.' || c == '+') {
            return nullptr;
        }
        scratch_.assign(word);
        const auto it = macros_.find(scratch_);
        if (it == macros_.end() || it->second.empty()) {
            return nullptr;
        }
        text_.asked_for.insert(it->first);
        return &it->second;
    }

    void expand(std::string_view word, std::string& out, int depth, LineOrigin origin)
    {
        const std::string* value = value_of(word);
        if (value == nullptr || *value == word) {
            if (!out.empty()) {
                out += ' ';
            }
            out += word;
            return;
        }
        if (out.size() > longest_line) {
            return; // told where the line ends
        }
        if (depth > 64) {
            report(origin, word,
                   fmt::format("the macro {} refers to itself (directly or through others)", word),
                   "give it a value");
            return;
        }
        for (const std::string_view inner : split_words(*value)) {
            expand(inner, out, depth + 1, origin);
        }
    }

    std::vector<fs::path> include_;
    Diagnostics& diagnostics_;
    GromacsText text_;
    std::unordered_map<std::string, std::string> macros_;
    std::vector<Branch> branches_;
    std::vector<std::string> open_; ///< files being read, canonical names
    std::string scratch_;
    bool leap_order_ = false;
    bool has_too_many_files_ = false;
};

} // namespace

std::vector<std::string_view> split_words(std::string_view line)
{
    std::vector<std::string_view> words;
    std::size_t begin = line.find_first_not_of(blanks);
    while (begin != std::string_view::npos) {
        std::size_t end = line.find_first_of(blanks, begin);
        if (end == std::string_view::npos) {
            end = line.size();
        }
        words.push_back(line.substr(begin, end - begin));
        begin = line.find_first_not_of(blanks, end);
    }
    return words;
}

SourcePlace GromacsText::place(LineOrigin origin, std::string_view token) const
{
    SourcePlace place;
    place.file = file_names[static_cast<std::size_t>(origin.file)];
    place.line = origin.line;
    const auto& lines_of_file = file_lines[static_cast<std::size_t>(origin.file)];
    if (origin.line < 1 || static_cast<std::size_t>(origin.line) > lines_of_file.size()) {
        return place;
    }
    place.source_line = lines_of_file[static_cast<std::size_t>(origin.line - 1)];
    if (token.empty()) {
        return place;
    }
    const auto is_edge = [&](std::size_t at) {
        return at >= place.source_line.size() ||
               std::string_view(" \t;[]#").find(place.source_line[at]) != std::string::npos;
    };
    for (std::size_t at = place.source_line.find(token); at != std::string::npos;
         at = place.source_line.find(token, at + 1)) {
        if (token == "#" || ((at == 0 || is_edge(at - 1)) && is_edge(at + token.size()))) {
            place.column = static_cast<int>(at) + 1;
            place.width = static_cast<int>(token.size());
            break;
        }
    }
    return place;
}

GromacsText preprocess_gromacs(const std::filesystem::path& path,
                               const std::vector<std::filesystem::path>& include,
                               const std::vector<std::string>& defines, Diagnostics& diagnostics)
{
    Preprocessor preprocessor(include, defines, diagnostics);
    preprocessor.read(path);
    return preprocessor.take();
}

} // namespace tessera
