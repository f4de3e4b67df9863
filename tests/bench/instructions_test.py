#!/usr/bin/env python3
"""Instructions of a step, counted by callgrind, against those on record: times are noisy, these are not.

usage: instructions_test.py TESSERA SOURCE COMPILER [--record]

Fails where a step takes 2 % more instructions than tests/bench/instructions.json says; a step that takes 2 % fewer is
told, so that the record follows. --record writes the counts of this program, for this compiler. The counts are those
of one thread with AVX2, the widest set that valgrind knows, and of Simulation::step() alone, which includes all that
it calls. Status 77, with the reason: not to be counted here.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TESSERA, SOURCE, COMPILER = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
RECORD = SOURCE / "tests" / "bench" / "instructions.json"
ALLOWED = 1.02  # another C library or processor chooses other versions of memcpy and exp: under 0.5 %
# name: deck, steps, settings
CASES = {
    "water, 1500 atoms, mixed": ("spce", 20, ["compute.precision=mixed"]),
    "water, 1500 atoms, fp64": ("spce", 10, ["compute.precision=fp64"]),
    "alanine dipeptide in water, 2269 atoms, mixed": ("alanine-prmtop", 20, ["compute.precision=mixed"]),
}


def skip(reason):
    print("SKIPPED: " + reason)
    sys.exit(77)


def instructions_a_step(deck, steps, sets):
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(SOURCE / "inputs" / deck, folder, dirs_exist_ok=True)
        sets = sets + ["run.steps=%d" % steps, "output.trajectory=none", "output.checkpoint=none", "output.log=none"]
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=" + folder + "/out", "--collect-atstart=no",
                   "--toggle-collect=tessera::Simulation::step*", TESSERA, "run", "run.toml", "--threads", "1", "--quiet"]
        for each in sets:
            command += ["--set", each]
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True,
                             # with a wait policy given, the program does not begin anew to set one
                             env=dict(os.environ, TESSERA_SIMD="avx2", OMP_WAIT_POLICY="passive"))
        found = re.search(r"Collected : (\d+)", run.stderr)
        if run.returncode != 0 or not found or int(found.group(1)) == 0:
            sys.exit("%s: no instructions were counted\n%s" % (deck, run.stderr))
        return int(found.group(1)) // steps


def main():
    if not shutil.which("valgrind"):
        skip("valgrind was not found (Debian: apt-get install valgrind)")
    flags = pathlib.Path("/proc/cpuinfo").read_text().split("flags", 1)[-1].split("\n", 1)[0].split()
    if "avx2" not in flags:
        skip("this processor has no AVX2, for which the counts on record are")
    record = json.loads(RECORD.read_text())
    counts = {name: instructions_a_step(*case) for name, case in CASES.items()}
    if "--record" in sys.argv:
        record[COMPILER] = counts
        RECORD.write_text(json.dumps(record, indent=2) + "\n")
    if COMPILER not in record:
        skip("no counts are on record for %s: run with --record to compare later programs with this one" % COMPILER)
    status = 0
    for name, count in counts.items():
        known = record[COMPILER].get(name, 0)
        ratio = count / known if known else float("inf")
        word = ""
        if ratio > ALLOWED:
            status, word = 1, "MORE than the record allows: find out why, or record it with a reason"
        elif ratio < 2 - ALLOWED:
            word = "fewer: record it (--record)"
        print("%-48s %12d a step  %12d on record  %.4f  %s" % (name, count, known, ratio, word))
    return status


sys.exit(main())
