#pragma once

#include "engine/simulation/simulation.hpp"
#include "io/hash_log.hpp"

#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace tessera::support
{

/// What a run is made of.
struct RunSetup {
    std::shared_ptr<const Topology> topology;
    NonbondedSettings nonbonded;
    DynamicsSettings dynamics;
    State start;
};

/// How the same run is computed.
struct Circumstances {
    int threads = 1;
    std::uint64_t shuffle_seed = 0;

    [[nodiscard]] std::string text() const
    {
        return fmt::format("{} thread{}, shuffle {}", threads, threads > 1 ? "s" : "",
                           shuffle_seed);
    }
};

/// Every array that a checkpoint of the run holds, bit by bit, and what is at hand beside it.
using Arrays = std::map<std::string, std::string>;

inline Arrays arrays_of(Simulation& simulation)
{
    Arrays out;
    const auto put = [&out](const std::string& name, const auto& values) {
        std::string& bytes = out[name];
        bytes.resize(values.size() * sizeof(values[0]));
        if (!bytes.empty()) {
            std::memcpy(bytes.data(), values.data(), bytes.size());
        }
    };
    const auto put_one = [&](const std::string& name, const auto& value) {
        put(name, std::vector<std::decay_t<decltype(value)>>{value});
    };
    const State& state = simulation.state();
    put("position", state.position);
    put("velocity", state.velocity);
    put_one("cell", state.box.vectors());
    put_one("step", state.step);
    put_one("time", state.time);
    put_one("half step behind", static_cast<int>(state.velocities_half_step_behind));
    for (const auto& [name, values] : simulation.export_extra()) {
        put(name, values);
    }
    put("forces", simulation.forces());
    const Observables& o = simulation.observables();
    put("energies", o.energy);
    put_one("conserved", o.conserved);
    put_one("kinetic energy", o.kinetic_tensor);
    put_one("virial", o.virial);
    return out;
}

/// Names of the arrays in which two runs differ; empty: the same bits.
inline std::string differences(const Arrays& a, const Arrays& b)
{
    std::string out;
    for (const auto& [name, bytes] : a) {
        const auto other = b.find(name);
        if (other == b.end() || other->second != bytes) {
            out += (out.empty() ? "" : ", ") + name;
        }
    }
    return out + (a.size() == b.size() ? "" : " (not the same arrays)");
}

/// Equal garbage is equal: asserts at its steps that energies are finite, forces those of a liquid,
/// and the temperature within bounds.
class Sanity : public Observer {
public:
    Sanity(std::int64_t every, double coldest, double hottest)
        : every_(every), coldest_(coldest), hottest_(hottest)
    {
    }
    [[nodiscard]] Interest interest(std::int64_t step) const override
    {
        const bool listens = step % every_ == 0;
        return {listens, {listens, listens}};
    }
    void notify(const StepView& view) override
    {
        constexpr double largest = 50000; // kJ/mol/nm: ten times a bond's usual force
        const Observables& o = view.observables();
        EXPECT_TRUE(std::isfinite(o.potential) && std::isfinite(o.conserved)) << o.step;
        EXPECT_LT(o.potential, 0) << o.step;
        EXPECT_GT(o.temperature, coldest_) << o.step;
        EXPECT_LT(o.temperature, hottest_) << o.step;
        for (const Vec3& f : view.forces()) {
            ASSERT_LT(norm(f), largest) << o.step;
        }
    }

private:
    std::int64_t every_;
    double coldest_, hottest_;
};

/// A run and what it left.
struct Outcome {
    Arrays arrays;
    std::string hashes; ///< as in a log, every tenth of the run
};

inline Outcome outcome(RunSetup setup, const Circumstances& how, std::int64_t steps)
{
    setup.nonbonded.shuffle_seed = how.shuffle_seed;
    Simulation simulation(setup.topology, setup.nonbonded, setup.dynamics, setup.start,
                          how.threads);
    std::ostringstream hashes;
    const std::int64_t every = std::max<std::int64_t>(1, steps / 10);
    HashLog log(hashes, every);
    Sanity sanity(every, 150, 700); // starts are not equilibrated, and small systems fluctuate
    simulation.add_observer(log);
    simulation.add_observer(sanity);
    simulation.run(setup.start.step + steps);
    return {arrays_of(simulation), hashes.str()};
}

/// The first line of b that is not in a at its place: step and phase where runs part.
inline std::string first_difference(const std::string& a, const std::string& b)
{
    std::istringstream one(a), other(b);
    std::string left, right;
    while (std::getline(one, left) && std::getline(other, right)) {
        if (left != right) {
            return right;
        }
    }
    return "";
}

/// Whether the run under other circumstances has the bits of `reference`; told in words if not.
inline ::testing::AssertionResult has_bits_of(const Outcome& reference, const Outcome& run)
{
    const std::string arrays = differences(reference.arrays, run.arrays);
    const std::string phase = first_difference(reference.hashes, run.hashes);
    if (arrays.empty() && phase.empty() && !run.hashes.empty()) {
        return ::testing::AssertionSuccess();
    }
    return ::testing::AssertionFailure()
           << "differ: " << (arrays.empty() ? "no array" : arrays) << "; first: " << phase;
}

} // namespace tessera::support
