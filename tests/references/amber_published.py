#!/usr/bin/env python3
"""amber_published.py TESSERA SYSTEMS_DIR [NAME ...] [--threads N]
Energies that sander, cpptraj and OpenMM publish for Amber and CHARMM systems, against `tessera energy`. kcal/mol, water bonds
counted as in the files (rigid_water = false), Coulomb constant of the format. Exit status: 0 all hold, 1 some do not, 77 SYSTEMS_DIR is absent.
The numbers stand in the NOTE.md of each system with their source."""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

KCAL = 4.184
# tolerances, kcal/mol unless said otherwise
PRINTED = 1.0e-4   # four printed decimals, each term of a sum rounded on its own
PME = 3.0e-6       # relative: the mesh of the published run (grid of about 1 A, order 4 to 6)
FULL = 2.0e-7      # relative: more digits printed than the parameters' own 9 allow
TAIL = 3.0e-5      # relative: the tail of dispersion averages C6 over all pairs there, over pairs not excluded here

VACUUM = {"system": {"periodic": "false"}, "nonbonded": {"electrostatics": '"cutoff"'}}


def pme(cutoff, tail, grid, order=6, tolerance=None, beta=None, **more):
    """A deck of plain Lennard-Jones and PME on a fine mesh, so that what is left is the published run's own mesh error."""
    deck = {
        "nonbonded": {"cutoff": f'"{cutoff} nm"', "lj_modifier": '"none"', "electrostatics": '"pme"',
                      "dispersion_correction": '"energy"' if tail else '"none"'},
        "pme": {"grid": str(grid), "order": str(order)},
    }
    if beta:
        deck["pme"]["beta"] = f'"{beta} /nm"'
    else:
        deck["pme"]["tolerance"] = repr(tolerance or 1e-5)
    for table, keys in more.items():  # keys of one table come together
        deck.setdefault(table, {}).update(keys)
    return deck


