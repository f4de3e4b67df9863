#!/usr/bin/env python3
"""Tessera and GROMACS side by side: same coordinates, settings, threads; alternating runs; medians.

usage: compare.py [--systems water-3k dhfr ...] [--threads 1 2] [--precision mixed|fp64] [--repeats N]
                  [--seconds S] [--folder DIR] [--json FILE] [--gromacs PROGRAM]
       compare.py --topology TOPOL.top --coordinates CONF.gro [...]

Needs build/tessera and GROMACS (Debian: gromacs; gmx for mixed, gmx_d for fp64; --gromacs names
another one, such as one compiled for this processor). Both run leap-frog at 2 fs with SETTLE and constrained bonds to hydrogen, PME of order 4 at 0.12 nm, cut-offs of 0.9 nm,
v-rescale at 300 K. GROMACS chooses its own pair list (verlet-buffer-tolerance 0.005) and times the
second half of its run, Tessera the last three quarters of its own. The first pair of runs warms up
and is dropped; ratios are taken pair by pair. A system that the folder already holds is used again.
Where a step's time goes is printed beside GROMACS's own cycle table. TESSERA_GMX_PRELOAD names a library to preload into
GROMACS's mdrun, where the processor's identification stops it.
"""
import argparse
import gzip
import itertools
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HANDED = ROOT.parent / "shared" / "systems"
DHFR = HANDED / "amber-jac-dhfr" / "gromacs_converted"

MDP = """integrator = md
dt = 0.002
nsteps = {steps}
nstlist = 10
verlet-buffer-tolerance = 0.005
cutoff-scheme = Verlet
rcoulomb = 0.9
rvdw = 0.9
vdw-modifier = Potential-shift
coulombtype = PME
coulomb-modifier = none
fourierspacing = 0.12
pme-order = 4
ewald-rtol = 1e-5
constraints = h-bonds
tcoupl = v-rescale
tc-grps = System
tau-t = 1
ref-t = 300
nstcalcenergy = 50
nstenergy = 50
nstlog = 0
"""

DECK = """[system]
topology = "{topology}"
coordinates = "{coordinates}"
[nonbonded]
cutoff = "0.9 nm"
lj_modifier = "potential-shift"
electrostatics = "pme"
[pme]
spacing = "0.12 nm"
order = 4
[run]
timestep = "2 fs"
steps = {steps}
constraints = "h-bonds"
velocities = "maxwell-boltzmann"
temperature = "300 K"
[thermostat]
kind = "v-rescale"
temperature = "300 K"
time_constant = "1 ps"
[output]
trajectory = "none"
checkpoint = "none"
log = "{log}"
energies_every = "0.1 ps"
[compute]
precision = "{precision}"
threads = {threads}
"""


def call(command, folder, preload=None):
    environment = dict(os.environ, GMX_MAXBACKUP="-1")
    if preload:
        environment["LD_PRELOAD"] = preload
    done = subprocess.run([str(c) for c in command], cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(str(c) for c in command)} failed in {folder} (status {done.returncode}):\n"
                 f"{done.stdout[-2000:]}\n{done.stderr[-3000:]}")
    return done.stdout + done.stderr


def molecules_repeated(text, times):
    """The topology with its [ molecules ] repeated, for a cell repeated along an axis."""
    head, tail = re.split(r"(?m)^\[\s*molecules\s*\].*\n", text)
    rows = "".join(line + "\n" for line in tail.splitlines() if line.split(";")[0].strip())
    return f"{head}[ molecules ]\n{rows * times}"


def water(folder, edge, gmx):
    """A cube of SPC/E water with the topology of inputs/spce."""
    topology = (ROOT / "inputs/spce/topol.top").read_text()
    call([gmx, "solvate", "-cs", "spc216.gro", "-box", edge, edge, edge, "-o", "conf.gro"], folder)
    atoms = int((folder / "conf.gro").read_text().splitlines()[1])
    head = re.split(r"(?m)^\[\s*molecules\s*\].*\n", topology)[0]
    name = re.search(r"(?m)^\[\s*moleculetype\s*\]\s*\n(?:\s*;.*\n)*\s*(\S+)", head).group(1)
    (folder / "topol.top").write_text(f"{head}[ molecules ]\n{name} {atoms // 3}\n")
    settle_down(folder, gmx)


