#include "engine/physics/listed_terms.hpp"
#include "forcefields/gromacs_topology.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

// Every term, virtual site and method has a committed reference that exercises it; the table
// coverage.txt says which. check_committed_references runs them all.

namespace tessera
{
namespace
{

const std::filesystem::path references =
    std::filesystem::path(TESSERA_SOURCE_DIR) / "tests/data/references";

/// Of one kind of line of coverage.txt: name -> "folder/reference".
std::map<std::string, std::string> table_of(const std::string& wanted)
{
    std::ifstream file(std::filesystem::path(TESSERA_SOURCE_DIR) / "tests/references/coverage.txt");
    std::map<std::string, std::string> table;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string kind, name, reference;
        if (words >> kind >> name >> reference && kind == wanted) {
            table[name] = reference;
        }
    }
    return table;
}

std::string text_of(const std::filesystem::path& path)
{
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::filesystem::path file_of(const std::string& reference, const std::string& ending)
{
    const auto slash = reference.find('/');
    return references / reference.substr(0, slash) / "ref" / (reference.substr(slash + 1) + ending);
}

/// The topology a reference was made with. The folders of terms name it like the reference.
Topology topology_of(const std::string& reference)
{
    return read_gromacs_topology(references / (reference + ".top"), {});
}

std::set<std::string> names(const std::map<std::string, std::string>& table)
{
    std::set<std::string> result;
    for (const auto& [name, reference] : table) {
        result.insert(name);
    }
    return result;
}

TEST(ReferenceCoverage, HoldsEveryTermInAReferenceThatHasIt)
{
    const auto table = table_of("term");
    std::set<std::string> terms;
    ListedTerms::for_each([&]<class Term>() {
        terms.emplace(Term::name);
        const auto found = table.find(std::string(Term::name));
        ASSERT_NE(found, table.end()) << Term::name << " has no line in coverage.txt";
        EXPECT_TRUE(std::filesystem::exists(file_of(found->second, ".json"))) << found->second;
        EXPECT_FALSE(topology_of(found->second).template table<Term>().empty())
            << found->second << " has no " << Term::name;
    });
    EXPECT_EQ(names(table), terms);
}

TEST(ReferenceCoverage, HoldsEveryKindOfVirtualSiteInAReferenceThatHasIt)
{
    const std::map<std::string, VirtualSiteKind> kinds = {
        {"site2", VirtualSiteKind::site2},       {"site2fd", VirtualSiteKind::site2fd},
        {"site3", VirtualSiteKind::site3},       {"site3fd", VirtualSiteKind::site3fd},
        {"site3fad", VirtualSiteKind::site3fad}, {"site3out", VirtualSiteKind::site3out},
        {"site4fdn", VirtualSiteKind::site4fdn}, {"siten", VirtualSiteKind::siten}};
    const auto table = table_of("site");
    ASSERT_EQ(table.size(), kinds.size());
    for (const auto& [name, kind] : kinds) {
        ASSERT_TRUE(table.contains(name)) << name;
        EXPECT_TRUE(std::filesystem::exists(file_of(table.at(name), ".json")));
        bool found = false;
        for (const VirtualSite& site : topology_of(table.at(name)).virtual_sites) {
            found = found || site.kind == kind;
        }
        EXPECT_TRUE(found) << table.at(name) << " has no " << name;
    }
}

/// A method's name and the line of the .mdp that asks for it.
using Methods = std::map<std::string, std::string>;

void expect_covered(const std::string& kind, const Methods& methods)
{
    const auto table = table_of(kind);
    ASSERT_EQ(table.size(), methods.size()) << kind;
    for (const auto& [name, line] : methods) {
        ASSERT_TRUE(table.contains(name)) << kind << ' ' << name;
        EXPECT_TRUE(std::filesystem::exists(file_of(table.at(name), ".json")));
        EXPECT_NE(text_of(file_of(table.at(name), ".mdp")).find(line), std::string::npos)
            << table.at(name) << " does not ask for " << line;
    }
}

TEST(ReferenceCoverage, HoldsEveryWayToTreatPairs)
{
    expect_covered("electrostatics", {{"cutoff", "coulombtype = Cut-off"},
                                      {"reaction_field", "coulombtype = Reaction-Field"},
                                      {"pme", "coulombtype = PME"},
                                      {"ewald", "coulombtype = Ewald"}});
    expect_covered("lj_modifier", {{"none", "vdw-modifier = None"},
                                   {"potential_shift", "vdw-modifier = Potential-shift"},
                                   {"force_switch", "vdw-modifier = Force-switch"},
                                   {"potential_switch", "vdw-modifier = Potential-switch"}});
    expect_covered("dispersion", {{"energy", "DispCorr = Ener\n"},
                                  {"energy_and_pressure", "DispCorr = EnerPres\n"}});
    expect_covered("lj_pme", {{"geometric", "lj-pme-comb-rule = Geometric"}});
}

} // namespace
} // namespace tessera
