#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace tessera
{

/// Mean of a correlated series and the standard error of this mean, by block averaging, without
/// keeping the series: neighbours are averaged in pairs again and again, and the largest error that
/// at least 16 blocks give is taken (with fewer than 32 values: the one of uncorrelated values).
/// H. Flyvbjerg, H. G. Petersen, J. Chem. Phys. 91, 461 (1989)
class BlockAverage {
public:
    void add(double value);

    [[nodiscard]] std::int64_t count() const { return levels_.empty() ? 0 : levels_[0].count; }
    /// NaN without values.
    [[nodiscard]] double mean() const;
    /// Of a single value; NaN below two values.
    [[nodiscard]] double deviation() const;
    /// Of the mean; NaN below two values.
    [[nodiscard]] double standard_error() const;

private:
    /// Blocks of 2^level values.
    struct Level {
        std::int64_t count = 0;
        double mean = 0;
        double squares = 0;             ///< sum of squared distances from the mean
        std::optional<double> unpaired; ///< a block that waits for its neighbour
    };
    std::vector<Level> levels_;
};

/// A drift and its error: straight line of least squares through an energy that wanders.
///
/// Two errors are added as squares: that of the fit, whose residuals are taken as independent, and
/// that of a random walk, the deviation of sums of n increments (16 lags and more) over the time:
/// an energy with noise walks, so that the slope of one run is uncertain by sqrt(2P/(ndf t)).
class DriftLine {
public:
    void add(double time, double energy);
    [[nodiscard]] double slope() const;      ///< NaN below two different times
    [[nodiscard]] double fit_error() const;  ///< NaN below three points
    [[nodiscard]] double walk_error() const; ///< NaN below three points
    [[nodiscard]] double error() const;

private:
    std::vector<double> time_, energy_;
};

/// Straight line of least squares through points that come one by one.
class RunningLine {
public:
    void add(double x, double y);
    /// NaN below two different x.
    [[nodiscard]] double slope() const;

private:
    double count_ = 0, mean_x_ = 0, mean_y_ = 0, xx_ = 0, xy_ = 0;
};

} // namespace tessera
