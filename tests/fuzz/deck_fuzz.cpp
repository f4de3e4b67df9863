#include "engine/base/text_file.hpp"
#include "io/deck.hpp"
#include "tests/fuzz/fuzz_target.hpp"

/// A deck; each line "#! --set KEY=VALUE" adds an override, as in tests/inputs/bad.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace tessera;
    constexpr std::string_view mark = "#! --set ";
    const std::string text(fuzz::bytes(data, size));
    std::vector<std::string> sets;
    for (const std::string& line : split_lines(text)) {
        if (line.starts_with(mark)) {
            sets.push_back(line.substr(mark.size()));
        }
    }
    const std::string name = "folder/fuzz.toml";
    fuzz::run("", [&] {
        Diagnostics diagnostics;
        static_cast<void>(parse_deck(text, name, sets, diagnostics));
        for (const Diagnostic& warning : diagnostics.warnings()) {
            static_cast<void>(warning.text());
        }
        for (const Diagnostic& fault : diagnostics.errors()) {
            if (fault.place.file != name && fault.place.file.find("--set") == std::string::npos) {
                fuzz::finding("a fault without a place: " + fault.text());
            }
        }
        diagnostics.throw_if_any();
    });
    return 0;
}