def settle_down(folder, gmx):
    """Water boxes cut from a larger one overlap at their faces: minimise, then 2 ps of dynamics."""
    for name, settings in (("minimise", "integrator = steep\nnsteps = 200\nemtol = 500\nrcoulomb = 0.9\nrvdw = 0.9\ncoulombtype = PME\n"),
                           ("equilibrate", MDP.format(steps=1000) + "gen-vel = yes\ngen-temp = 300\n")):
        (folder / f"{name}.mdp").write_text(settings)
        call([gmx, "grompp", "-f", f"{name}.mdp", "-c", "conf.gro", "-p", "topol.top", "-o", f"{name}.tpr", "-maxwarn", 5], folder)
        call([gmx, "mdrun", "-s", f"{name}.tpr", "-deffnm", name, "-ntmpi", 1, "-c", "conf.gro"], folder,
             os.environ.get("TESSERA_GMX_PRELOAD"))


def dhfr(folder, copies, gmx):
    if not DHFR.is_dir():
        sys.exit(f"{DHFR} is absent: the systems dhfr and dhfr-x4 need the handed data. Name --topology and --coordinates.")
    top = next(p for p in DHFR.iterdir() if ".top" in p.name)
    gro = next(p for p in DHFR.iterdir() if ".gro" in p.name)
    text = gzip.open(top, "rt").read() if top.suffix == ".gz" else top.read_text()
    structure = gzip.open(gro, "rt").read() if gro.suffix == ".gz" else gro.read_text()
    (folder / "topol.top").write_text(molecules_repeated(text, copies))
    (folder / "one.gro").write_text(structure)
    call([gmx, "genconf", "-f", "one.gro", "-o", "conf.gro", "-nbox", 1, 1, copies], folder)


SYSTEMS = {
    "water-3k": lambda folder, gmx: water(folder, 3.2, gmx),
    "dhfr": lambda folder, gmx: dhfr(folder, 1, gmx),
    "dhfr-x4": lambda folder, gmx: dhfr(folder, 4, gmx),
    "water-98k": lambda folder, gmx: water(folder, 10, gmx),
    "water-768k": lambda folder, gmx: water(folder, 19.8, gmx),
}


def gromacs_run(gmx, folder, steps, threads):
    (folder / "run.mdp").write_text(MDP.format(steps=steps))
    call([gmx, "grompp", "-f", "run.mdp", "-c", "conf.gro", "-p", "topol.top", "-o", "run.tpr", "-maxwarn", 5], folder)
    call([gmx, "mdrun", "-s", "run.tpr", "-deffnm", "gromacs", "-ntmpi", 1, "-ntomp", threads, "-pin", "off",
          "-noconfout", "-resethway", "-nb", "cpu"], folder, os.environ.get("TESSERA_GMX_PRELOAD"))
    log = (folder / "gromacs.log").read_text()
    simd = re.search(r"SIMD instructions:\s*(\S+)", log).group(1)
    return float(re.search(r"Performance:\s+([\d.]+)", log).group(1)), simd, cycle_table(log)


def cycle_table(log):
    """GROMACS's own cycle accounting: phase -> share of the time in per cent."""
    part = log.split("R E A L   C Y C L E")[-1].split("Performance:")[0]
    rows = re.findall(r"(?m)^ (\S.*?)\s{2,}.*?([\d.]+)\s*$", part)
    return {name.strip(): float(share) for name, share in rows}


def tessera_run(folder, steps, threads, precision):
    (folder / "deck.toml").write_text(DECK.format(topology="topol.top", coordinates="conf.gro", steps=steps, log="tessera.log",
                                                  precision=precision, threads=threads))
    call([ROOT / "build/tessera", "run", "deck.toml", "--quiet"], folder)
    log = (folder / "tessera.log").read_text()
    phases = re.findall(r"(?m)^\s+(\S[\w -]*?)\s+\d+\s+[\d.]+\s+([\d.]+) %\s*$", log)
    return float(re.findall(r"([\d.]+) ns/day", log)[-1]), {name: float(share) for name, share in phases}


