#!/usr/bin/env python3
"""check_committed_references.py TESSERA FOLDER --expected N [--precision mixed]

Runs `tessera energy` on every reference below FOLDER (tests/data/references: see its README) and compares
energy terms, forces and, where nothing is constrained, the virial. Fails when one differs, when an energy of
the reference has no counterpart, or when another number of references ran than expected."""

import argparse
import gzip
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

# GROMACS' name of an energy -> the key of `tessera energy --json` that holds it.
KEY = {
    "Bond": "bond", "G96Bond": "bond", "Morse": "bond", "Cubic Bonds": "bond", "Connect Bonds": "bond",
    "FENE Bonds": "bond", "Harmonic Pot.": "bond", "Restraint Pot.": "bond",
    "Angle": "angle", "G96Angle": "angle", "Bond-Cross": "angle", "BA-Cross": "angle",
    "Quartic Angles": "angle", "Lin. Angle": "angle", "Restr. Angles": "angle",
    "U-B": "urey_bradley",
    "Proper Dih.": "proper_dihedral", "Restr. Dih.": "proper_dihedral", "CBT Dih.": "proper_dihedral",
    "Ryckaert-Bell.": "ryckaert_bellemans", "Fourier Dih.": "ryckaert_bellemans",
    "Improper Dih.": "improper", "Per. Imp. Dih.": "periodic_improper", "CMAP Dih.": "cmap",
    "LJ-14": "lj_14", "Coulomb-14": "coulomb_14", "Position Rest.": "position_restraint",
    "Polarization": "polarization", "Anharm. Pol.": "polarization", "Water Pol.": "polarization",
    "Thole Pol.": "polarization",
    "LJ (SR)": "lj", "LJ recip.": "lj_reciprocal", "Coulomb (SR)": "coulomb_real",
    "Coul. recip.": "coulomb_reciprocal", "Disper. corr.": "dispersion_correction",
    "Potential": "potential",
}
# ENERGY: GROMACS' tabulated kernels reach 1e-9 to 1e-8; the project asks for 1e-6. Mixed precision: the mesh's energy
# comes from an FP32 transform, some 1e-7. FORCES: root mean square of the difference by that of the forces; mixed
# precision: 1e-6 to 2e-6 from FP32 pairs, positions on 2^-23 nm and the quantum of 2^-14 kJ/mol/nm. VIRIAL: of the
# largest element, into which the same errors go.
TOLERANCES = {"fp64": {"ENERGY": 1e-6, "FORCES": 1e-6, "VIRIAL": 1e-6},
              "mixed": {"ENERGY": 1e-5, "FORCES": 5e-6, "VIRIAL": 1e-5}}
RELATIVE = dict(TOLERANCES["fp64"])
PRECISION = ["fp64"]
ENERGY_ABSOLUTE = 1e-4   # kJ/mol, for terms near zero
FORCES_FLOOR = 10.0      # kJ/mol/nm: what forces are compared with where they cancel
VIRIAL_ABSOLUTE = 1e-4   # kJ/mol
VIRIAL_PLACE = {"Vir-XX": (0, 0), "Vir-YY": (1, 1), "Vir-ZZ": (2, 2),
                "Vir-XY": (0, 1), "Vir-XZ": (0, 2), "Vir-YZ": (1, 2)}

MODIFIER = {"none": "none", "potential-shift": "potential-shift", "force-switch": "force-switch",
            "potential-switch": "potential-switch"}
ELECTROSTATICS = {"pme": "pme", "ewald": "ewald", "reaction-field": "reaction-field", "cut-off": "cutoff"}
DISPERSION = {"no": "none", "ener": "energy", "enerpres": "energy-and-pressure"}


def read_settings(path):
    """The key = value lines of an .mdp; names as GROMACS compares them, values in lower case."""
    settings = {}
    for line in path.read_text().splitlines():
        name, equals, value = line.split(";")[0].partition("=")
        if equals:
            settings[name.strip().lower().replace("_", "-")] = value.strip().lower()
    return settings


def deck_of(reference, settings, folder):
    """The deck that asks for the same energy."""
    quote = json.dumps
    system = {"topology": quote(str(folder / reference["top"])),
              "coordinates": quote(str(folder / reference["gro"]))}
    if "restraint_reference" in reference:
        system["restraint_reference"] = quote(str(folder / reference["restraint_reference"]))
    nonbonded, pme = {}, {}
    coulomb = ELECTROSTATICS[settings["coulombtype"]]
    nonbonded["electrostatics"] = quote(coulomb)
    if reference["mdp"] == "vac.mdp":
        system["periodic"] = "false"
    else:
        nonbonded["lj_cutoff"] = quote(settings["rvdw"] + " nm")
        nonbonded["coulomb_cutoff"] = quote(settings["rcoulomb"] + " nm")
        nonbonded["lj_modifier"] = quote(MODIFIER[settings["vdw-modifier"]])
        nonbonded["coulomb_modifier"] = quote(MODIFIER[settings["coulomb-modifier"]])
        nonbonded["dispersion_correction"] = quote(DISPERSION[settings["dispcorr"]])
        if "rvdw-switch" in settings:
            nonbonded["lj_switch"] = quote(settings["rvdw-switch"] + " nm")
        if coulomb == "reaction-field":
            permittivity = float(settings["epsilon-rf"])
            nonbonded["reaction_field_permittivity"] = str(permittivity) if permittivity else "inf"
        if coulomb in ("pme", "ewald"):
            pme["tolerance"] = repr(float(settings["ewald-rtol"]))
        if coulomb == "pme":
            pme["grid"] = str(reference["grid"])
            pme["order"] = settings["pme-order"]
        if settings["vdwtype"] == "pme":
            pme["lj"] = "true"
            pme["lj_tolerance"] = repr(float(settings["ewald-rtol-lj"]))
            pme["lj_combination"] = quote(settings["lj-pme-comb-rule"])
    tables = {"system": system, "nonbonded": nonbonded, "pme": pme,
              "run": {"constraints": '"none"'},
              "compute": {"precision": quote(PRECISION[0]), "device": '"cpu"'}}
    return "".join(f"[{table}]\n" + "".join(f"{key} = {value}\n" for key, value in keys.items())
                   for table, keys in tables.items() if keys)


