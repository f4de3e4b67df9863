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

/// Drift of an energy: the slope of the straight line of least squares through it, and its error.
///
/// Two errors are estimated from what is left of the energy beside the line, over the n rows (equal
/// intervals) of a time T, and the larger one is told (validation/nve_drift/drift.py: the same):
///
/// - of fluctuations about a constant: of m blocks of 1, 2, 4, ... rows, means B and length b,
///   sqrt(12 sum B^2 / ((m - 2) m (m^2 - 1))) / b, the largest that 8 blocks or more give;
/// - of a random walk, which noise of the forces makes of an energy: with V(t) the variance of what
///   it gains in a time t, sqrt(1.2 (V(T/4) - V(T/16)) / 0.1175) / T, where V(T/4) > 1.3 V(T/16) (a
///   walk gives 3, noise about a constant 1). A walk of Var = D t has V(t) = D (t - (t/(T - t))^2
///   (T - 4t/3)), as the slope is taken out, and the slope of its line has the variance 1.2 D/T.
///
/// Energies: any unit; times: any unit, ascending.
class DriftLine {
public:
    void add(double time, double energy);
    [[nodiscard]] double slope() const;             ///< NaN below two rows
    [[nodiscard]] double fluctuation_error() const; ///< NaN below three rows
    [[nodiscard]] double walk_error() const;        ///< zero where no walk is seen
    [[nodiscard]] double error() const;

private:
    [[nodiscard]] double span() const { return time_.back() - time_.front(); }
    [[nodiscard]] std::vector<double> residuals() const;
    [[nodiscard]] double variance_of_gains(std::size_t rows) const;

    std::vector<double> time_, energy_;
};

} // namespace tessera
