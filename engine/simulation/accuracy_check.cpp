#include "engine/simulation/accuracy_check.hpp"

#include "engine/base/error.hpp"
#include "engine/math/constants.hpp"
#include "engine/plans/constraint_plan.hpp"
#include "engine/simulation/accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tessera
{

namespace
{

constexpr double safety = 10;         // on the margins
constexpr double room_heat = 300;     // K, in place of 0 K: nothing is hot beside that
constexpr double short_time = 0.02;   // ps, a period of stiff motion
constexpr double usual_virial = 4000; // bar, of forces in water

double temperature_of(const DynamicsSettings& dynamics)
{
    const double t = dynamics.expected_temperature();
    return t > 0 ? t : room_heat;
}

/// What changes an atom's thermal momentum within a short time, kJ/mol/nm: some 300 at 300 K.
double thermal_force(const Topology& topology, double temperature)
{
    double mass = 0, atoms = 0;
    for (const double m : topology.mass) {
        mass += m;
        atoms += m > 0 ? 1 : 0;
    }
    return std::sqrt(mass / std::max(1.0, atoms) * constants::boltzmann * temperature) / short_time;
}

} // namespace

AccuracyCheck::AccuracyCheck(std::shared_ptr<const Topology> topology,
                             const NonbondedSettings& settings, const DynamicsSettings& dynamics,
                             double ndf, std::int64_t every, int threads,
                             std::function<void(const Finding&)> tell)
    : topology_(std::move(topology)), settings_(settings), precision_(settings.precision),
      every_(every), threads_(std::max(1, threads)),
      kinetic_(0.5 * std::max(1.0, ndf) * constants::boltzmann * temperature_of(dynamics)),
      thermal_force_(thermal_force(*topology_, temperature_of(dynamics))),
      make_noise_power_([topology = topology_, ndf = std::max(1.0, ndf),
                         timestep = dynamics.timestep, temperature = temperature_of(dynamics)] {
          return NoisePower(*topology, ndf, timestep, temperature);
      }),
      tell_(std::move(tell))
{
}

Interest AccuracyCheck::interest(std::int64_t step) const
{
    return {every_ > 0 && step % every_ == 0, {true, true}};
}

void AccuracyCheck::notify(const StepView& view)
{
    const Finding found = compare(view);
    if (tell_) {
        tell_(found);
    }
    judge(found);
}

AccuracyCheck::Finding AccuracyCheck::compare(const StepView& view)
{
    const State& state = view.state();
    std::vector<Vec3> x;
    x.reserve(state.position.size());
    for (const GridPosition& g : state.position) {
        x.push_back(to_nm(g));
    }
    const ForcesByClass reference = ForceClasses(topology_, settings_, PairPath::reference)
                                        .total(state.box, std::move(x), threads_);
    const std::vector<Vec3>& right = reference.of(ForceClass::total);
    std::vector<Vec3> error = view.forces();

    Finding out;
    out.step = state.step;
    out.time = state.time;
    double square = 0, force_square = 0, largest = 0, atoms = 0;
    for (std::size_t a = 0; a < error.size(); ++a) {
        if (!(topology_->mass[a] > 0)) {
            error[a] = {};
            continue;
        }
        error[a] -= right[a];
        atoms += 1;
        force_square += norm2(right[a]);
        square += norm2(error[a]);
        if (!(norm2(error[a]) <= largest)) {
            largest = norm2(error[a]);
            out.worst_atom = static_cast<std::int64_t>(a);
        }
    }
    const double scale = std::max(thermal_force_, std::sqrt(force_square / atoms));
    out.force_rms = std::sqrt(square / atoms) / scale;
    out.force_max = std::sqrt(largest) / scale;
    out.noise_power = make_noise_power_().of(state.box, state.position, error, threads_).power;
    const Observables& now = view.observables();
    const Mat3 virial = now.virial - now.constraint_virial - reference.sums.virial();
    out.pressure = pressure_of_virial(virial, state.box);
    out.whole_pressure = pressure_of_virial(reference.sums.virial(), state.box);
    const double potential = reference.sums.potential();
    out.energy = std::fabs(now.potential - potential) / std::max(kinetic_, std::fabs(potential));
    return out;
}

void AccuracyCheck::judge(const Finding& f) const
{
    const AccuracyMargins m = margins_of(precision_);
    const double pressure = m.pressure * std::max(1.0, std::fabs(f.whole_pressure) / usual_virial);
    const bool is_sound =
        f.force_rms <= safety * (m.pair_rms + m.reciprocal_rms) &&
        f.force_max <= safety * m.pair_max && f.noise_power <= safety * m.noise_power &&
        std::fabs(f.pressure) <= safety * pressure && f.energy <= safety * m.energy; // NaN is not
    if (is_sound) {
        return;
    }
    throw PhysicsError(fmt::format(
        "step {}, time {:.6g} ps: {}; the largest error is on {}. Ten times the margins of this "
        "precision are exceeded ({:.1g}, {:.1g}, {:.1g} kT/ns/dof, {:.1g} bar, {:.1g}): forces too "
        "strong for this precision, a shell of a crystal's neighbours right at the cut-off, or a "
        "fault of the program or of the machine. Set compute.precision = \"fp64\", and report it "
        "where that does not help; "
        "compute.check_every = 0 leaves the check out.",
        f.step, f.time, in_words(f),
        describe_atom(*topology_, std::max<std::int64_t>(0, f.worst_atom)),
        safety * (m.pair_rms + m.reciprocal_rms), safety * m.pair_max, safety * m.noise_power,
        safety * pressure, safety * m.energy));
}

std::string in_words(const AccuracyCheck::Finding& f)
{
    return fmt::format("forces differ from FP64 by {:.2e} rms and {:.2e} at most, noise power "
                       "{:.2e} kT/ns/dof, pressure {:.2e} bar, energy {:.2e}",
                       f.force_rms, f.force_max, f.noise_power, f.pressure, f.energy);
}

} // namespace tessera
