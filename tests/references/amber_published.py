#!/usr/bin/env python3
"""amber_published.py TESSERA SYSTEMS_DIR [NAME ...] [--threads N]
Energies that sander, cpptraj and OpenMM publish for Amber and CHARMM systems, and GROMACS of the Amber decks in inputs/, against `tessera
energy`. kcal/mol; for published values water bonds are counted as in the files (rigid_water = false) and the Coulomb constant is the format's.
Exit status: 0 all hold, 1 some do not. Cases below SYSTEMS_DIR are passed over, and that is said, where their files are absent; their numbers stand
in the note beside each system with their source. What differs from conversions, and why: amber_differences.md."""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

KCAL = 4.184
HERE = os.path.dirname(os.path.abspath(__file__))
# tolerances, kcal/mol unless said otherwise
PRINTED = 1.0e-4   # four printed decimals, each term of a sum rounded on its own
SNAPPED = 3.0e-4   # sander takes phases of 3.141594, as LEaP writes them, for pi; with pi the T4 dihedrals are 750.17699
EIGHT = 1.0e-7     # eight printed decimals
FULL = 2.0e-7      # relative: more digits printed than the parameters' own 9 allow
EWALD = 5.0e-7     # relative: the published sums stop at 1e-7 to 1e-9 of each part; their two differ by 3e-7
UNSTATED = 4.5e-5  # relative: neither splitting nor mesh of the published run is known; exact sums are computed here

VACUUM = {"system": {"periodic": "false"}, "nonbonded": {"electrostatics": '"cutoff"'}}


def pme(cutoff, tail, grid, order, tolerance=1e-5, beta=None, **more):
    """A deck of plain Lennard-Jones and PME. On a fine mesh what is left is the published run's own mesh error."""
    deck = {
        "nonbonded": {"cutoff": f'"{cutoff} nm"', "lj_modifier": '"none"', "electrostatics": '"pme"',
                      "dispersion_correction": '"energy"' if tail else '"none"'},
        "pme": {"grid": str(grid), "order": str(order)},
    }
    if beta:
        deck["pme"]["beta"] = f'"{beta} /nm"'
    else:
        deck["pme"]["tolerance"] = repr(tolerance)
    deck["pme"].update(more)
    return deck


DIHEDRALS = ("proper_dihedral", "periodic_improper")
ELECTROSTATICS = ("coulomb_real", "coulomb_reciprocal")
# Amber's tail of dispersion takes the mean of C6 over all N^2 pairs of atoms, self and excluded ones too; the engine's over pairs that act. So
# the published sum is compared with the engine's pairs plus Amber's tail, computed here from the file.
VDW = ("lj", "amber_tail")
NONBONDED = ELECTROSTATICS + ("lj", "lj_14", "coulomb_14")

