#include "io/deck_values.hpp"
#include "io/foreign_keys.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <regex>

namespace tessera
{
namespace
{

TEST(ForeignKeys, NameKeysThatADeckHasAndValuesThatItTakes)
{
    const std::regex ours(R"(.* is (\w+) under \[(\w+)\] here: (.*))");
    int found = 0;
    for (const std::string_view word : foreign_keys()) {
        const std::string hint = hint_for_foreign_key(word);
        std::smatch part;
        if (!std::regex_match(hint, part, ours)) {
            EXPECT_NE(hint.find(" has no key here ("), std::string::npos) << hint;
            continue;
        }
        ++found;
        EXPECT_NE(find_deck_key(fmt::format("{}.{}", part[2].str(), part[1].str())), nullptr)
            << hint;
        Diagnostics faults;
        const std::string text = fmt::format("[{}]\n{}\n", part[2].str(), part[3].str());
        const TomlDocument document = parse_toml(text, "deck.toml", faults);
        const DeckValues values(document, {}, "deck.toml", faults);
        EXPECT_FALSE(faults.has_errors()) << text << faults.errors().front().text();
        EXPECT_TRUE(values.given(fmt::format("{}.{}", part[2].str(), part[1].str()))) << text;
    }
    EXPECT_GT(found, 60);
}

TEST(ForeignKeys, HideNoKeyOfOurs)
{
    for (const DeckKey& key : deck_keys()) {
        EXPECT_EQ(hint_for_foreign_key(key.path.substr(key.path.find('.') + 1)), "") << key.path;
    }
}

TEST(ForeignKeys, AreKnownInAnyWayOfWritingThem)
{
    EXPECT_EQ(hint_for_foreign_key("Ref-T"),
              "GROMACS's Ref-T (in K) is temperature under [thermostat] here: temperature = "
              "\"300 K\"");
    EXPECT_EQ(hint_for_foreign_key("no_such_key"), "");
}

} // namespace
} // namespace tessera
