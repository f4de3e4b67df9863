#include "io/energy_log.hpp"

#include "engine/math/constants.hpp"
#include "engine/math/units.hpp"

#include <cmath>
#include <fmt/format.h>
#include <ostream>

namespace tessera
{

namespace
{
constexpr double gram_per_cm3 = 1.66053906892e-3; ///< of 1 u/nm^3 (CODATA 2022)

/// Broken systems have energies of any size, which would fill lines.
std::string in_column(double value, int width, int decimals)
{
    return std::fabs(value) < 1e15 ? fmt::format("{:>{}.{}f}", value, width, decimals)
                                   : fmt::format("{:>{}.{}e}", value, width, decimals);
}
} // namespace

EnergyLog::EnergyLog(std::ostream& stream, std::vector<EnergyKind> kinds, std::int64_t every,
                     bool periodic, LogKind kind, double mass)
    : stream_(stream), kinds_(std::move(kinds)), every_(every), periodic_(periodic), kind_(kind),
      mass_(mass), terms_(kinds_.size())
{
}

Interest EnergyLog::interest(std::int64_t step) const
{
    const bool listens = step % every_ == 0;
    return {listens, {listens, listens}, false, false};
}

void EnergyLog::write_head()
{
    head_written_ = true;
    if (kind_ == LogKind::minimisation) {
        stream_ << fmt::format("{:>12} {:>20} {:>24} {:>10}\n", "step", "potential/kJ/mol",
                               "largest force/kJ/mol/nm", "atom");
        return;
    }
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
    if (kind_ == LogKind::minimisation) {
        const bool wide = std::fabs(o.potential) > 1e12 || o.largest_force > 1e12; // overlaps
        stream_ << (wide ? fmt::format("{:>12} {:>20.10e} {:>24.8e} {:>10}\n", o.step, o.potential,
                                       o.largest_force, o.largest_force_atom + 1)
                         : fmt::format("{:>12} {:>20.6f} {:>24.6f} {:>10}\n", o.step, o.potential,
                                       o.largest_force, o.largest_force_atom + 1));
        stream_.flush();
        last_row_ =
            fmt::format("potential {:.6g} kJ/mol, largest force {:.4g} kJ/mol/nm at step {}",
                        o.potential, o.largest_force, o.step);
        return;
    }
    const double pressure = o.pressure / units::bar;
    stream_ << fmt::format("{:>12} {:>12.4f} {} {} {} {} {}", o.step, o.time,
                           in_column(o.potential, 17, 6), in_column(o.kinetic, 15, 6),
                           in_column(o.total, 17, 6), in_column(o.conserved, 17, 6),
                           in_column(o.temperature, 10, 3));
    stream_ << (periodic_ ? fmt::format(" {} {:>12.6f}\n", in_column(pressure, 12, 3), o.volume)
                          : "\n");
    stream_.flush(); // a killed run leaves its rows

    for (std::size_t k = 0; k < kinds_.size(); ++k) {
        terms_[k].add(o.energy[static_cast<std::size_t>(kinds_[k])]);
    }
    potential_.add(o.potential);
    kinetic_.add(o.kinetic);
    total_.add(o.total);
    conserved_.add(o.conserved);
    conserved_over_time_.add(o.time, o.conserved);
    temperature_.add(o.temperature);
    pressure_.add(pressure);
    volume_.add(o.volume);
    if (periodic_ && o.volume > 0) {
        density_.add(mass_ / o.volume * gram_per_cm3);
    }
    degrees_of_freedom_ = o.degrees_of_freedom;
    last_row_ = fmt::format("{} K, potential {} kJ/mol at step {}", in_column(o.temperature, 0, 2),
                            in_column(o.potential, 0, 1), o.step);
}

std::string EnergyLog::summary(std::int64_t atoms) const
{
    if (potential_.count() == 0) {
        return "";
    }
    std::string out =
        fmt::format("\n{:<24} {:>18} {:>16} {:>16}\n", fmt::format("{} rows", potential_.count()),
                    "mean", "standard error", "deviation");
    const auto line = [&out](std::string_view name, const BlockAverage& of, std::string_view unit) {
        const auto spread = [&of](double value) { // one row has none
            return of.count() < 2 ? std::string("-") : in_column(value, 0, 6);
        };
        out += fmt::format("  {:<22} {} {:>16} {:>16} {}\n", name, in_column(of.mean(), 18, 6),
                           spread(of.standard_error()), spread(of.deviation()), unit);
    };
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
        line(name_of(kinds_[k]), terms_[k], "kJ/mol");
    }
    line("potential", potential_, "kJ/mol");
    line("kinetic", kinetic_, "kJ/mol");
    line("total", total_, "kJ/mol");
    line("conserved", conserved_, "kJ/mol");
    line("temperature", temperature_, "K");
    if (periodic_) {
        line("pressure", pressure_, "bar");
        line("volume", volume_, "nm^3");
    }
    if (density_.count() > 0 && mass_ > 0) {
        line("density", density_, "g/cm^3");
    }
    out +=
        "  standard errors: block averages over 2^k rows, the largest that 16 blocks or more give "
        "(Flyvbjerg and Petersen 1989)\n";
    if (potential_.count() > 1) {
        const double slope = conserved_over_time_.slope();
        const double error = conserved_over_time_.error();
        const auto in = [&](double unit) {
            return std::isnan(error) ? fmt::format("{:.4e}", slope * unit)
                                     : fmt::format("{:.4e} +- {:.1e}", slope * unit, error * unit);
        };
        out += fmt::format("  drift of the conserved quantity: {} kJ/mol/ps an atom",
                           in(1 / static_cast<double>(atoms)));
        const double thermal = constants::boltzmann * temperature_.mean() * degrees_of_freedom_;
        if (thermal > 0) {
            out += fmt::format(" = {} kT/ns a degree of freedom", in(1000 / thermal));
        }
        out +=
            "\n  (slope of a straight line; its error: blocks of 2^k rows, or a random walk where "
            "one is seen)\n";
    }
    return out;
}

} // namespace tessera