def print_side_by_side(left_name, left, right_name, right):
    """Two tables of phase -> per cent, each with its largest share first."""
    columns = [[(name, f"{share:.1f} %") for name, share in sorted(t.items(), key=lambda item: -item[1]) if name != "Total"]
               for t in (left, right)]
    print(f"| {left_name} | | {right_name} | |\n|---|---|---|---|")
    for row in itertools.zip_longest(*columns, fillvalue=("", "")):
        print("| " + " | ".join(cell for part in row for cell in part) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=["water-3k", "dhfr"])
    parser.add_argument("--topology", type=pathlib.Path)
    parser.add_argument("--coordinates", type=pathlib.Path)
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--precision", choices=["mixed", "fp64"], default="mixed")
    parser.add_argument("--repeats", type=int, default=5, help="pairs of runs that count")
    parser.add_argument("--seconds", type=float, default=10, help="about this long for each run")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("compare"))
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--gromacs", help="its program; default: gmx (mixed) or gmx_d (fp64)")
    arguments = parser.parse_args()

    gmx = arguments.gromacs or ("gmx" if arguments.precision == "mixed" else "gmx_d")
    if not shutil.which(gmx):
        sys.exit(f"{gmx} is not installed. Debian: apt-get install gromacs")
    gmx = shutil.which(gmx)
    if not (ROOT / "build/tessera").exists():
        sys.exit("build/tessera does not exist. Run ./bootstrap build first.")

    tasks = dict.fromkeys(arguments.systems)
    if arguments.topology:
        tasks = {arguments.topology.stem: None}
    rows = []
    for name in tasks:
        folder = arguments.folder / f"{name}-{arguments.precision}"
        folder.mkdir(parents=True, exist_ok=True)
        if arguments.topology:
            shutil.copy(arguments.topology, folder / "topol.top")
            shutil.copy(arguments.coordinates, folder / "conf.gro")
        elif not (folder / "ready").exists():
            SYSTEMS[name](folder, gmx)
            (folder / "ready").touch()
        for threads in arguments.threads:
            # a short pair to find how many steps fill the time
            ours, _ = tessera_run(folder, 40, threads, arguments.precision)
            theirs, simd, _ = gromacs_run(gmx, folder, 100, threads)
            steps = [max(40, int(speed * 1e6 / 2 / 86400 * arguments.seconds)) // 20 * 20 for speed in (ours, theirs)]
            pairs = []
            for _ in range(arguments.repeats + 1):
                a, phases = tessera_run(folder, steps[0], threads, arguments.precision)
                b, simd, cycles = gromacs_run(gmx, folder, steps[1], threads)
                pairs.append((a, b))
            pairs = pairs[1:]
            ratios = sorted(a / b for a, b in pairs)
            rows.append({"system": name, "threads": threads, "precision": arguments.precision,
                         "tessera_ns_day": statistics.median(a for a, _ in pairs),
                         "gromacs_ns_day": statistics.median(b for _, b in pairs), "gromacs_simd": simd,
                         "ratio": statistics.median(ratios), "ratio_low": ratios[0], "ratio_high": ratios[-1],
                         "pairs": pairs, "tessera_phases_percent": phases, "gromacs_cycles_percent": cycles})
            r = rows[-1]
            print(f"{name}, {threads} threads, {arguments.precision}: {r['tessera_ns_day']:.2f} against {r['gromacs_ns_day']:.2f} "
                  f"ns/day, ratio {r['ratio']:.2f}", flush=True)

    info = call([ROOT / "build/tessera", "info"], ".")
    version = call([gmx, "--version"], ".")
    print("\nTessera:\n" + "\n".join(line for line in info.splitlines() if re.search(r"SIMD|simd|compiler|version|Tessera", line)))
    print("GROMACS:\n" + "\n".join(line for line in version.splitlines() if re.search(r"GROMACS version|SIMD|Precision", line)))
    print(f"\n| system | threads | Tessera {arguments.precision}, ns/day | {gmx}, ns/day | ratio (lowest to highest) |\n|---|---|---|---|---|")
    for r in rows:
        print(f"| {r['system']} | {r['threads']} | {r['tessera_ns_day']:.2f} | {r['gromacs_ns_day']:.2f} ({r['gromacs_simd']}) | "
              f"{r['ratio']:.2f} ({r['ratio_low']:.2f} to {r['ratio_high']:.2f}) |")
    for r in rows:
        print(f"\nShares of the time, last pair of {r['system']} on {r['threads']} threads:\n")
        print_side_by_side("Tessera", r["tessera_phases_percent"], "GROMACS", r["gromacs_cycles_percent"])
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