def read_vectors(text):
    return [[float(word) for word in line.split()] for line in text.splitlines() if not line.startswith("#")]


def energy_faults(found, reference):
    expected = {}
    for name, value in reference.items():
        if name not in KEY:
            yield f"the energy '{name}' has no counterpart"
            continue
        expected[KEY[name]] = expected.get(KEY[name], 0.0) + value
    for key, value in expected.items():
        got = found.get(key, 0.0)
        if not abs(got - value) <= max(ENERGY_ABSOLUTE, RELATIVE["ENERGY"] * abs(value)):
            yield f"{key} is {got:.10g}, not {value:.10g} kJ/mol"
    for key, value in found.items():
        if key not in expected and not abs(value) <= ENERGY_ABSOLUTE:
            yield f"{key} is {value:.10g} kJ/mol; the reference has none"
    total = sum(value for key, value in found.items() if key != "potential")
    size = sum(abs(value) for value in found.values())
    if not abs(total - found["potential"]) <= 1e-6 + 1e-9 * size:
        yield f"the terms sum to {total:.10g}, the potential is {found['potential']:.10g} kJ/mol"


def force_faults(found, reference):
    if len(found) != len(reference):
        yield f"{len(found)} forces, not {len(reference)}"
        return
    difference = sum((a - b) ** 2 for f, g in zip(found, reference) for a, b in zip(f, g))
    size = max(sum(b * b for g in reference for b in g), len(reference) * FORCES_FLOOR ** 2)
    if not math.sqrt(difference / size) <= RELATIVE["FORCES"]:
        yield f"forces differ by {math.sqrt(difference / size):.1e} of their root mean square"


def virial_faults(found, reference):
    size = max(abs(value) for value in reference.values())
    for name, (row, column) in VIRIAL_PLACE.items():
        if not abs(found[row][column] - reference[name]) <= RELATIVE["VIRIAL"] * size + VIRIAL_ABSOLUTE:
            yield f"{name} is {found[row][column]:.10g}, not {reference[name]:.10g} kJ/mol"


def check(tessera, path):
    """What is wrong with one reference: sentences, none if it holds."""
    reference = json.loads(path.read_text())
    folder = path.parent.parent.resolve()
    settings = read_settings(path.with_suffix(".mdp"))
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        (scratch / "deck.toml").write_text(deck_of(reference, settings, folder))
        run = subprocess.run([tessera, "energy", str(scratch / "deck.toml"), "--json", str(scratch / "e.json"),
                              "--forces", str(scratch / "f.txt")], capture_output=True, text=True)
        if run.returncode != 0:
            return [f"exit status {run.returncode}: {run.stderr.strip()}"]
        found = json.loads((scratch / "e.json").read_text())
        forces = read_vectors((scratch / "f.txt").read_text())
    faults = list(energy_faults(found["energies_kJ_mol"], reference["energies_kJ_mol"]))
    with gzip.open(path.with_suffix(".forces.txt.gz"), "rt") as text:
        faults += force_faults(forces, read_vectors(text.read()))
    topology = (folder / reference["top"]).read_text()
    if "virial_kJ_mol" in reference and not re.search(r"^\s*\[\s*(settles|constraints)\s*\]", topology, re.MULTILINE):
        faults += virial_faults(found["virial_kJ_mol"], reference["virial_kJ_mol"])
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tessera")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--expected", type=int, required=True, help="how many references there are")
    parser.add_argument("--precision", choices=sorted(TOLERANCES), default="fp64")
    options = parser.parse_args()
    PRECISION[0] = options.precision
    RELATIVE.update(TOLERANCES[options.precision])

    ran = failed = 0
    for path in sorted(options.folder.glob("*/ref/*.json")):
        ran += 1
        faults = check(options.tessera, path)
        failed += bool(faults)
        for fault in faults:
            print(f"{path.relative_to(options.folder)}: {fault}")
    print(f"{ran} references ran, {ran - failed} hold")
    if ran != options.expected:
        print(f"{options.expected} references were expected (tests/references/CMakeLists.txt)")
    return 0 if failed == 0 and ran == options.expected else 1


if __name__ == "__main__":
    sys.exit(main())