# name, topology, coordinates, deck, [(terms, published, absolute, relative)]
CASES = [
    ("ash, sander", "amber-gas-small/ash.parm7", "amber-gas-small/ash.rst7", VACUUM, [
        (("bond",), 5.4435, PRINTED, 0), (("angle",), 2.8766, PRINTED, 0), (DIHEDRALS, 24.3697, PRINTED, 0),
        (("lj_14",), 6.1446, PRINTED, 0), (("coulomb_14",), 20.8049, PRINTED, 0), (("lj",), 44.3715, PRINTED, 0),
        (("coulomb_real",), -101.5565, PRINTED, 0)]),
    ("ala-ala-ala CHARMM22, sander", "amber-gas-small/ala_ala_ala.parm7", "amber-gas-small/ala_ala_ala.rst7", VACUUM, [
        (("bond",), 1.3351, PRINTED, 0), (("urey_bradley",), 14.1158 + 0.3669, PRINTED, 0),
        (("proper_dihedral",), 14.2773, PRINTED, 0), (("improper",), 0.3344, PRINTED, 0), (("cmap",), -0.5239, PRINTED, 0),
        (("lj_14",), 2.1041, PRINTED, 0), (("coulomb_14",), 278.1614, PRINTED, 0), (("lj",), -1.3323, PRINTED, 0),
        (("coulomb_real",), -269.7122, PRINTED, 0), (("potential",), 39.1266, PRINTED, 0)]),
    ("zinc finger 12-6-4, OpenMM", "amber-gas-small/znf_1264.prmtop", "amber-gas-small/znf.rst",
     {"system": {"periodic": "false", "coulomb_constant": '"gromacs"'}, "nonbonded": {"electrostatics": '"cutoff"'}}, [
        (("bond",), 26.3947079, 0, FULL), (("angle",), 122.8243431, 0, FULL), (DIHEDRALS, 319.0419347, 0, FULL),
        (NONBONDED, -2133.6170786, 0, FULL)]),
    ("T4 lysozyme complex, sander", "amber-t4l-vac/complex.prmtop", "amber-t4l-vac/complex-minimized.crd", VACUUM, [
        (("angle",), 256.8987, PRINTED, 0), (DIHEDRALS, 750.1770, SNAPPED, 0), (("lj_14",), 482.5382, PRINTED, 0),
        (("coulomb_14",), 5262.0248, PRINTED, 0), (("lj",), -1450.7546, PRINTED, 0),
        (("coulomb_real",), -10956.1393, PRINTED, 0)]),
    ("T4 lysozyme ligand, sander", "amber-t4l-vac/ligand.prmtop", "amber-t4l-vac/ligand-minimized.crd", VACUUM, [
        (("angle",), 0.0842, PRINTED, 0), (DIHEDRALS, 0.0018, PRINTED, 0), (("lj_14",), 4.4957, PRINTED, 0),
        (("coulomb_14",), -8.0674, PRINTED, 0), (("lj",), -0.5186, PRINTED, 0), (("coulomb_real",), 3.3411, PRINTED, 0)]),
    ("NaCl crystal, cpptraj direct sum", "amber-nacl-crystal/nacl.box.parm7", "amber-nacl-crystal/nacl.box.rst7",
     pme(0.56, True, [64, 64, 64], 8, tolerance=1e-9), [
        (ELECTROSTATICS, -6584.7682, PRINTED, 0), (VDW, 378.6621, PRINTED, 0)]),
    ("NaCl crystal, cpptraj PME", "amber-nacl-crystal/nacl.box.parm7", "amber-nacl-crystal/nacl.box.rst7",
     pme(0.56, True, [32, 32, 32], 6, beta=6.319), [(ELECTROSTATICS, -6584.7728, PRINTED, 0)]),
    ("tz2, cpptraj Ewald", "amber-tz2-ortho/tz2.ortho.parm7", "amber-tz2-ortho/tz2.ortho.nc",
     pme(0.8, True, [96, 108, 96], 8, tolerance=1e-9), [
        (ELECTROSTATICS, -19798.1922517629, 0, EWALD), (VDW, 2324.6304955823, 0, FULL)]),
    ("solvated protein, sander", "amber-solv2/solv2.parm7", "amber-solv2/solv2.rst7",
     pme(0.8, True, [72, 90, 60], 8, tolerance=1e-9), [
        (("bond",), 12.2920, PRINTED, 0), (("angle",), 32.3453, PRINTED, 0), (DIHEDRALS, 96.0812, PRINTED, 0),
        (("lj_14",), 39.1460, PRINTED, 0), (("coulomb_14",), 420.5797, PRINTED, 0), (("lj",), 2939.9284, PRINTED, 0),
        (VDW, 2836.7832, PRINTED, 0), (ELECTROSTATICS, -16222.9037, 0, UNSTATED)]),
    ("TIP4P-Ew, sander", "amber-tip4pew-216/tip4p.parm7", "amber-tip4pew-216/tip4p.rst7",
     pme(0.8, True, [64, 64, 64], 8, tolerance=1e-9), [
        (VDW, 378.4039, PRINTED, 0), (ELECTROSTATICS, -2511.3511, 0, UNSTATED)]),
    ("magnesium 12-6-4, sander", "amber-mgwater-1264/Mg_water.prmtop", "amber-mgwater-1264/Mg_water.inpcrd",
     pme(0.8, False, [56, 56, 56], 8), [(("potential",), -7307.2735621, 0, 6e-5)]),  # as UNSTATED; water bonds add nothing
    # (1 + x^2 + x^4/2) exp(-x^2) at x = 3 /nm 0.8 nm; the mesh of the published run shows in the electrostatics, a small rest of large parts
    ("two waters LJ-PME, cpptraj", "amber-water2-ljpme/water_2.parm7", "amber-water2-ljpme/water_2.crd",
     pme(0.8, False, [48, 48, 48], 8, beta=3.0, lj="true", lj_tolerance=repr(math.exp(-5.76) * (1 + 5.76 + 5.76**2 / 2))), [
        (("bond",), 46.56162949, EIGHT, 0), (("urey_bradley",), 88.49177893, EIGHT, 0),
        (("lj", "lj_reciprocal"), -0.18643240, EIGHT, 0), (ELECTROSTATICS, -0.19203566, 2e-5, 0)]),
    ("ala3 CHARMM36, cpptraj", "charmm-ala3-solv/ala3_solv.parm7", "charmm-ala3-solv/ala3_solv.crd", VACUUM, [
        (("bond",), 1.13242125, EIGHT, 0), (("urey_bradley",), 1.06880188 + 0.06142407, EIGHT, 0),
        (("proper_dihedral",), 7.81143025, EIGHT, 0), (("improper",), 0.0, 1e-9, 0), (("cmap",), 0.12679003, EIGHT, 0),
        (("lj",), 909.28136359, EIGHT, 0), (("lj_14",), 3.35367163, EIGHT, 0),
        (("coulomb_14",), 277.35152722, EIGHT, 0), (("coulomb_real",), -9007.16903192, EIGHT, 0)]),
]


