#include "io/run_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <vector>

namespace tessera
{

namespace
{

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

double mean_of(const std::vector<double>& values)
{
    double sum = 0;
    for (const double value : values) {
        sum += value;
    }
    return sum / static_cast<double>(values.size());
}

/// Of the mean, as if the values were not correlated.
double naive_error(const std::vector<double>& values)
{
    const double mean = mean_of(values);
    double squares = 0;
    for (const double value : values) {
        squares += (value - mean) * (value - mean);
    }
    const auto n = static_cast<double>(values.size());
    return std::sqrt(squares / (n * (n - 1)));
}

} // namespace

Average block_average(std::span<const double> values)
{
    constexpr std::size_t fewest_blocks = 16;
    std::vector<double> blocks(values.begin(), values.end());
    if (blocks.size() < 2) {
        return {blocks.empty() ? not_a_number : blocks.front(), not_a_number};
    }
    Average out{mean_of(blocks), naive_error(blocks)};
    while (blocks.size() / 2 >= fewest_blocks) {
        const std::size_t pairs = blocks.size() / 2; // an odd value at the end is left out
        for (std::size_t k = 0; k < pairs; ++k) {
            blocks[k] = 0.5 * (blocks[2 * k] + blocks[2 * k + 1]);
        }
        blocks.resize(pairs);
        out.standard_error = std::max(out.standard_error, naive_error(blocks));
    }
    return out;
}

double least_squares_slope(std::span<const double> x, std::span<const double> y)
{
    const auto n = static_cast<double>(x.size());
    double mean_x = 0, mean_y = 0, xx = 0, xy = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
        mean_x += x[k] / n;
        mean_y += y[k] / n;
    }
    for (std::size_t k = 0; k < x.size(); ++k) {
        xx += (x[k] - mean_x) * (x[k] - mean_x);
        xy += (x[k] - mean_x) * (y[k] - mean_y);
    }
    return xx > 0 ? xy / xx : not_a_number;
}

double ns_per_day(double simulated_ps, double seconds)
{
    constexpr double seconds_per_day = 86400;
    return seconds > 0 ? simulated_ps * 1e-3 * seconds_per_day / seconds : 0;
}

std::string phase_table(const PhaseTimes& phases)
{
    double all = 0;
    for (const PhaseTimes::Entry& phase : phases.entries()) {
        all += phase.seconds;
    }
    if (!(all > 0)) {
        return {};
    }
    std::string out = fmt::format("{:>24} {:>12} {:>10} {:>8}\n", "phase", "calls", "s", "share");
    for (const PhaseTimes::Entry& phase : phases.entries()) {
        out += fmt::format("{:>24} {:12} {:10.3f} {:7.1f}%\n", phase.name, phase.calls,
                           phase.seconds, 100 * phase.seconds / all);
    }
    return out;
}

} // namespace tessera
