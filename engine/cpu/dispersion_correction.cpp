#include "engine/cpu/dispersion_correction.hpp"

#include "engine/base/error.hpp"
#include "engine/math/constants.hpp"
#include "engine/physics/pair/lennard_jones.hpp"

#include <cmath>
#include <vector>

namespace tessera
{

namespace
{

using constants::pi;

/// <c6> over the pairs of different atoms that are not excluded.
double average_over_pairs(const Topology& t)
{
    const auto types = static_cast<std::size_t>(t.pairs.types);
    std::vector<double> count(types, 0.0);
    for (const std::int32_t type : t.type) {
        count[static_cast<std::size_t>(type)] += 1;
    }
    double sum = 0;
    for (std::size_t a = 0; a < types; ++a) {
        for (std::size_t b = a; b < types; ++b) {
            const double pairs = a == b ? 0.5 * count[a] * (count[a] - 1) : count[a] * count[b];
            sum += pairs * t.pairs.c6[a * types + b];
        }
    }
    std::vector<std::int64_t> excluded_of(t.pairs.c6.size(), 0); // each pair twice
    for (std::size_t a = 0; a < t.type.size(); ++a) {
        for (const std::int32_t* b = t.exclusions.begin(a); b != t.exclusions.end(a); ++b) {
            ++excluded_of[t.pairs.at(t.type[a], t.type[static_cast<std::size_t>(*b)])];
        }
    }
    double excluded = 0, excluded_c6 = 0;
    for (std::size_t p = 0; p < excluded_of.size(); ++p) {
        excluded += static_cast<double>(excluded_of[p]);
        excluded_c6 += static_cast<double>(excluded_of[p]) * t.pairs.c6[p];
    }
    const auto n = static_cast<double>(t.type.size());
    const double pairs = 0.5 * n * (n - 1) - 0.5 * excluded;
    return pairs > 0 ? (sum - 0.5 * excluded_c6) / pairs : 0.0;
}

/// Gauss-Legendre with five points on each of many equal parts.
template <class Function>
double integral(double from, double to, Function f)
{
    constexpr double x1 = 0.53846931010568309104, x2 = 0.90617984593866399280;
    constexpr double w0 = 0.56888888888888888889, w1 = 0.47862867049936646804,
                     w2 = 0.23692688505618908751;
    constexpr int parts = 200;
    const double h = 0.5 * (to - from) / parts;
    double sum = 0;
    for (int k = 0; k < parts; ++k) {
        const double c = from + (2 * k + 1) * h;
        sum +=
            w0 * f(c) + w1 * (f(c - x1 * h) + f(c + x1 * h)) + w2 * (f(c - x2 * h) + f(c + x2 * h));
    }
    return sum * h;
}

} // namespace

DispersionTail::DispersionTail(const Topology& topology, const NonbondedSettings& s)
    : correction_(s.dispersion_correction)
{
    if (correction_ == DispersionCorrection::none) {
        return;
    }
    if (s.lj_pme) {
        throw InputError(
            "a dispersion correction beside LJ-PME would count the tail twice (the mesh "
            "holds it). Set dispersion_correction = \"none\".");
    }
    if (!std::isfinite(s.lj_cutoff)) {
        throw InputError(
            "a dispersion correction needs a Lennard-Jones cut-off. Give lj_cutoff, or "
            "set dispersion_correction = \"none\".");
    }
    atoms_ = static_cast<double>(topology.type.size());
    average_c6_ = average_over_pairs(topology);

    const double rc = s.lj_cutoff, r1 = s.lj_switch;
    const double rc3 = rc * rc * rc;
    energy_integral_ = -4.0 * pi / (3.0 * rc3);
    virial_integral_ = 2.0 / rc3;
    const LjPair<double> unit{1.0, 0.0, 0.0};
    const auto add_inside = [&](const auto& modified) {
        energy_integral_ += 4.0 * pi * integral(r1, rc, [&](double r) {
                                const double full = -std::pow(r, -6.0);
                                return r * r * (full - modified(r).energy);
                            });
        virial_integral_ += integral(r1, rc, [&](double r) {
            const double full = 6.0 * std::pow(r, -7.0);
            return r * r * r * (full + modified(r).force_over_r * r);
        });
    };
    switch (s.lj_modifier) {
    case LjModifier::none:
        break;
    case LjModifier::potential_shift:
        shift_ = 1.0 / (rc3 * rc3);
        energy_integral_ -= 4.0 * pi / 3.0 * rc3 * shift_;
        break;
    case LjModifier::force_switch: {
        const ForceSwitch<double> f = make_force_switch(r1, rc);
        shift_ = f.p6.c;
        energy_integral_ -= 4.0 * pi / 3.0 * r1 * r1 * r1 * shift_;
        add_inside([&](double r) { return lennard_jones_force_switch(unit, r, 1.0 / r, f); });
        break;
    }
    case LjModifier::potential_switch: {
        const PotentialSwitch<double> p = make_potential_switch(r1, rc);
        add_inside([&](double r) { return lennard_jones_potential_switch(unit, r, 1.0 / r, p); });
        break;
    }
    }
}

void DispersionTail::add(const Box& box, Wanted wanted, EnergySums& energies) const
{
    if (correction_ == DispersionCorrection::none) {
        return;
    }
    if (!box.is_periodic()) {
        throw InputError("a dispersion correction needs a periodic cell, but there is none. Set "
                         "dispersion_correction = \"none\".");
    }
    const double density = atoms_ / box.volume();
    if (wanted.energies) {
        energies.add(EnergyKind::dispersion_correction,
                     0.5 * atoms_ * average_c6_ * (density * energy_integral_ + shift_));
    }
    if (wanted.virial && correction_ == DispersionCorrection::energy_and_pressure) {
        energies.add_virial(
            (constants::pi / 3.0 * atoms_ * density * average_c6_ * virial_integral_) *
            identity3());
    }
}

} // namespace tessera