# The Amber files in inputs/, against GROMACS 2022.5 in double precision on their conversion (ParmEd 3.4.3); kJ/mol. The conversion writes charges and
# sigma with 8 digits, GROMACS' own erfc of this build is good to 1e-8: relative 3e-7.
GROMACS = 3e-7
TIGHT = {"system": {"coulomb_constant": '"gromacs"'}, "run": {"rigid_water": "true"}}
INPUTS = [
    ("alanine dipeptide, GROMACS", "alanine-prmtop/alanine.prmtop.gz", "alanine-prmtop/alanine.crd.gz",
     pme(0.8, False, [48, 48, 48], 8, tolerance=1e-6) | TIGHT, {
         "bond": 0.086183470411, "angle": 1.514397955447, "proper_dihedral": 8.056334927605, "lj_14": 20.985652311601,
         "coulomb_14": 204.753070457984, "lj": 3175.259592811222, "coulomb_real": -30347.440524451842,
         "coulomb_reciprocal": 2451.66221838917, "potential": -24485.12307412761}),
    ("DHFR, GROMACS", "dhfr/jac.prmtop.gz", "dhfr/jac.inpcrd.gz",
     pme(0.8, False, [96, 96, 96], 8, tolerance=1e-6) | TIGHT, {
         "bond": 1919.334297182299, "angle": 5191.680811486484, "proper_dihedral": 3889.678972172099,
         "periodic_improper": 334.153467582947, "lj_14": 2308.384126310939, "coulomb_14": 28024.109189333714,
         "lj": 38922.80587578254, "coulomb_real": -391887.34314160416, "coulomb_reciprocal": 8613.692510961324,
         "potential": -302683.5038907918}),
]
CASES = [(name, os.path.join(HERE, "..", "..", "inputs", top), os.path.join(HERE, "..", "..", "inputs", crd), deck,
          [((term,), value / KCAL, 0, GROMACS) for term, value in values.items()]) for name, top, crd, deck, values in INPUTS] + CASES


