#include "io/run_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera
{

namespace
{
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t fewest_blocks = 16;
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

void RunningLine::add(double x, double y)
{
    ++count_;
    const double dx = x - mean_x_;
    mean_x_ += dx / count_;
    mean_y_ += (y - mean_y_) / count_;
    xx_ += dx * (x - mean_x_);
    xy_ += dx * (y - mean_y_);
}

double RunningLine::slope() const
{
    return xx_ > 0 ? xy_ / xx_ : not_a_number;
}

void DriftLine::add(double time, double energy)
{
    time_.push_back(time);
    energy_.push_back(energy);
}

double DriftLine::slope() const
{
    RunningLine line;
    for (std::size_t k = 0; k < time_.size(); ++k) {
        line.add(time_[k], energy_[k]);
    }
    return line.slope();
}

double DriftLine::fit_error() const
{
    if (time_.size() < 3) {
        return not_a_number;
    }
    const auto n = static_cast<double>(time_.size());
    double mean_time = 0, mean_energy = 0;
    for (std::size_t k = 0; k < time_.size(); ++k) {
        mean_time += time_[k] / n;
        mean_energy += energy_[k] / n;
    }
    const double slope_found = slope();
    double spread = 0, residual = 0;
    for (std::size_t k = 0; k < time_.size(); ++k) {
        const double t = time_[k] - mean_time;
        const double off = energy_[k] - mean_energy - slope_found * t;
        spread += t * t;
        residual += off * off;
    }
    return std::sqrt(residual / ((n - 2) * spread));
}

double DriftLine::walk_error() const
{
    if (time_.size() < 3) {
        return not_a_number;
    }
    const std::size_t lag = std::max<std::size_t>(1, (time_.size() - 1) / fewest_blocks);
    const double drift = (energy_.back() - energy_.front()) / (time_.back() - time_.front());
    double squares = 0, count = 0;
    for (std::size_t k = lag; k < time_.size(); k += lag) {
        const double increment =
            energy_[k] - energy_[k - lag] - drift * (time_[k] - time_[k - lag]);
        squares += increment * increment;
        count += 1;
    }
    const double span = time_.back() - time_.front();
    return std::sqrt(squares / (count - 1) * count) / span;
}

double DriftLine::error() const
{
    return std::hypot(fit_error(), walk_error());
}

} // namespace tessera
