#!/usr/bin/env bash
# SPC/E water at 300 K and 1 bar: 600 ps of inputs/spce, then the density with its error.
# usage: validation/spce_density/run.sh [FOLDER [STEPS [THREADS]]]
set -euo pipefail
root=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
folder=${1:-spce-density}
mkdir -p "$folder"
cp "$root"/inputs/spce/{run.toml,topol.top,start.gro} "$folder/"
cd "$folder"
"$root/build/tessera" run run.toml --continue=if-present --threads "${3:-0}" --set compute.precision=mixed \
    --set "run.steps=${2:-300000}" --set 'output.every="10 ps"'
python3 "$root/validation/spce_density/density.py" traj.h5md
