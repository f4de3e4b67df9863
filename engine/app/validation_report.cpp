#include "engine/app/validation_report.hpp"

#include "engine/app/json_writer.hpp"
#include "engine/cpu/atom_label.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tessera
{

namespace
{

constexpr const char* not_run = "T3 (energy increments without thermostat), T4 (energy drift) and "
                                "T6 (same bits on threads and ranks)";

std::string verdict_of(const AccuracyRow& row)
{
    return row.within() ? "within" : "beyond";
}

/// Where T2 has no prediction T1 alone is judged.
const char* verdict_of(const PositiveControl& control)
{
    if (!control.expected) {
        return control.is_found_by_forces() ? "found by T1" : "missed";
    }
    return control.is_found() ? "found" : "missed";
}

std::string classes_text(const Validation& v, const Topology& topology)
{
    std::string out = "\nby class                      rms       largest  on atom\n";
    for (std::size_t c = 0; c < force_class_count; ++c) {
        const ErrorSums& e = v.joined.error[c];
        out += fmt::format("  {:<22} {:>10.2e}  {:>12.2e}  {}\n", force_class_names[c],
                           e.rms() / v.force_rms, e.largest / v.force_rms,
                           e.largest > 0 ? atom_label(topology, e.worst_atom) : "-");
    }
    out += "\nby element             atoms  rms, pairs    rms, total  largest, total\n";
    for (const auto& [element, errors] : v.joined.element_error) {
        const ErrorSums& pairs = errors[static_cast<std::size_t>(ForceClass::pairs)];
        const ErrorSums& total = errors[static_cast<std::size_t>(ForceClass::total)];
        out += fmt::format("  {:<14} {:>11}  {:>10.2e}  {:>12.2e}  {:>14.2e}\n", element,
                           pairs.atoms / static_cast<std::int64_t>(v.frames.size()),
                           pairs.rms() / v.force_rms, total.rms() / v.force_rms,
                           total.largest / v.force_rms);
    }
    return out;
}

std::string controls_text(const Validation& v)
{
    std::string out = "\npositive control: white noise on FP64 forces, must be found\n"
                      "  injected rms      T1 finds     T2 finds      predicted, kT/ns/dof\n";
    for (const PositiveControl& c : v.controls) {
        const std::string predicted =
            c.expected ? fmt::format("{:.4e} +- {:.1e}", c.expected->power, c.expected->deviation)
                       : "none: too many bonds";
        out += fmt::format("  {:>12.0e}  {:>12.4e} {:>12.4e}  {:>22}  {}\n", c.injected, c.found,
                           c.power, predicted, verdict_of(c));
    }
    return out;
}

std::string errors_json(const std::array<ErrorSums, force_class_count>& errors, double force)
{
    std::string out;
    for (std::size_t c = 0; c < force_class_count; ++c) {
        out +=
            fmt::format("{}\"{}\": {{\"rms\": {}, \"max\": {}, \"atom\": {}}}", c == 0 ? "{" : ", ",
                        force_class_names[c], json_number(errors[c].rms() / force),
                        json_number(errors[c].largest / force), errors[c].worst_atom + 1);
    }
    return out + "}";
}

std::string frames_json(const Validation& v)
{
    std::vector<std::string> frames;
    for (const FrameAccuracy& f : v.frames) {
        frames.push_back(fmt::format(
            "\n    {{\"step\": {}, \"force_rms\": {}, \"errors\": {}, \"potential_kJ_mol\": {}, "
            "\"energy_error_kJ_mol\": {}, \"pressure_error_bar\": {}, "
            "\"constrained_pressure_error_bar\": {}, \"noise_power_kT_ns_dof\": {}}}",
            f.step, json_number(f.force_rms()), errors_json(f.error, v.force_rms),
            json_number(f.potential), json_number(f.energy_error), json_number(f.pressure_error),
            json_number(f.constrained_pressure_error), json_number(f.noise_power)));
    }
    return fmt::format("[{}]", fmt::join(frames, ","));
}

std::string controls_json(const Validation& v)
{
    std::vector<std::string> controls;
    for (const PositiveControl& c : v.controls) {
        controls.push_back(fmt::format(
            "\n    {{\"injected\": {}, \"found\": {}, \"noise_power\": {}, \"predicted\": {}, "
            "\"predicted_deviation\": {}, \"verdict\": \"{}\"}}",
            json_number(c.injected), json_number(c.found), json_number(c.power),
            c.expected ? json_number(c.expected->power) : "null",
            c.expected ? json_number(c.expected->deviation) : "null", verdict_of(c)));
    }
    return fmt::format("[{}]", fmt::join(controls, ","));
}

} // namespace

bool Validation::is_within() const
{
    return std::all_of(rows.begin(), rows.end(), [](const auto& row) { return row.within(); }) &&
           std::all_of(controls.begin(), controls.end(), [](const auto& c) {
               return c.is_found() || (!c.expected && c.is_found_by_forces());
           });
}

std::string validation_table(const Validation& v, const Topology& topology)
{
    std::string out = fmt::format(
        "{}\n{} frames, rms of the total force {:.6g} kJ/mol/nm; heat at a step of {:.6g} fs and "
        "{:.6g} K\n\n"
        "errors against FP64 (of forces: over the rms of the total force)\n",
        v.system, v.frames.size(), v.force_rms, 1000 * v.timestep, v.temperature);
    for (const AccuracyRow& row : v.rows) {
        const bool most = row.sense == AccuracyRow::Sense::at_most;
        out += fmt::format("  {:<36} {:>10.2e}  {:<9} {} {:<8.0e} {} the margin\n", row.text,
                           row.value, row.unit, most ? "<=" : ">=", row.margin, verdict_of(row));
    }
    out += classes_text(v, topology) + controls_text(v);
    for (const std::string& note : v.notes) {
        out += "\nnote: " + note;
    }
    out += fmt::format("\nnote: {} were not run: they are not built yet.\n\n", not_run);
    out += v.is_within() ? "T1 and T2 are within their margins.\n"
                         : "T1 or T2 is beyond its margin: see the lines above.\n";
    return out;
}

std::string validation_json(const Validation& v, const Assembly& assembly)
{
    JsonWriter json;
    json.begin_object();
    json.text("verdict", v.is_within() ? "within" : "beyond");
    json.raw("tests_run", R"(["T1", "T2"])");
    json.raw("tests_not_run", R"(["T3", "T4", "T6"])");
    json.text("precision", assembly.nonbonded.precision == Precision::mixed ? "mixed" : "fp64");
    json.text("device", "cpu");
    json.whole("atoms", assembly.topology->atoms());
    json.number("timestep_ps", v.timestep);
    json.number("temperature_K", v.temperature);
    json.number("force_rms_kJ_mol_nm", v.force_rms);
    json.begin_object("margins");
    for (const AccuracyRow& row : v.rows) {
        json.begin_object(row.key);
        json.number("value", row.value);
        json.number("margin", row.margin);
        json.text("sense", row.sense == AccuracyRow::Sense::at_most ? "at most" : "at least");
        json.text("unit", row.unit);
        json.text("verdict", verdict_of(row));
        json.end_object();
    }
    json.end_object();
    json.raw("errors", errors_json(v.joined.error, v.force_rms));
    json.begin_object("elements");
    for (const auto& [element, errors] : v.joined.element_error) {
        json.raw(element, errors_json(errors, v.force_rms));
    }
    json.end_object();
    json.raw("controls", controls_json(v));
    json.raw("frames", frames_json(v));
    std::vector<std::string> notes;
    for (const std::string& note : v.notes) {
        notes.push_back(json_string(note));
    }
    json.raw("notes", fmt::format("[{}]", fmt::join(notes, ", ")));
    json.end_object();
    return json.str();
}

} // namespace tessera
