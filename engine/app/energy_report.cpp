#include "engine/app/energy_report.hpp"

#include "engine/app/json_writer.hpp"
#include "engine/cpu/atom_label.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <set>
#include <type_traits>

namespace tessera
{

namespace
{

bool has_mesh(const NonbondedSettings& nonbonded)
{
    return nonbonded.electrostatics == Electrostatics::pme || nonbonded.lj_pme;
}

/// Overlapping atoms have energies of any size.
std::string in_column(double value, int width)
{
    return std::fabs(value) < 1e12 ? fmt::format("{:>{}.8f}", value, width)
                                   : fmt::format("{:>{}.8e}", value, width);
}

bool any_not_zero(const std::vector<double>& values)
{
    return std::any_of(values.begin(), values.end(), [](double v) { return v != 0; });
}

} // namespace

std::vector<EnergyKind> kinds_present(const Topology& topology, const NonbondedSettings& nonbonded)
{
    std::set<EnergyKind> present;
    const auto look_at = [&present](const auto& table) {
        using Term = std::decay_t<decltype(table.parameters.front())>;
        if (!table.empty()) {
            present.insert(Term::kind);
        }
    };
    std::apply([&](const auto&... tables) { (look_at(tables), ...); }, topology.terms);
    if (any_not_zero(topology.pairs.c6) || any_not_zero(topology.pairs.c12)) {
        present.insert(EnergyKind::lj);
    }
    if (nonbonded.lj_pme) {
        present.insert(EnergyKind::lj_reciprocal);
    }
    if (nonbonded.dispersion_correction != DispersionCorrection::none) {
        present.insert(EnergyKind::dispersion_correction);
    }
    if (any_not_zero(topology.charge) && nonbonded.electrostatics != Electrostatics::none) {
        present.insert(EnergyKind::coulomb_real);
        if (nonbonded.electrostatics == Electrostatics::pme ||
            nonbonded.electrostatics == Electrostatics::ewald) {
            present.insert(EnergyKind::coulomb_reciprocal);
        }
    }
    return {present.begin(), present.end()};
}

ForceSummary summary_of(const std::vector<Vec3>& forces)
{
    ForceSummary out;
    double sum = 0;
    for (std::size_t a = 0; a < forces.size(); ++a) {
        const double square = dot(forces[a], forces[a]);
        sum += square;
        if (!(std::sqrt(square) <= out.largest)) { // also NaN
            out.largest = std::sqrt(square);
            out.atom = static_cast<std::int32_t>(a);
        }
    }
    out.rms = forces.empty() ? 0 : std::sqrt(sum / static_cast<double>(forces.size()));
    return out;
}

std::string precision_in_words(const NonbondedSettings& nonbonded)
{
    if (nonbonded.precision == Precision::fp64) {
        return "FP64";
    }
    if (!std::isfinite(nonbonded.cutoff())) {
        return "mixed precision (without cut-off: pairs in FP64)";
    }
    return nonbonded.lj_pme ? "mixed precision (with LJ-PME: pairs and mesh of dispersion in FP64)"
                            : "mixed precision";
}

std::string energy_table(const Assembly& assembly, const SinglePoint& result)
{
    const Topology& topology = *assembly.topology;
    std::string out = fmt::format("{} atoms, {} on the CPU", topology.atoms(),
                                  precision_in_words(assembly.nonbonded));
    if (assembly.box.is_periodic()) {
        const Vec3 heights = assembly.box.heights();
        out += fmt::format(", box {:.6g} nm^3 (heights {:.5g} {:.5g} {:.5g} nm)",
                           assembly.box.volume(), heights.x, heights.y, heights.z);
    } else {
        out += ", open space";
    }
    out += fmt::format("\nCoulomb constant {:.12g} kJ/mol nm/e^2\n", topology.coulomb_constant);
    if (has_mesh(assembly.nonbonded)) {
        const auto& grid = assembly.nonbonded.pme_grid;
        out += fmt::format("PME: grid {} x {} x {}, order {}, beta {:.8g} /nm\n", grid[0], grid[1],
                           grid[2], assembly.nonbonded.pme_order, assembly.nonbonded.ewald_beta);
    }
    out += "\nenergy                          kJ/mol\n";
    for (const EnergyKind kind : kinds_present(topology, assembly.nonbonded)) {
        out += fmt::format("  {:<22} {}\n", name_of(kind), in_column(result.sums.energy(kind), 20));
    }
    out += fmt::format("  {:<22} {}\n", "potential", in_column(result.sums.potential(), 20));
    const ForceSummary forces = summary_of(result.forces);
    out += fmt::format("\nforces: rms {:.8g} kJ/mol/nm", forces.rms);
    if (topology.atoms() > 0) {
        out += fmt::format(", largest {:.8g} kJ/mol/nm on atom {}", forces.largest,
                           atom_label(topology, forces.atom));
    }
    const Mat3 virial = result.sums.virial();
    out += "\nvirial, kJ/mol (forces alone)\n";
    for (int k = 0; k < 3; ++k) {
        out += fmt::format("  {} {} {}\n", in_column(virial[k].x, 18), in_column(virial[k].y, 18),
                           in_column(virial[k].z, 18));
    }
    for (const std::string& note : result.notes) {
        out += "note: " + note + '\n';
    }
    return out;
}

std::string energy_json(const Assembly& assembly, const SinglePoint& result)
{
    JsonWriter json;
    json.begin_object();
    json.whole("atoms", assembly.topology->atoms());
    if (assembly.box.is_periodic()) {
        json.matrix("box_nm", assembly.box.vectors());
    } else {
        json.raw("box_nm", "null");
    }
    json.text("precision", assembly.nonbonded.precision == Precision::mixed ? "mixed" : "fp64");
    json.text("device", "cpu");
    json.begin_object("energies_kJ_mol");
    for (const EnergyKind kind : kinds_present(*assembly.topology, assembly.nonbonded)) {
        json.number(name_of(kind), result.sums.energy(kind));
    }
    json.number("potential", result.sums.potential());
    json.end_object();
    json.matrix("virial_kJ_mol", result.sums.virial());
    const ForceSummary forces = summary_of(result.forces);
    json.number("force_rms", forces.rms);
    json.number("force_max", forces.largest);
    if (has_mesh(assembly.nonbonded)) {
        const auto& grid = assembly.nonbonded.pme_grid;
        json.begin_object("pme");
        json.raw("grid", fmt::format("[{}, {}, {}]", grid[0], grid[1], grid[2]));
        json.number("beta_per_nm", assembly.nonbonded.ewald_beta);
        json.end_object();
    }
    if (!result.notes.empty()) {
        std::string notes = "[";
        for (const std::string& note : result.notes) {
            notes += (notes.size() > 1 ? ", " : "") + json_string(note);
        }
        json.raw("notes", notes + "]");
    }
    json.end_object();
    return json.str();
}

std::string forces_text(const std::vector<Vec3>& forces)
{
    fmt::memory_buffer out;
    for (const Vec3& f : forces) {
        fmt::format_to(std::back_inserter(out), "{:.17g} {:.17g} {:.17g}\n", f.x, f.y, f.z);
    }
    return fmt::to_string(out);
}

} // namespace tessera