DIHEDRALS = ("proper_dihedral", "periodic_improper")
ELECTROSTATICS = ("coulomb_real", "coulomb_reciprocal")
VDW = ("lj", "dispersion_correction")
NONBONDED = ELECTROSTATICS + VDW + ("lj_14", "coulomb_14")

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
        (("angle",), 256.8987, PRINTED, 0), (DIHEDRALS, 750.1770, PRINTED, 0), (("lj_14",), 482.5382, PRINTED, 0),
        (("coulomb_14",), 5262.0248, PRINTED, 0), (("lj",), -1450.7546, PRINTED, 0),
        (("coulomb_real",), -10956.1393, PRINTED, 0)]),
    ("T4 lysozyme ligand, sander", "amber-t4l-vac/ligand.prmtop", "amber-t4l-vac/ligand-minimized.crd", VACUUM, [
        (("angle",), 0.0842, PRINTED, 0), (DIHEDRALS, 0.0018, PRINTED, 0), (("lj_14",), 4.4957, PRINTED, 0),
        (("coulomb_14",), -8.0674, PRINTED, 0), (("lj",), -0.5186, PRINTED, 0), (("coulomb_real",), 3.3411, PRINTED, 0)]),
    ("NaCl crystal, cpptraj", "amber-nacl-crystal/nacl.box.parm7", "amber-nacl-crystal/nacl.box.rst7",
     pme(0.56, True, [64, 64, 64], 8, tolerance=1e-9), [
        (ELECTROSTATICS, -6584.7728, 2 * PRINTED, 0), (VDW, 378.6621, 0, TAIL)]),
    ("tz2, cpptraj Ewald", "amber-tz2-ortho/tz2.ortho.parm7", "amber-tz2-ortho/tz2.ortho.nc",
     pme(0.8, True, [96, 108, 96], 6), [
        (ELECTROSTATICS + ("coulomb_14",), -19798.1922517629, 0, PME), (VDW + ("lj_14",), 2324.6304955823, 0, TAIL)]),
    ("solvated protein, sander", "amber-solv2/solv2.parm7", "amber-solv2/solv2.rst7",
     pme(0.8, True, [64, 80, 48], 6), [
        (("bond",), 12.2920, PRINTED, 0), (("angle",), 32.3453, PRINTED, 0), (DIHEDRALS, 96.0812, PRINTED, 0),
        (("lj_14",), 39.1460, PRINTED, 0), (("coulomb_14",), 420.5797, PRINTED, 0), (("lj",), 2939.9284, PRINTED, 0),
        (VDW, 2836.7832, 0, TAIL), (ELECTROSTATICS, -16222.9037, 0, PME)]),
    ("TIP4P-Ew, sander", "amber-tip4pew-216/tip4p.parm7", "amber-tip4pew-216/tip4p.rst7",
     pme(0.8, True, [40, 40, 40], 6), [
        (VDW, 378.4039, 0, TAIL), (ELECTROSTATICS, -2511.3511, 0, PME)]),
    ("magnesium 12-6-4, sander", "amber-mgwater-1264/Mg_water.prmtop", "amber-mgwater-1264/Mg_water.inpcrd",
     pme(0.8, False, [56, 56, 56], 6), [(("potential",), -7307.2735621, 0, 1e-3)]),
    ("two waters LJ-PME, cpptraj", "amber-water2-ljpme/water_2.parm7", "amber-water2-ljpme/water_2.crd",
     pme(0.8, False, [40, 40, 40], 8, beta=3.0, pme={"lj": "true", "lj_tolerance": repr(math.exp(-5.76) * (1 + 5.76 + 5.76**2 / 2))}), [
        (("bond",), 46.56162949, 0, FULL), (("angle", "urey_bradley"), 88.49177893, 0, FULL)]),
    ("ala3 CHARMM36, cpptraj", "charmm-ala3-solv/ala3_solv.parm7", "charmm-ala3-solv/ala3_solv.crd", VACUUM, [
        (("bond",), 1.13242125, 0, FULL), (("urey_bradley",), 1.06880188 + 0.06142407, 0, FULL),
        (("proper_dihedral",), 7.81143025, 0, FULL), (("improper",), 0.0, 1e-9, 0), (("cmap",), 0.12679003, 0, FULL),
        (("lj",), 909.28136359, 0, FULL), (("lj_14",), 3.35367163, 0, FULL),
        (("coulomb_14",), 277.35152722, 0, FULL), (("coulomb_real",), -9007.16903192, 0, FULL)]),
]


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
    if not os.path.isdir(options.systems):
        print(f"skipped: the handed systems are not here ({options.systems})")
        return 77
    failures = checks = 0
    for name, topology, coordinates, tables, values in CASES:
        if options.names and not any(wanted in name for wanted in options.names):
            continue
        paths = [os.path.abspath(os.path.join(options.systems, p)) for p in (topology, coordinates)]
        if not all(map(os.path.exists, paths)):
            print(f"skipped  {name}: its files are not here")
            continue
        with tempfile.TemporaryDirectory() as folder:
            deck, out = os.path.join(folder, "deck.toml"), os.path.join(folder, "e.json")
            with open(deck, "w", encoding="utf-8") as file:
                file.write(deck_text(*paths, tables, options.threads))
            run = subprocess.run([options.tessera, "energy", deck, "--json", out], capture_output=True, text=True, check=False)
            if run.returncode:
                failures += 1
                print(f"FAILED   {name}: exit {run.returncode}: {run.stderr.strip()}")
                continue
            with open(out, encoding="utf-8") as file:
                energies = json.load(file)["energies_kJ_mol"]
        for terms, published, absolute, relative in values:
            checks += 1
            found = sum(energies.get(t, 0.0) for t in terms) / KCAL
            limit = absolute + relative * abs(published)
            good = abs(found - published) <= limit
            failures += not good
            print(f"{'ok      ' if good else 'FAILED  '} {name}: {' + '.join(terms)} {found:.7f}, published {published:.7f}, "
                  f"off {found - published:.2e} (limit {limit:.1e}) kcal/mol")
    print(f"{checks} values compared, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
