#!/usr/bin/env python3
"""How Tessera scales over ranks: a model from measured phase times and counted bytes.

    scaling.py measure   measures the costs of this machine into costs.json (one rank, every core busy)
    scaling.py volume    bytes a step and rank for 1 to 64 ranks, beside the least that any scheme sends
    scaling.py predict   ns/day and efficiency for 1 to 1,024 ranks, 1,024 to 100 million atoms
    scaling.py check     two ranks, measured, beside what the model says from costs.json as it stands

What is sent is counted from the plans by the program scaling_counts (no run, no clock). README.md says how the model is made.
"""

import argparse
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
COSTS = HERE / "costs.json"

# latency (us), bandwidth of a node (GB/s), ranks that share it. Vendors' figures for HDR InfiniBand (200 Gb/s) and 25 Gb/s RoCE; memory: within a node
NETWORKS = {
    "infiniband": {"latency_us": 1.5, "node_GBps": 24.0, "ranks_per_node": 16},
    "rdma-25": {"latency_us": 3.0, "node_GBps": 3.0, "ranks_per_node": 16},
    "memory": {"latency_us": 1.0, "node_GBps": 8.0, "ranks_per_node": 1},
}
POSITION, FORCE = 24, 24  # bytes of an atom in a message
LOCAL = ("pairs", "bonded")  # what is done while messages are on their way
SPREAD_EVENLY = ("pairs", "bonded", "constraints", "update", "mesh", "thermostat", "other")


def counts(tools, atoms, ranks, extra=()):
    command = [tools / "scaling_counts", "--atoms", str(atoms), "--ranks", *map(str, ranks), *extra]
    out = subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def run(tessera, deck, steps, ranks=1, threads=1):
    """Seconds of each phase and of all, from the log of a run of the first rank; number of atoms."""
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "run.log"
        command = [str(tessera), "run", str(deck), "--set", f"run.steps={steps}", "--set", f"output.log={log}",
                   "--set", "output.trajectory=none", "--set", "output.checkpoint=none", "--set", "compute.check_every=0", "--threads", str(threads)]
        if ranks > 1:
            command = ["mpirun.mpich", "-n", str(ranks), *command]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}\nended with status {done.returncode}:\n{done.stderr[-2000:]}")
        return phases_of(log.read_text())


def phases_of(text):
    table = text[text.rindex("time spent"):]
    phases, calls = {}, {}
    for name, n, seconds in re.findall(r"^  (\S.*?)\s+(\d*)\s+([\d.]+)\s+[\d.]+ %", table, re.M):
        phases[name] = float(seconds)
        calls[name] = int(n or 0)
    return {"seconds": phases, "calls": calls, "all": sum(phases.values())}


def per_step_us(result, steps, names):
    return 1e6 * sum(result["seconds"].get(name, 0.0) for name in names) / steps


def measure(args):
    """Costs of one core while all are busy: what two threads take together, by atom; the cost of cuts by a known atom on two ranks of a small box of water, which
    is no part of the check; that of a copied byte."""
    steps = args.steps
    whole = run(args.tessera, ROOT / "inputs/dhfr/run.toml", steps, threads=2)
    atoms = 23558
    costs = {name: 2 * per_step_us(whole, steps, [name]) / atoms
             for name in ("pairs", "bonded", "constraints", "update", "mesh", "search", "coupling")}
    small = run(args.tessera, ROOT / "inputs/argon/run.toml", 4000, threads=1)
    fixed = per_step_us(small, 4000, [n for n in small["seconds"] if n not in ("output", "accuracy check", "pairs", "search")])
    water = 1500
    plan = counts(args.tools, water, [2], ["--pairs", "1.1"])[0]
    more = 10
    ranks = run(args.tessera, ROOT / "inputs/spce/run.toml", more * steps, ranks=2)
    known = plan["home"] + plan["imported"]
    both = {
        "us_by_atom": {name: round(value, 6) for name, value in costs.items()},
        "us_fixed": round(fixed, 3),
        "us_cut_by_known_atom": round(1e6 * ranks["seconds"]["domains"] / ranks["calls"]["domains"] / known, 4),
        "steps_between_cuts": round(more * steps / ranks["calls"]["domains"], 2),
        "ns_by_copied_byte": round(4 * ns_of_a_copy(), 4),  # packed, into and out of the message layer, unpacked
        "measured": f"DHFR {steps} steps on 2 threads; 500 waters {more * steps} steps on 2 ranks",
    }
    COSTS.write_text(json.dumps(both, indent=2) + "\n")
    print(COSTS.read_text())


def ns_of_a_copy(size=1 << 18, repeats=2000):
    """Of a byte, in blocks as long as messages are."""
    source, to = memoryview(bytes(size)), bytearray(size)
    begin = time.perf_counter()
    for _ in range(repeats):
        to[:] = source
    return 1e9 * (time.perf_counter() - begin) / size / repeats


def bytes_of(plan):
    halo = plan["imported"] * (POSITION + FORCE)  # by symmetry a rank exports as many atoms as it imports
    return {"halo": halo, "mesh": plan["mesh_bytes"], "all": halo + plan["mesh_bytes"]}


