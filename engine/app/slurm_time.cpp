#include "engine/app/slurm_time.hpp"

#include "engine/base/error.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <regex>
#include <vector>

namespace tessera
{

namespace
{

bool is_number(const char* text)
{
    const std::string word(text == nullptr ? "" : text);
    return !word.empty() && std::all_of(word.begin(), word.end(),
                                        [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// The number of one task of an array may be that of the whole array, for which squeue answers with
/// another task's time: "ARRAY_TASK" names one.
std::string number_of_one_job(const std::string& id)
{
    const char* const array = std::getenv("SLURM_ARRAY_JOB_ID");
    const char* const task = std::getenv("SLURM_ARRAY_TASK_ID");
    return is_number(array) && is_number(task) ? std::string(array) + '_' + task : id;
}

} // namespace

std::optional<double> slurm_duration(const std::string& text)
{
    double days = 0;
    std::size_t begin = 0;
    if (const auto dash = text.find('-'); dash != std::string::npos) {
        days = std::atof(text.substr(0, dash).c_str());
        begin = dash + 1;
    }
    double seconds = 0;
    std::size_t digits = 0;
    std::string field;
    for (std::size_t k = begin; k <= text.size(); ++k) {
        if (k < text.size() && std::isdigit(static_cast<unsigned char>(text[k])) != 0) {
            field += text[k];
            ++digits;
        } else if (k == text.size() || text[k] == ':') {
            seconds = seconds * 60 + std::atof(field.c_str());
            field.clear();
        } else {
            return std::nullopt; // UNLIMITED, INVALID, NOT_SET
        }
    }
    return digits > 0 ? std::optional<double>(days * 86400 + seconds) : std::nullopt;
}

double job_time(const std::string& text)
{
    constexpr double least_job_time = 60; // s
    static const std::regex with_unit(R"(\s*(\d{1,9}(?:\.\d{1,9})?)\s*(s|min|h|d)\s*)");
    static const std::regex of_slurm(R"((?:(\d{1,5})-)?(\d{1,5})(?::(\d\d))?(?::(\d\d))?)");
    static const std::map<std::string, double> seconds_of = {
        {"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86400}};
    double seconds = 0;
    std::smatch found;
    if (std::regex_match(text, found, with_unit)) {
        seconds = std::stod(found[1].str()) * seconds_of.at(found[2].str());
    } else if (std::regex_match(text, found, of_slurm) && (found[1].matched || found[4].matched)) {
        const auto part = [&](std::size_t k) {
            return found[k].matched ? std::stod(found[k].str()) : 0;
        };
        seconds = part(1) * 86400 + part(2) * 3600 + part(3) * 60 + part(4);
    } else {
        throw InputError(
            fmt::format("--time \"{}\" is no time that all read alike{}. Write \"24 h\", "
                        "\"90 min\", \"2 d\", or 24:00:00.",
                        text, found.empty() ? "" : " (minutes, or hours?)"));
    }
    if (seconds < least_job_time) {
        throw InputError(fmt::format("--time \"{}\" is below a minute (Slurm counts whole minutes, "
                                     "and a job takes seconds to start). Ask for \"1 min\" at "
                                     "least; without --time a job gets what the partition gives.",
                                     text));
    }
    return seconds;
}

std::string slurm_time_text(double seconds)
{
    const auto whole = static_cast<long long>(std::llround(seconds));
    const std::string hours =
        fmt::format("{:02}:{:02}:{:02}", whole / 3600 % 24, whole / 60 % 60, whole % 60);
    return whole >= 86400 ? fmt::format("{}-{}", whole / 86400, hours) : hours;
}

std::optional<double> time_left_in_slurm_job(const SourcePlace& asked_at)
{
    const char* const job = std::getenv("SLURM_JOB_ID");
    if (job == nullptr) {
        fail({asked_at,
              "output.time_limit = \"slurm\", but this is no Slurm job (SLURM_JOB_ID is not set)",
              "", "give the limit as a time, such as \"23.5 h\""});
    }
    const std::string id(job);
    if (!is_number(job)) {
        fail({asked_at,
              fmt::format("SLURM_JOB_ID = \"{}\" is not a job number, which output.time_limit = "
                          "\"slurm\" needs",
                          id),
              "", "give the limit as a time, such as \"23.5 h\""});
    }
    const std::string command = "squeue -h -j " + number_of_one_job(id) + " -o %L 2>/dev/null";
    const auto close = [](std::FILE* pipe) { pclose(pipe); };
    const std::unique_ptr<std::FILE, decltype(close)> pipe(popen(command.c_str(), "r"), close);
    std::vector<char> buffer(128);
    std::string answer;
    if (pipe != nullptr && std::fgets(buffer.data(), static_cast<int>(buffer.size()), pipe.get())) {
        answer = buffer.data();
    }
    answer.erase(std::remove_if(answer.begin(), answer.end(),
                                [](unsigned char c) { return std::isspace(c) != 0; }),
                 answer.end());
    if (answer.empty()) {
        throw EnvironmentError(fmt::format("squeue does not tell the time left to job {} "
                                           "(output.time_limit = \"slurm\" asks for it). Give the "
                                           "limit as a time, such as \"23.5 h\".",
                                           id));
    }
    return slurm_duration(answer);
}

} // namespace tessera
