#include "engine/base/diagnostic.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace tessera
{

std::string Diagnostic::text() const
{
    std::string out;
    if (!place.file.empty()) {
        out += place.file;
        if (place.line > 0) {
            out += fmt::format(":{}", place.line);
            if (place.column > 0) {
                out += fmt::format(":{}", place.column);
            }
        }
        out += ": ";
    }
    out += what;
    if (!place.source_line.empty()) {
        const std::string number = place.line > 0 ? std::to_string(place.line) : std::string();
        out += fmt::format("\n {:>4} | {}", number, place.source_line);
        if (place.column > 0) {
            std::string blanks;
            for (int k = 0; k + 1 < place.column; ++k) {
                const auto at = static_cast<std::size_t>(k);
                blanks +=
                    at < place.source_line.size() && place.source_line[at] == '\t' ? '\t' : ' ';
            }
            out +=
                fmt::format("\n      | {}{}", blanks,
                            std::string(static_cast<std::size_t>(std::max(1, place.width)), '^'));
            if (!caret.empty()) {
                out += " " + caret;
            }
        }
    }
    if (!hint.empty()) {
        out += "\n hint: " + hint;
    }
    return out;
}

void Diagnostics::throw_if_any() const
{
    if (faults_.empty()) {
        return;
    }
    std::string all;
    for (const Diagnostic& fault : faults_) {
        if (!all.empty()) {
            all += '\n';
        }
        all += fault.text();
    }
    throw InputError(all);
}

void fail(Diagnostic fault)
{
    throw InputError(fault.text());
}

std::string nearest_name(std::string_view given, const std::vector<std::string>& known)
{
    std::string best;
    std::size_t best_distance = std::max<std::size_t>(2, given.size() / 3) + 1;
    for (const std::string& name : known) {
        std::vector<std::size_t> row(name.size() + 1);
        std::iota(row.begin(), row.end(), std::size_t{0});
        for (std::size_t i = 0; i < given.size(); ++i) {
            std::size_t diagonal = row[0];
            row[0] = i + 1;
            for (std::size_t j = 0; j < name.size(); ++j) {
                const std::size_t substitution = diagonal + (given[i] == name[j] ? 0 : 1);
                diagonal = row[j + 1];
                row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, substitution});
            }
        }
        if (row.back() < best_distance) {
            best_distance = row.back();
            best = name;
        }
    }
    return best;
}

} // namespace tessera
