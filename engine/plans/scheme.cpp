#include "engine/plans/scheme.hpp"

#include <fmt/format.h>

namespace tessera
{

namespace
{

template <class... Cases>
struct Overloaded : Cases... {
    using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

template <class T>
bool is(const SubStep& sub)
{
    return std::holds_alternative<T>(sub);
}

std::string text(Fraction f)
{
    return f.part == f.parts ? "1" : fmt::format("{}/{}", f.part, f.parts);
}

} // namespace

Scheme constrained(const Scheme& scheme)
{
    Scheme out{{}, scheme.velocities_half_step_behind};
    bool moved = false; // velocities may hold components along the constraints
    const auto settle_velocities = [&] {
        if (moved && !scheme.velocities_half_step_behind) {
            out.sub_steps.emplace_back(ConstrainVelocities{});
        }
        moved = false;
    };
    for (const SubStep& sub : scheme) {
        if (is<MeterHeat>(sub) || is<RescaleVelocities>(sub) || is<MeasurePressure>(sub)) {
            settle_velocities();
        }
        out.sub_steps.push_back(sub);
        if (const auto* drift = std::get_if<Drift>(&sub)) {
            out.sub_steps.emplace_back(ConstrainPositions{drift->fraction});
        }
        if (is<Descend>(sub)) {
            out.sub_steps.emplace_back(ConstrainPositions{});
        }
        moved = moved || is<Drift>(sub) || is<Kick>(sub) || is<Thermalize>(sub);
    }
    settle_velocities();
    return out;
}

std::string to_text(const Scheme& scheme)
{
    std::string out;
    for (const SubStep& sub : scheme) {
        out += out.empty() ? "" : ", ";
        out += std::visit(
            Overloaded{
                [](const Kick& s) { return "kick " + text(s.fraction); },
                [](const Drift& s) { return "drift " + text(s.fraction); },
                [](const ConstrainPositions&) { return std::string("constrain positions"); },
                [](const ConstrainVelocities&) { return std::string("constrain velocities"); },
                [](const Thermalize& s) {
                    return fmt::format("thermalize to {} K at {}/ps", s.temperature, s.friction);
                },
                [](const MeterHeat& s) {
                    return std::string(s.sign < 0 ? "heat meter on" : "heat meter off");
                },
                [](const RescaleVelocities& s) {
                    return fmt::format("rescale velocities to {} K in {} ps", s.temperature,
                                       s.time);
                },
                [](const MeasurePressure&) { return std::string("measure pressure"); },
                [](const ScaleBox& s) {
                    return fmt::format("scale the box to {} kJ/mol/nm^3 in {} ps", s.pressure,
                                       s.time);
                },
                [](const RemoveComMotion& s) {
                    return fmt::format("remove centre-of-mass motion every {}", s.every);
                },
                [](const Forces&) { return std::string("forces"); },
                [](const Descend&) { return std::string("descend"); },
                [](const Judge&) { return std::string("judge"); }},
            sub);
    }
    return out;
}

} // namespace tessera