def predicted(costs, plan, network):
    """Microseconds of a step, of the rank that all wait for."""
    one, net = costs["us_by_atom"], NETWORKS[network]
    ranks, home, imported = plan["ranks"], plan["home"], plan["imported"]
    # atoms of a domain scatter less than independent ones would: liquids are hardly compressible (a tenth of the variance of a gas, about)
    imbalance = 1 + math.sqrt(0.1 * 2 * math.log(ranks) / home) if ranks > 1 else 1.0
    local = sum(one[name] for name in LOCAL) * home * imbalance
    others = sum(one[name] for name in ("constraints", "update", "mesh", "coupling")) * home * imbalance
    search = one["search"] * (home + imported)
    if ranks == 1:
        return {"local": local, "others": others + costs["us_fixed"], "search": search, "cuts": 0.0, "copies": 0.0, "waits": 0.0}
    sent = bytes_of(plan)
    bandwidth = net["node_GBps"] * 1e3 / min(net["ranks_per_node"], ranks)  # bytes a us
    messages = 2 * plan["partners"] + plan["mesh_messages"]
    halo = 2 * net["latency_us"] + sent["halo"] / bandwidth
    mesh = plan["mesh_exchanges"] * net["latency_us"] + sent["mesh"] / bandwidth
    sums = 3 * math.ceil(math.log2(ranks)) * net["latency_us"]  # whether to search, kinetic energy, stop flags
    posting = 0.5 * messages
    return {"local": local, "others": others + costs["us_fixed"], "search": search,
            "cuts": costs["us_cut_by_known_atom"] * (home + imported) / costs["steps_between_cuts"],
            "copies": costs["ns_by_copied_byte"] * sent["all"] * 1e-3,
            "waits": posting + sums + max(0.0, halo + mesh - local)}


def ns_a_day(us, timestep_fs=2.0):
    return timestep_fs * 1e-6 * 86400e6 / us


def volume(args):
    print("bytes that a rank sends in a step, mixed precision; least: eighth shell with rounded corners, single atoms, the same bytes an atom\n")
    print(f"{'atoms':>9} {'ranks':>5} {'domains':>9} {'partners':>8} {'halo KB':>9} {'least KB':>9} {'ratio':>6} {'mesh KB':>9} {'mesh messages':>13}")
    for atoms in (23558, 94232):
        for plan in counts(args.tools, atoms, [1, 2, 4, 8, 16, 27, 32, 64]):
            halo, least = bytes_of(plan)["halo"] / 1024, plan["least_imported"] * (POSITION + FORCE) / 1024
            print(f"{atoms:9} {plan['ranks']:5} {'x'.join(map(str, plan['grid'])):>9} {plan['partners']:8} {halo:9.1f} {least:9.1f} "
                  f"{halo / least if least else 1:6.2f} {plan['mesh_bytes'] / 1024:9.1f} {plan['mesh_messages']:13}")


def predict(args):
    costs = json.loads(COSTS.read_text())
    for network in ("infiniband", "rdma-25"):
        print(f"\n{network}: ns/day (efficiency %), one core a rank, {NETWORKS[network]['ranks_per_node']} ranks share a node's network")
        ranks = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
        print(f"{'atoms':>11} " + " ".join(f"{p:>13}" for p in ranks))
        for atoms in (1024, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000):
            row, alone = [], None
            for p in ranks:
                try:
                    plan = counts(args.tools, atoms, [p])[0]
                except subprocess.CalledProcessError:
                    row.append(f"{'-':>13}")
                    continue
                us = sum(predicted(costs, plan, network).values())
                alone = alone or us
                row.append(f"{ns_a_day(us):8.4g} ({100 * alone / us / p:3.0f})" if plan["home"] >= 30 else f"{'-':>13}")
            print(f"{atoms:11} " + " ".join(f"{cell:>13}" for cell in row))
    print("\n-: fewer than 30 atoms a rank, or domains that the cut-off does not allow")


def check(args):
    costs = json.loads(COSTS.read_text())
    decks = {"dhfr": (ROOT / "inputs/dhfr/run.toml", 23558), **({"94k": (pathlib.Path(args.deck_94k), 94232)} if args.deck_94k else {})}
    for name, (deck, atoms) in decks.items():
        plans = {p: counts(args.tools, atoms, [p])[0] for p in (1, 2)}
        said = {p: predicted(costs, plans[p], "memory") for p in (1, 2)}
        steps = max(60, args.steps * 23558 // atoms)
        measured = []
        for _ in range(args.repeats):
            threads, ranks = run(args.tessera, deck, steps, threads=2), run(args.tessera, deck, steps, ranks=2)
            measured.append([sum(t for n, t in r["seconds"].items() if n not in ("output", "accuracy check")) * 1e6 / steps for r in (threads, ranks)])
        threads, ranks = (statistics.median(m[k] for m in measured) for k in (0, 1))
        model_threads, model_ranks = sum(said[1].values()) / 2, sum(said[2].values())
        print(f"{name}: two ranks: model {model_ranks:.0f} us a step, measured {ranks:.0f} ({', '.join(f'{m[1]:.0f}' for m in measured)}), "
              f"model/measured {model_ranks / ranks:.2f}")
        print(f"{name}: two threads: model {model_threads:.0f}, measured {threads:.0f}; two ranks : two threads, model {model_threads / model_ranks:.2f}, "
              f"measured {threads / ranks:.2f}")
        print(f"    model: " + ", ".join(f"{k} {v:.0f}" for k, v in said[2].items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["measure", "volume", "predict", "check"])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="folder of tessera and scaling_counts (build/)")
    parser.add_argument("--steps", type=int, default=400, help="of a run of DHFR")
    parser.add_argument("--repeats", type=int, default=3, help="of each measured pair of runs")
    parser.add_argument("--deck-94k", help="check: a deck of amber-jac-x4-94k with the settings of inputs/dhfr/run.toml")
    args = parser.parse_args()
    args.tessera, args.tools = args.build / "tessera", args.build
    for program in (args.tessera, args.tools / "scaling_counts"):
        if not program.exists():
            sys.exit(f"{program} is missing: ./bootstrap test builds it, or give --build FOLDER")
    {"measure": measure, "volume": volume, "predict": predict, "check": check}[args.what](args)


if __name__ == "__main__":
    main()
