#include "engine/base/printable.hpp"

#include <gtest/gtest.h>

namespace tessera
{

TEST(Printable, ShowsControlCharactersAsQuestionMarks)
{
    EXPECT_EQ(printable("a\033[31mb\rc\x7f\x01"), "a?[31mb?c??");
    EXPECT_EQ(printable(std::string("a\0b", 3)), "a?b");
    EXPECT_EQ(printable("\xc2\x9b"
                        "31m"),
              "??31m"); // U+009B, which some terminals obey
}

TEST(Printable, LeavesTextAsItIs)
{
    for (const char* const text :
         {"", "tab\tand\nline", "9 \xc3\x85, 3 \xc2\xb5s, \xe2\x82\xac", "\xc2"}) {
        EXPECT_EQ(printable(text), text);
    }
}

} // namespace tessera
