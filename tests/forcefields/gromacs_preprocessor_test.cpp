#include "forcefields/gromacs_preprocessor.hpp"
#include "tests/forcefields/scratch_topology.hpp"

#include <cstdlib>
#include <gmock/gmock.h>
#include <zlib.h>

namespace tessera
{

namespace
{

using test::force_field;
using test::molecule;
using test::ScratchFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Read {
    std::vector<std::string> lines;
    std::vector<std::string> places; ///< "file name:line"
    std::string faults;
};

Read preprocess(const std::filesystem::path& path, const std::vector<std::string>& defines = {},
                const std::vector<std::filesystem::path>& include = {})
{
    Diagnostics diagnostics;
    const GromacsText text = preprocess_gromacs(path, include, defines, diagnostics);
    Read read;
    for (const GromacsLine& line : text.lines) {
        const SourcePlace place = text.place(line.origin);
        read.lines.push_back(line.text);
        read.places.push_back(std::filesystem::path(place.file).filename().string() + ":" +
                              std::to_string(place.line));
    }
    for (const Diagnostic& fault : diagnostics.errors()) {
        read.faults += fault.text() + "\n";
    }
    return read;
}

Read preprocess_text(const std::string& text, const std::vector<std::string>& defines = {})
{
    const ScratchFolder folder;
    return preprocess(folder.write("a.top", text), defines);
}

} // namespace

TEST(GromacsPreprocessor, RemovesCommentsAndBlankLinesAndKnowsWhereLinesStand)
{
    const Read read = preprocess_text("; title\n\n  [ bonds ] ; these\r\n\t1 2 1;x\n");

    EXPECT_THAT(read.lines, ElementsAre("[ bonds ]", "1 2 1"));
    EXPECT_THAT(read.places, ElementsAre("a.top:3", "a.top:4"));
}

TEST(GromacsPreprocessor, JoinsLinesAtABackslash)
{
    const Read read = preprocess_text("1 2\\ ; comment\n3 \\\n4\n5\n");

    EXPECT_THAT(read.lines, ElementsAre("1 2 3  4", "5"));
    EXPECT_THAT(read.places, ElementsAre("a.top:1", "a.top:4"));
}

TEST(GromacsPreprocessor, ReplacesWholeWordsRecursivelyBySeveralValues)
{
    const Read read = preprocess_text("#define improper_Z 180.0 PAIR\n#define PAIR 4.6 2\n"
                                      "1 2 improper_Z\n1 2 improper_Z_X\n");

    EXPECT_THAT(read.lines, ElementsAre("1 2 180.0 4.6 2", "1 2 improper_Z_X"));
}

TEST(GromacsPreprocessor, TakesDefinesOfTheCallerWithAndWithoutValue)
{
    const std::string text = "#ifdef POSRES\n1 1 FC FC FC\n#endif\nPOSRES\n";

    EXPECT_THAT(preprocess_text(text).lines, ElementsAre("POSRES"));
    EXPECT_THAT(preprocess_text(text, {"POSRES", "FC=1000"}).lines,
                ElementsAre("1 1 1000 1000 1000", "POSRES"));
}

TEST(GromacsPreprocessor, RefusesAMacroThatRefersToItself)
{
    const Read read = preprocess_text("#define A B\n#define B A\nA\n");

    EXPECT_THAT(read.faults, HasSubstr("refers to itself"));
}

TEST(GromacsPreprocessor, RefusesMacrosThatDoubleAtEveryLevel)
{
    std::string text = "#define X0 1 2\n";
    for (int k = 1; k < 40; ++k) {
        text += fmt::format("#define X{} X{} X{}\n", k, k - 1, k - 1);
    }

    EXPECT_THAT(preprocess_text(text + "X39\n").faults, HasSubstr("the macro X39 fills more than"));
}

TEST(GromacsPreprocessor, RefusesFilesThatIncludeTheNextOneTwice)
{
    const ScratchFolder folder;
    for (int k = 0; k < 30; ++k) {
        folder.write(fmt::format("{}.itp", k),
                     fmt::format("#include \"{0}.itp\"\n#include \"{0}.itp\"\n", k + 1));
    }
    folder.write("30.itp", "x\n");

    EXPECT_THAT(preprocess(folder.path() / "0.itp").faults, HasSubstr("more than 10000 files"));
}

TEST(GromacsTopology, WarnsOfADefineThatNothingUses)
{
    const std::string text = force_field + molecule({"A"}) + "#ifdef POSRES\n#endif\n" + test::tail;

    EXPECT_THAT(test::read_text(text, {"POSRES", "FLEXIBLE"}).warnings, ::testing::IsEmpty());
    EXPECT_THAT(
        test::read_text(text, {"POSRE"}).warnings,
        ElementsAre(HasSubstr(
            "system.define names POSRE, which no #ifdef and no line uses. Did you mean POSRES?")));
}

TEST(GromacsPreprocessor, ReadsTheBranchesThatHold)
{
    const std::string text =
        "#ifdef X\n1\n# ifdef Y\n2\n# else\n3\n# endif\n#else\n4\n#ifdef Y\n5\n"
        "#else\n6\n#endif\n#endif\n#ifndef X\n7\n#endif\n";

    EXPECT_THAT(preprocess_text(text).lines, ElementsAre("4", "6", "7"));
    EXPECT_THAT(preprocess_text(text, {"X"}).lines, ElementsAre("1", "3"));
    EXPECT_THAT(preprocess_text(text, {"X", "Y"}).lines, ElementsAre("1", "2"));
    EXPECT_THAT(preprocess_text(text, {"Y"}).lines, ElementsAre("4", "5", "7"));
}

TEST(GromacsPreprocessor, ForgetsUndefinedNames)
{
    const Read read = preprocess_text("#define X 1\nX\n#undef X\nX\n#ifdef X\nno\n#endif\n");

    EXPECT_THAT(read.lines, ElementsAre("1", "X"));
}

TEST(GromacsPreprocessor, IgnoresMissingIncludesAndDefinesInAFalseBranch)
{
    const Read read =
        preprocess_text("#ifdef NO\n#include \"missing.itp\"\n#define Y 1\n#odd\n#endif\nY\n");

    EXPECT_EQ(read.faults, "");
    EXPECT_THAT(read.lines, ElementsAre("Y"));
}

TEST(GromacsPreprocessor, TellsMissingIncludesWithTheFoldersItLookedIn)
{
    const ScratchFolder folder;

    const Read read = preprocess(folder.write("a.top", "x\n#include \"missing.itp\"\n"), {},
                                 {folder.path() / "ff"});

    EXPECT_THAT(read.faults, HasSubstr("a.top:2"));
    EXPECT_THAT(read.faults, HasSubstr("\"missing.itp\" is not found"));
    EXPECT_THAT(read.faults, HasSubstr((folder.path() / "ff").string()));
    EXPECT_THAT(read.faults, HasSubstr("^^^^^^"));
}

TEST(GromacsPreprocessor, LooksBesideTheIncludingFileThenInTheGivenFoldersInOrder)
{
    const ScratchFolder folder;
    folder.write("ff1/x.itp", "first\n#include \"y.itp\"\n");
    folder.write("ff1/y.itp", "beside\n");
    folder.write("ff2/x.itp", "second\n");
    folder.write("y.itp", "wrong\n");
    const auto top = folder.write("a.top", "#include <x.itp>\n");

    const Read read = preprocess(top, {}, {folder.path() / "ff1", folder.path() / "ff2"});

    EXPECT_THAT(read.lines, ElementsAre("first", "beside"));
    EXPECT_THAT(read.places, ElementsAre("x.itp:1", "y.itp:1"));
}

TEST(GromacsPreprocessor, LooksInTheFoldersOfGmxlib)
{
    const ScratchFolder folder;
    folder.write("lib/x.itp", "found\n");
    const auto top = folder.write("a.top", "#include \"x.itp\"\n");

    ::setenv("GMXLIB", (folder.path() / "lib").c_str(), 1);
    const Read read = preprocess(top);
    ::unsetenv("GMXLIB");

    EXPECT_THAT(read.lines, ElementsAre("found"));
}

TEST(GromacsPreprocessor, RefusesIncludeCyclesButReadsAFileTwice)
{
    const ScratchFolder folder;
    folder.write("b.itp", "#include \"a.top\"\n");
    folder.write("c.itp", "c\n");

    const Read cycle = preprocess(folder.write("a.top", "#include \"b.itp\"\n"));
    const Read twice =
        preprocess(folder.write("d.top", "#include \"c.itp\"\n#include \"c.itp\"\n"));

    EXPECT_THAT(cycle.faults, HasSubstr("b.itp:1"));
    EXPECT_THAT(cycle.faults, HasSubstr("includes itself"));
    EXPECT_THAT(twice.lines, ElementsAre("c", "c"));
}

TEST(GromacsPreprocessor, TellsTheLineOfABranchThatIsNeverClosed)
{
    EXPECT_THAT(preprocess_text("1\n#ifdef X\n2\n").faults, HasSubstr("a.top:2"));
    EXPECT_THAT(preprocess_text("#endif\n").faults, HasSubstr("#endif without #ifdef"));
    EXPECT_THAT(preprocess_text("#ifdef X\n#else\n#else\n#endif\n").faults,
                HasSubstr("second #else"));
}

TEST(GromacsPreprocessor, RefusesWhatGromacsDoesNotKnow)
{
    EXPECT_THAT(preprocess_text("#if 1\n#endif\n").faults, HasSubstr("#if is not supported"));
    EXPECT_THAT(preprocess_text("#pragma once\n").faults,
                HasSubstr("unknown preprocessor directive \"#pragma\""));
    EXPECT_THAT(preprocess_text("#define F(x) x\n").faults, HasSubstr("macros with arguments"));
    EXPECT_THAT(preprocess_text("#include x.itp\n").faults, HasSubstr("file name in \"\" or <>"));
}

TEST(GromacsPreprocessor, ReadsGzippedFiles)
{
    const ScratchFolder folder;
    const auto path = folder.path() / "a.top.gz";
    const gzFile file = gzopen(path.c_str(), "wb");
    gzputs(file, "[ system ]\nzipped\n");
    gzclose(file);

    EXPECT_THAT(preprocess(path).lines, ElementsAre("[ system ]", "zipped"));
}

} // namespace tessera
