#include "io/energy_log.hpp"

#include "engine/math/units.hpp"
#include "io/run_statistics.hpp"

#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <ostream>

namespace tessera
{

namespace
{

/// What every system has, behind its energies by kind. `conserved` is where the drift is read.
struct Column {
    std::string_view name, unit;
};
constexpr Column common_columns[] = {
    {"potential", "kJ/mol"}, {"kinetic", "kJ/mol"}, {"total", "kJ/mol"}, {"conserved", "kJ/mol"},
    {"temperature", "K"},    {"pressure", "bar"},   {"volume", "nm^3"}};
constexpr std::size_t in_open_space = 5; ///< columns that have a meaning without a cell
constexpr std::size_t conserved = 3;

} // namespace

EnergyLog::EnergyLog(std::ostream& stream, std::vector<EnergyKind> kinds, std::int64_t every,
                     bool periodic)
    : stream_(stream), kinds_(std::move(kinds)), every_(every), periodic_(periodic),
      series_(kinds_.size() + std::size(common_columns))
{
}

Interest EnergyLog::interest(std::int64_t step) const
{
    const bool listens = step % every_ == 0;
    return {listens, {listens, listens}};
}

void EnergyLog::write_head()
{
    head_written_ = true;
    stream_ << fmt::format("{:>12} {:>12} {:>17} {:>15} {:>17} {:>17} {:>10}", "step", "time/ps",
                           "potential/kJ/mol", "kinetic/kJ/mol", "total/kJ/mol", "conserved/kJ/mol",
                           "T/K");
    stream_ << (periodic_ ? fmt::format(" {:>12} {:>12}\n", "p/bar", "V/nm^3") : "\n");
}

void EnergyLog::notify(const StepView& view)
{
    if (!head_written_) {
        write_head();
    }
    const Observables& o = view.observables();
    const double pressure = o.pressure / units::bar;
    stream_ << fmt::format("{:>12} {:>12.4f} {:>17.6f} {:>15.6f} {:>17.6f} {:>17.6f} {:>10.3f}",
                           o.step, o.time, o.potential, o.kinetic, o.total, o.conserved,
                           o.temperature);
    stream_ << (periodic_ ? fmt::format(" {:>12.3f} {:>12.6f}\n", pressure, o.volume) : "\n");
    stream_.flush(); // a killed run leaves its rows

    times_.push_back(o.time);
    std::size_t column = 0;
    for (const EnergyKind kind : kinds_) {
        series_[column++].push_back(o.energy[static_cast<std::size_t>(kind)]);
    }
    for (const double value :
         {o.potential, o.kinetic, o.total, o.conserved, o.temperature, pressure, o.volume}) {
        series_[column++].push_back(value);
    }
}

std::string EnergyLog::summary(std::int64_t atoms) const
{
    if (times_.empty()) {
        return "";
    }
    std::string out = fmt::format("\n{:<24} {:>18} {:>16}\n",
                                  fmt::format("over {} rows", times_.size()), "mean", "+-");
    const auto line = [&out](std::string_view name, const std::vector<double>& values,
                             std::string_view unit) {
        const Average average = block_average(values);
        const std::string error = std::isfinite(average.standard_error)
                                      ? fmt::format("{:.6f}", average.standard_error)
                                      : "";
        out += fmt::format("  {:<22} {:>18.6f} {:>16} {}\n", name, average.mean, error, unit);
    };
    std::size_t column = 0;
    for (const EnergyKind kind : kinds_) {
        line(name_of(kind), series_[column++], "kJ/mol");
    }
    for (std::size_t k = 0; k < (periodic_ ? std::size(common_columns) : in_open_space); ++k) {
        line(common_columns[k].name, series_[column++], common_columns[k].unit);
    }
    const double slope = least_squares_slope(times_, series_[kinds_.size() + conserved]);
    if (std::isfinite(slope)) {
        out += fmt::format("  drift of the conserved quantity: {:.4e} kJ/mol/ps an atom\n",
                           slope / static_cast<double>(atoms));
    }
    return out;
}

} // namespace tessera
