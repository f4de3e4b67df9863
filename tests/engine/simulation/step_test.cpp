#include "engine/simulation/simulation.hpp"

#include <gmock/gmock.h>

namespace tessera
{
namespace
{

using ::testing::ElementsAre;

template <class... Cases>
struct Overloaded : Cases... {
    using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

/// Moves nothing and writes down what it is asked for.
class RecordingBackend : public Backend {
public:
    explicit RecordingBackend(std::vector<std::string>& log) : log_(log) {}

    void load(const State& state) override { state_ = state; }
    [[nodiscard]] const State& state() const override { return state_; }
    void begin_forces(Wanted wanted) override
    {
        log_.push_back(std::string("begin forces") + (wanted.energies ? " energies" : "") +
                       (wanted.virial ? " virial" : ""));
    }
    void add_local_forces(Wanted) override { log_.emplace_back("local"); }
    LongRangeToken begin_long_range(Wanted wanted) override
    {
        log_.emplace_back("long range");
        return LongRangeToken(wanted);
    }
    void join(LongRangeToken token) override
    {
        EXPECT_TRUE(token.is_open());
        log_.emplace_back("join");
    }
    void finish_forces(Wanted) override { log_.emplace_back("finish forces"); }
    void perform(const SubStep& sub) override
    {
        log_.emplace_back(std::visit(Overloaded{[](const Kick&) { return "kick"; },
                                                [](const Drift&) { return "drift"; },
                                                [](const auto&) { return "other"; }},
                                     sub));
    }
    void advance_clock() override
    {
        ++state_.step;
        log_.emplace_back("clock");
    }
    void project_positions() override { log_.emplace_back("project"); }
    void adopt_velocities(bool) override { log_.emplace_back("adopt"); }
    void draw_velocities(double, std::uint64_t) override { log_.emplace_back("draw"); }
    [[nodiscard]] const EnergySums& energies() const override { return energies_; }
    [[nodiscard]] std::vector<Vec3> forces() const override { return {}; }
    Motion measure_motion() override { return {}; }
    [[nodiscard]] double degrees_of_freedom() const override { return 3; }
    [[nodiscard]] bool has_constraints() const override { return false; }
    [[nodiscard]] BathEnergies bath_energies() const override { return {}; }
    LargestForce largest_free_force() override { return {}; }
    std::string part_coincident_atoms() override { return {}; }
    [[nodiscard]] std::string describe(std::int64_t) const override { return {}; }
    [[nodiscard]] double trial_length() const override { return 1; }
    [[nodiscard]] ExtraState export_extra() const override { return {}; }
    void import_extra(const ExtraState&) override {}
    PhaseTimes& times() override { return times_; }

private:
    std::vector<std::string>& log_;
    State state_;
    EnergySums energies_;
    PhaseTimes times_;
};

DynamicsSettings leap_frog_settings()
{
    DynamicsSettings settings;
    settings.remove_com_every = 0;
    return settings;
}

class Listener : public Observer {
public:
    Listener(std::int64_t every, Wanted wanted, std::vector<std::string>& log)
        : every_(every), wanted_(wanted), log_(log)
    {
    }
    [[nodiscard]] Interest interest(std::int64_t step) const override
    {
        return {step % every_ == 0, wanted_};
    }
    void notify(const StepView& view) override
    {
        log_.push_back("heard " + std::to_string(view.state().step));
    }

private:
    std::int64_t every_;
    Wanted wanted_;
    std::vector<std::string>& log_;
};

TEST(SimulationStep, JoinsTheLongRangeBeforeAnyoneReadsForces)
{
    std::vector<std::string> log;
    Simulation simulation(std::make_unique<RecordingBackend>(log), leap_frog_settings());
    simulation.begin();
    log.clear();

    simulation.step();

    EXPECT_THAT(log, ElementsAre("kick", "drift", "begin forces", "long range", "local", "join",
                                 "finish forces", "clock"));
}

TEST(SimulationStep, ComputesEnergiesOnlyWhereSomebodyAsks)
{
    std::vector<std::string> log;
    Simulation simulation(std::make_unique<RecordingBackend>(log), leap_frog_settings());
    Listener energies(3, {true, false}, log), positions(2, {}, log);
    simulation.add_observer(energies);
    simulation.add_observer(positions);

    simulation.run(3);

    std::erase_if(log, [](const std::string& s) {
        return !s.starts_with("begin forces") && !s.starts_with("heard");
    });
    EXPECT_THAT(log,
                ElementsAre("begin forces energies virial", "heard 0", "heard 0", "begin forces",
                            "begin forces", "heard 2", "begin forces energies", "heard 3"));
}

TEST(SimulationBegin, ProjectsAndAdoptsAFreshStateOnly)
{
    std::vector<std::string> fresh, continued;
    Simulation a(std::make_unique<RecordingBackend>(fresh), leap_frog_settings());
    State half;
    half.velocities_half_step_behind = true;
    auto backend = std::make_unique<RecordingBackend>(continued);
    backend->load(half);
    Simulation b(std::move(backend), leap_frog_settings(), StartKind::continued);

    a.begin();
    b.begin();

    EXPECT_THAT(fresh, ElementsAre("project", "begin forces energies virial", "long range", "local",
                                   "join", "finish forces", "adopt"));
    EXPECT_THAT(continued, ElementsAre("begin forces energies virial", "long range", "local",
                                       "join", "finish forces"));
}

TEST(SimulationBegin, ShowsAContinuedStateToNobodyAgain)
{
    std::vector<std::string> log;
    Simulation simulation(std::make_unique<RecordingBackend>(log), leap_frog_settings(),
                          StartKind::continued);
    Listener listener(1, {}, log);
    simulation.add_observer(listener);

    simulation.run(2);

    std::erase_if(log, [](const std::string& s) { return !s.starts_with("heard"); });
    EXPECT_THAT(log, ElementsAre("heard 1", "heard 2"));
}

} // namespace
} // namespace tessera
