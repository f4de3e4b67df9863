#include "engine/simulation/accuracy.hpp"

#include "engine/base/philox.hpp"
#include "engine/math/units.hpp"
#include "engine/physics/element_symbols.hpp"

#include <algorithm>
#include <cmath>

namespace tessera
{

namespace
{

constexpr auto pairs_index = static_cast<std::size_t>(ForceClass::pairs);
constexpr auto reciprocal_index = static_cast<std::size_t>(ForceClass::reciprocal);
constexpr auto total_index = static_cast<std::size_t>(ForceClass::total);

/// The element, or where the topology does not know it the type of Lennard-Jones parameters.
std::string element_of(const Topology& topology, std::size_t atom)
{
    const auto number = static_cast<std::size_t>(std::max(0, topology.atomic_number[atom]));
    if (number > 0 && number < element_symbols.size()) {
        return std::string(element_symbols[number]);
    }
    return "type " + topology.pairs.type_names.at(static_cast<std::size_t>(topology.type[atom]));
}

void keep_larger(double& largest, double value)
{
    if (!(std::fabs(value) <= std::fabs(largest))) { // NaN is kept
        largest = value;
    }
}

/// Three independent normal numbers.
Vec3 normal3(std::uint64_t seed, std::size_t atom, std::int64_t step)
{
    RandomStream random(seed, static_cast<std::uint32_t>(atom), step,
                        RandomPurpose::accuracy_control);
    const auto xy = random.normal2();
    return {xy[0], xy[1], random.normal2()[0]};
}

} // namespace

double pressure_of_virial(const Mat3& virial, const Box& box)
{
    return box.is_periodic() ? -2.0 / (3.0 * box.volume()) * trace(virial) / units::bar : 0.0;
}

AccuracyMargins margins_of(Precision precision)
{
    if (precision == Precision::mixed) {
        return {5e-6, 1e-4, 2e-6, 1e-6, 0.1, 1e-6, 1e-8};
    }
    // FP64: sums on a 2^-36 kJ/mol/nm grid, one rounding (4e-12 rms) a pair; forces of noble gases
    // are 1e2 kJ/mol/nm
    return {1e-11, 1e-9, 1e-11, 1e-12, 1e-6, 1e-15, 0.0};
}

double ErrorSums::rms() const
{
    return atoms > 0 ? std::sqrt(square / static_cast<double>(atoms)) : 0.0;
}

void ErrorSums::merge(const ErrorSums& other)
{
    atoms += other.atoms;
    square += other.square;
    if (!(other.largest <= largest)) {
        largest = other.largest;
        worst_atom = other.worst_atom;
    }
}

double FrameAccuracy::force_rms() const
{
    const auto atoms = static_cast<double>(error[total_index].atoms);
    return atoms > 0 ? std::sqrt(force_square / atoms) : 0.0;
}

bool PositiveControl::is_found_by_forces() const
{
    const double sd = injected / std::sqrt(2.0 * static_cast<double>(components));
    return std::fabs(found - injected) <= 5 * sd;
}

bool PositiveControl::is_found() const
{
    return is_found_by_forces() && expected &&
           std::fabs(power - expected->power) <= 4 * expected->deviation;
}

bool AccuracyRow::within() const
{
    return sense == Sense::at_most ? value <= margin : value >= margin;
}

AccuracyStudy::AccuracyStudy(std::shared_ptr<const Topology> topology,
                             const NonbondedSettings& settings, double ndf, double timestep,
                             double temperature, int threads)
    : topology_(std::move(topology)), precision_(settings.precision),
      has_mesh_(settings.lj_pme || settings.has_coulomb_lattice()), threads_(std::max(1, threads)),
      tested_(topology_, settings, PairPath::production),
      reference_(topology_, settings, PairPath::reference),
      noise_power_(*topology_, ndf, timestep, temperature)
{
    for (std::size_t a = 0; a < topology_->mass.size(); ++a) {
        element_.push_back(element_of(*topology_, a));
    }
}

FrameAccuracy AccuracyStudy::compare(const State& state, const ForcesByClass& tested,
                                     const ForcesByClass& reference)
{
    FrameAccuracy out;
    out.step = state.step;
    std::vector<Vec3> error(topology_->mass.size());
    for (std::size_t a = 0; a < error.size(); ++a) {
        if (!(topology_->mass[a] > 0)) {
            continue;
        }
        out.force_square += norm2(reference.of(ForceClass::total)[a]);
        error[a] = tested.of(ForceClass::total)[a] - reference.of(ForceClass::total)[a];
        auto& of_element = out.element_error[element_[a]];
        for (std::size_t c = 0; c < force_class_count; ++c) {
            const double square = norm2(tested.forces[c][a] - reference.forces[c][a]);
            const ErrorSums one{1, square, std::sqrt(square), static_cast<std::int32_t>(a)};
            out.error[c].merge(one);
            of_element[c].merge(one);
        }
    }
    const NoisePower::Heat heat = noise_power_.of(state.box, state.position, error, threads_);
    out.noise_power = heat.power;
    const Mat3 virial = tested.sums.virial() - reference.sums.virial();
    out.pressure_error = pressure_of_virial(virial, state.box);
    out.constrained_pressure_error = pressure_of_virial(virial + heat.constraint_virial, state.box);
    out.potential = reference.sums.potential();
    out.energy_error = tested.sums.potential() - out.potential;
    out.pair_force_sum = tested.pair_force_sum;
    return out;
}

const FrameAccuracy& AccuracyStudy::add(const State& state)
{
    std::vector<Vec3> x;
    for (const GridPosition& g : state.position) {
        x.push_back(to_nm(g));
    }
    const ForcesByClass tested = tested_.evaluate(state.box, x, threads_);
    last_reference_ = reference_.evaluate(state.box, x, threads_);
    last_state_ = state;
    unit_noise_.reset();
    has_fp32_pairs_ = tested.has_fp32_pairs;
    frames_.push_back(compare(state, tested, last_reference_));
    return frames_.back();
}

PositiveControl AccuracyStudy::inject_noise(double relative, std::uint64_t seed)
{
    const double rms = compare(last_state_, last_reference_, last_reference_).force_rms();
    const double sigma = relative * rms / std::sqrt(3.0);
    ForcesByClass noisy = last_reference_;
    PositiveControl out;
    for (std::size_t a = 0; a < topology_->mass.size(); ++a) {
        if (topology_->mass[a] > 0) {
            const Vec3 noise = sigma * normal3(seed, a, last_state_.step);
            noisy.of(ForceClass::pairs)[a] += noise;
            noisy.of(ForceClass::total)[a] += noise;
            out.components += 3;
        }
    }
    const FrameAccuracy judged = compare(last_state_, noisy, last_reference_);
    out.injected = relative;
    out.found = judged.error[pairs_index].rms() / rms;
    out.power = judged.noise_power;
    if (!unit_noise_) {
        unit_noise_ = noise_power_.of_white_noise(last_state_.box, last_state_.position, 1);
    }
    if (unit_noise_) {
        const double variance = sigma * sigma;
        out.expected = {variance * unit_noise_->power, variance * unit_noise_->deviation};
    }
    return out;
}

FrameAccuracy AccuracyStudy::joined() const
{
    FrameAccuracy all;
    for (const FrameAccuracy& f : frames_) {
        for (std::size_t c = 0; c < force_class_count; ++c) {
            all.error[c].merge(f.error[c]);
        }
        for (const auto& [element, errors] : f.element_error) {
            for (std::size_t c = 0; c < force_class_count; ++c) {
                all.element_error[element][c].merge(errors[c]);
            }
        }
        all.force_square += f.force_square;
        if (!(std::fabs(f.energy_error / f.potential) <=
              std::fabs(all.energy_error / all.potential))) {
            all.energy_error = f.energy_error;
            all.potential = f.potential;
        }
        keep_larger(all.pressure_error, f.pressure_error);
        keep_larger(all.constrained_pressure_error, f.constrained_pressure_error);
        all.noise_power += f.noise_power / static_cast<double>(frames_.size());
        for (std::size_t k = 0; k < 3; ++k) {
            all.pair_force_sum[k] = std::max(all.pair_force_sum[k], std::abs(f.pair_force_sum[k]));
        }
    }
    return all;
}

std::vector<AccuracyRow> AccuracyStudy::rows() const
{
    const AccuracyMargins margin = margins_of(precision_);
    const FrameAccuracy all = joined();
    const double force = all.force_rms();
    using Sense = AccuracyRow::Sense;
    std::vector<AccuracyRow> out;
    const auto add = [&out](const char* key, const char* text, const char* unit, double value,
                            double most, Sense sense = Sense::at_most) {
        out.push_back({key, text, unit, value, most, sense});
    };
    add("pair_rms", "pair forces, rms", "", all.error[pairs_index].rms() / force, margin.pair_rms);
    add("pair_max", "pair forces, largest", "", all.error[pairs_index].largest / force,
        margin.pair_max);
    if (has_fp32_pairs_) {
        add("pair_difference", "pair forces differ from FP64, rms", "",
            all.error[pairs_index].rms() / force, margin.least_difference, Sense::at_least);
    }
    std::int64_t sum = 0;
    for (const std::int64_t s : all.pair_force_sum) {
        sum = std::max(sum, s);
    }
    add("pair_force_sum", "sum of pair forces", "quanta", static_cast<double>(sum), 0);
    if (has_mesh_) {
        add("reciprocal_rms", "mesh forces, rms", "", all.error[reciprocal_index].rms() / force,
            margin.reciprocal_rms);
    }
    const double energy = all.energy_error == 0 ? 0 : std::fabs(all.energy_error / all.potential);
    add("energy", "potential energy", "", energy, margin.energy);
    if (last_state_.box.is_periodic()) {
        add("pressure", "pressure, of the forces", "bar", std::fabs(all.pressure_error),
            margin.pressure);
        add("pressure_constrained", "pressure, with constraints", "bar",
            std::fabs(all.constrained_pressure_error), margin.pressure);
    }
    add("noise_power", "noise power", "kT/ns/dof", all.noise_power, margin.noise_power);
    return out;
}

} // namespace tessera
