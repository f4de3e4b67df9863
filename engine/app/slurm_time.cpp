#include "engine/app/slurm_time.hpp"

#include "engine/base/error.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <vector>

namespace tessera
{

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

std::optional<double> time_left_in_slurm_job(const SourcePlace& asked_at)
{
    const char* const job = std::getenv("SLURM_JOB_ID");
    if (job == nullptr) {
        fail({asked_at,
              "output.time_limit = \"slurm\", but this is no Slurm job (SLURM_JOB_ID is not set)",
              "", "give the limit as a time, such as \"23.5 h\""});
    }
    const std::string id(job);
    const bool plain = !id.empty() && std::all_of(id.begin(), id.end(), [](unsigned char c) {
        return std::isdigit(c) != 0;
    });
    if (!plain) {
        fail({asked_at,
              fmt::format("SLURM_JOB_ID = \"{}\" is not a job number, which output.time_limit = "
                          "\"slurm\" needs",
                          id),
              "", "give the limit as a time, such as \"23.5 h\""});
    }
    const std::string command = "squeue -h -j " + id + " -o %L 2>/dev/null";
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
