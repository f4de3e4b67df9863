#pragma once

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

namespace tessera::test
{

/// A folder of its own for one test, removed at the end.
class ScratchFolder {
public:
    ScratchFolder()
    {
        const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
        path_ = std::filesystem::temp_directory_path() /
                (std::string("tessera_") + test->test_suite_name() + "_" + test->name() + "_" +
                 std::to_string(::getpid()));
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

    [[nodiscard]] std::string operator/(const std::string& name) const
    {
        return (path_ / name).string();
    }

    /// Writes a file and returns its path.
    [[nodiscard]] std::string file(const std::string& name, const std::string& content) const
    {
        std::ofstream(path_ / name, std::ios::binary) << content;
        return (path_ / name).string();
    }

private:
    std::filesystem::path path_;
};

/// The message of the error that `act` throws; empty when it throws none.
template <class Error, class Act>
std::string message_of(Act&& act)
{
    try {
        act();
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

/// A handed system's file, outside the source tree; empty where it is absent.
inline std::string handed_file(const std::string& name)
{
    const std::string path = std::string(TESSERA_SOURCE_DIR) + "/../shared/systems/" + name;
    return std::filesystem::exists(path) ? path : std::string();
}

} // namespace tessera::test

/// Skips the test, loudly, where the handed systems do not stand beside the source tree.
#define TESSERA_HANDED_FILE(variable, name)                                                        \
    const std::string variable = tessera::test::handed_file(name);                                 \
    if ((variable).empty()) {                                                                      \
        GTEST_SKIP() << "the handed file " << (name) << " is not beside the source tree";          \
    }
