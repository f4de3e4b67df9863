#pragma once

#include "engine/base/error.hpp"
#include "forcefields/gromacs_topology.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

namespace tessera::test
{

/// A folder of its own for the files of one test; it goes with the object.
class ScratchFolder {
public:
    ScratchFolder()
    {
        const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
        path_ = std::filesystem::path(::testing::TempDir()) /
                (std::string("tessera_") + info->test_suite_name() + "_" + info->name());
        std::filesystem::remove_all(path_);
        std::filesystem::create_directories(path_);
    }
    ~ScratchFolder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    std::filesystem::path write(const std::string& name, const std::string& text) const
    {
        const std::filesystem::path file = path_ / name;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << text;
        return file;
    }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

inline Topology read_text(const std::string& text, std::vector<std::string> defines = {})
{
    const ScratchFolder folder;
    GromacsTopologyOptions options;
    options.defines = std::move(defines);
    return read_gromacs_topology(folder.write("topol.top", text), options);
}

/// The message of the InputError; empty (and a failure) when there is none.
inline std::string fault_of(const std::string& text, std::vector<std::string> defines = {})
{
    try {
        read_text(text, std::move(defines));
    } catch (const InputError& fault) {
        return fault.what();
    }
    ADD_FAILURE() << "no InputError for\n" << text;
    return {};
}

/// Argon-like types A, B, C and a fixed list of bonded parameters, comb-rule 2, no gen-pairs.
inline const std::string force_field = R"([ defaults ]
1 2 no 1.0 1.0
[ atomtypes ]
; name at.num mass charge ptype sigma epsilon
A  18 39.948 0.0 A 0.34 0.996
B  18 39.948 0.0 A 0.30 0.500
C  18 39.948 0.5 A 0.32 0.700
)";

inline const std::string tail = R"(
[ system ]
test
[ molecules ]
M 1
)";

/// A moleculetype M of atoms of the given types.
inline std::string molecule(const std::vector<std::string>& types, int nrexcl = 3)
{
    std::string text = fmt::format("[ moleculetype ]\nM {}\n[ atoms ]\n", nrexcl);
    for (std::size_t k = 1; k <= types.size(); ++k) {
        text += fmt::format("{0} {1} 1 RES X{0} {0}\n", k, types[k - 1]);
    }
    return text;
}

} // namespace tessera::test