def section(path, flag, width, convert):
    values, inside = [], False
    with open(path, encoding="ascii") as file:
        for line in file:
            if line.startswith("%FLAG"):
                inside = line.split()[1] == flag
            elif inside and not line.startswith("%"):
                line = line.rstrip()
                values += [convert(line[k:k + width]) for k in range(0, len(line), width)]
    return values


def amber_tail(path, volume, cutoff):
    """kcal/mol, from the file's own B coefficients; volume in nm^3, cut-off in nm."""
    kinds = section(path, "POINTERS", 8, int)[1]
    types = section(path, "ATOM_TYPE_INDEX", 8, int)
    rows = section(path, "NONBONDED_PARM_INDEX", 8, int)
    b = section(path, "LENNARD_JONES_BCOEF", 16, float)
    count = [types.count(k + 1) for k in range(kinds)]
    pairs = sum(count[i] * count[j] * b[rows[i * kinds + j] - 1]
                for i in range(kinds) for j in range(kinds) if rows[i * kinds + j] > 0)
    return -2 * math.pi / 3 * pairs / (volume * 1e3 * (cutoff * 10) ** 3)


def first_frame(path, folder):
    """A copy of a NetCDF trajectory that ends behind its first frame (classic format: the count of records stands in bytes 4 to 7)."""
    with open(path, "rb") as file:
        content = file.read()
    copy = os.path.join(folder, "first.nc")
    with open(copy, "wb") as file:
        file.write(content[:4] + (1).to_bytes(4, "big") + content[8:])
    return copy


def deck_text(topology, coordinates, tables, threads):
    deck = {"system": {"topology": f'"{topology}"', "coordinates": f'"{coordinates}"'},
            "run": {"constraints": '"none"', "rigid_water": "false"},
            "compute": {"precision": '"fp64"', "threads": str(threads)}}
    for table, keys in tables.items():
        deck.setdefault(table, {}).update(keys)
    return "".join(f"[{t}]\n" + "".join(f"{k} = {v}\n" for k, v in keys.items()) for t, keys in deck.items())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tessera")
    parser.add_argument("systems")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    failures = checks = 0
    for name, topology, coordinates, tables, values in CASES:
        if options.names and not any(wanted in name for wanted in options.names):
            continue
        paths = [os.path.abspath(os.path.join(options.systems, p)) for p in (topology, coordinates)]
        if not all(map(os.path.exists, paths)):
            print(f"skipped  {name}: {os.path.join(options.systems, topology)} is not here")
            continue
        with tempfile.TemporaryDirectory() as folder:
            deck, out = os.path.join(folder, "deck.toml"), os.path.join(folder, "e.json")
            if paths[1].endswith(".nc"):
                paths[1] = first_frame(paths[1], folder)
            with open(deck, "w", encoding="utf-8") as file:
                file.write(deck_text(*paths, tables, options.threads))
            run = subprocess.run([options.tessera, "energy", deck, "--json", out], capture_output=True, text=True, check=False)
            if run.returncode:
                failures += 1
                print(f"FAILED   {name}: exit {run.returncode}: {run.stderr.strip()}")
                continue
            with open(out, encoding="utf-8") as file:
                result = json.load(file)
        energies = {name: value / KCAL for name, value in result["energies_kJ_mol"].items()}
        if "dispersion_correction" in energies:
            box = result["box_nm"]
            energies["amber_tail"] = amber_tail(paths[0], box[0][0] * box[1][1] * box[2][2],
                                                float(tables["nonbonded"]["cutoff"].strip('"').split()[0]))
        for terms, published, absolute, relative in values:
            checks += 1
            found = sum(energies.get(t, 0.0) for t in terms)
            limit = absolute + relative * abs(published)
            good = abs(found - published) <= limit
            failures += not good
            print(f"{'ok      ' if good else 'FAILED  '} {name}: {' + '.join(terms)} {found:.7f}, published {published:.7f}, "
                  f"off {found - published:.2e} (limit {limit:.1e}) kcal/mol")
    print(f"{checks} values compared, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
