#include "io/run_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tessera
{

namespace
{
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t fewest_blocks = 16;

double mean_of(const std::vector<double>& values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}
} // namespace

void BlockAverage::add(double value)
{
    for (std::size_t k = 0;; ++k) {
        if (k == levels_.size()) {
            levels_.emplace_back();
        }
        Level& level = levels_[k];
        ++level.count;
        const double from_mean = value - level.mean;
        level.mean += from_mean / static_cast<double>(level.count);
        level.squares += from_mean * (value - level.mean);
        if (!level.unpaired) {
            level.unpaired = value;
            return;
        }
        value = 0.5 * (*level.unpaired + value);
        level.unpaired.reset();
    }
}

double BlockAverage::mean() const
{
    return levels_.empty() ? not_a_number : levels_[0].mean;
}

double BlockAverage::deviation() const
{
    return count() < 2 ? not_a_number
                       : std::sqrt(levels_[0].squares / static_cast<double>(count() - 1));
}

double BlockAverage::standard_error() const
{
    double largest = deviation() / std::sqrt(static_cast<double>(count()));
    for (const Level& level : levels_) {
        if (level.count >= fewest_blocks) {
            const auto n = static_cast<double>(level.count);
            largest = std::max(largest, std::sqrt(level.squares / (n * (n - 1))));
        }
    }
    return largest;
}

void DriftLine::add(double time, double energy)
{
    time_.push_back(time);
    energy_.push_back(energy);
}

double DriftLine::slope() const
{
    if (time_.size() < 2) {
        return not_a_number;
    }
    const double mean_time = mean_of(time_), mean_energy = mean_of(energy_);
    double xx = 0, xy = 0;
    for (std::size_t k = 0; k < time_.size(); ++k) {
        xx += (time_[k] - mean_time) * (time_[k] - mean_time);
        xy += (time_[k] - mean_time) * (energy_[k] - mean_energy);
    }
    return xy / xx;
}

std::vector<double> DriftLine::residuals() const
{
    const double mean_time = mean_of(time_), mean_energy = mean_of(energy_), drift = slope();
    std::vector<double> out;
    for (std::size_t k = 0; k < time_.size(); ++k) {
        out.push_back(energy_[k] - mean_energy - drift * (time_[k] - mean_time));
    }
    return out;
}

double DriftLine::fluctuation_error() const
{
    if (time_.size() < 3) {
        return not_a_number;
    }
    constexpr std::size_t fewest = 8;
    const double interval = span() / static_cast<double>(time_.size() - 1);
    std::vector<double> mean = residuals();
    double length = interval, largest = 0;
    do {
        const auto m = static_cast<double>(mean.size());
        const double squares = std::inner_product(mean.begin(), mean.end(), mean.begin(), 0.0);
        largest = std::max(largest, std::sqrt(12 * squares / ((m - 2) * m * (m * m - 1))) / length);
        for (std::size_t k = 0; k < mean.size() / 2; ++k) {
            mean[k] = 0.5 * (mean[2 * k] + mean[2 * k + 1]);
        }
        mean.resize(mean.size() / 2);
        length *= 2;
    } while (mean.size() >= fewest);
    return largest;
}

double DriftLine::variance_of_gains(std::size_t rows) const
{
    std::vector<double> gains;
    for (std::size_t k = rows; k < energy_.size(); ++k) {
        gains.push_back(energy_[k] - energy_[k - rows]);
    }
    const double mean = mean_of(gains);
    double squares = 0;
    for (const double gain : gains) {
        squares += (gain - mean) * (gain - mean);
    }
    return squares / static_cast<double>(gains.size());
}

double DriftLine::walk_error() const
{
    const std::size_t sixteenth = time_.size() / 16;
    if (sixteenth == 0) {
        return 0;
    }
    const double early = variance_of_gains(sixteenth), late = variance_of_gains(4 * sixteenth);
    return late > 1.3 * early ? std::sqrt(1.2 / 0.1175 * (late - early)) / span() : 0;
}

double DriftLine::error() const
{
    return std::max(fluctuation_error(), walk_error());
}

} // namespace tessera
