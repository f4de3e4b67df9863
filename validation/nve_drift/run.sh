#!/usr/bin/env bash
# Constant-energy dynamics of DHFR in water, 2 fs, 100 ps, in both precisions; then the drift with its
# error bar. usage: validation/nve_drift/run.sh [FOLDER [STEPS [THREADS]]]; hours in double precision.
set -euo pipefail
root=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
folder=${1:-nve-drift}
steps=${2:-50000}
threads=${3:-0}
for precision in mixed fp64; do
    mkdir -p "$folder/$precision"
    cp "$root"/inputs/dhfr/* "$folder/$precision/"
    (cd "$folder/$precision" &&
        "$root/build/tessera" run run.toml --continue=if-present --threads "$threads" --set compute.precision=$precision \
            --set "run.steps=$steps" --set 'thermostat.kind="none"' --set 'output.energies_every="0.1 ps"' \
            --set 'output.every="10 ps"')
    echo "$precision"
    python3 "$root/validation/nve_drift/drift.py" "$folder/$precision/traj.h5md"
done
