#include "engine/base/diagnostic.hpp"

#include <gmock/gmock.h>

namespace tessera
{

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Diagnostic, ShowsNothingThatATerminalObeysAndGoesOnBehindAZero)
{
    const Diagnostic fault = {{"a.top", 3, 2, 1, std::string("x\0\x1b[2Jy", 7)},
                              std::string("\"\0\x07\x7f\" is no number", 18),
                              "",
                              "write one"};

    EXPECT_EQ(fault.text(), "a.top:3:2: \"???\" is no number\n"
                            "    3 | x??[2Jy\n"
                            "      |  ^\n"
                            " hint: write one");
}

TEST(Diagnostic, CutsALongLineAroundWhatItUnderlines)
{
    std::string line(100000, 'a');
    line[50000] = 'X';
    const std::string text =
        Diagnostic{{"a.top", 1, 50001, 1, line}, "X is unknown", "", ""}.text();

    EXPECT_LT(text.size(), 500U);
    const std::size_t shown = text.find("...a"), under = text.find("\n      | ");
    ASSERT_NE(shown, std::string::npos);
    ASSERT_NE(under, std::string::npos);
    const std::size_t line_begin = text.find("| ") + 2;
    EXPECT_EQ(text.find('X', line_begin) - line_begin, text.find('^') - (under + 9));
}

TEST(Diagnostic, UnderlinesBehindTheEndOfALongLine)
{
    const std::string line(500, 'a');
    const std::string text =
        Diagnostic{{"a.gro", 1, 900, 1, line}, "a value is missing", "", ""}.text();

    EXPECT_THAT(text, HasSubstr("1 | ...aaa"));
    EXPECT_THAT(text, HasSubstr("^"));
}

TEST(Diagnostic, KeepsEveryLineOfATextThatHoldsManyFaults)
{
    std::string many;
    for (int k = 0; k < 500; ++k) {
        many += "a.top: one of many faults\n";
    }
    many += "the last";

    EXPECT_EQ((Diagnostic{{}, many, "", ""}.text()), many);
}

TEST(Diagnostic, ShortensWordsAsLongAsAFile)
{
    const std::string text = Diagnostic{{}, std::string(1000000, 'w'), "", ""}.text();

    EXPECT_LT(text.size(), 5000U);
}

TEST(Diagnostic, ShowsNoControlCharacterOfAFileName)
{
    EXPECT_EQ((Diagnostic{{"a\033[31m.top", 1, 0, 1, ""}, "a fault", "", ""}.text()),
              "a?[31m.top:1: a fault");
}

TEST(NearestName, CountsSmallAndCapitalLettersAsTheSame)
{
    EXPECT_EQ(nearest_name("PME", {"cutoff", "pme", "none"}), "pme");
    EXPECT_EQ(nearest_name("Reaction-Feld", {"reaction-field", "pme"}), "reaction-field");
    EXPECT_EQ(nearest_name("XYZ", {"pme"}), "");
}

TEST(Diagnostics, TellsTheFirstThirtyFaultsAndTheNumberOfTheOthers)
{
    Diagnostics diagnostics;
    for (int k = 1; k <= 42; ++k) {
        diagnostics.error({{"a.gro", k, 0, 1, ""}, "a fault", "", ""});
    }

    try {
        diagnostics.throw_if_any();
        FAIL();
    } catch (const InputError& fault) {
        EXPECT_THAT(fault.what(), HasSubstr("a.gro:30: a fault\n12 more faults are not shown"));
        EXPECT_THAT(fault.what(), Not(HasSubstr("a.gro:31")));
    }
}

} // namespace tessera
