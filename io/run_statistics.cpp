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

} // namespace tessera
