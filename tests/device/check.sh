#!/usr/bin/env bash
# For a machine with a GPU: builds the GPU parts for it, runs their tests, prints one verdict. A few minutes.
# usage: tests/device/check.sh [build folder]
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
build=${1:-build-device}
command -v nvidia-smi >/dev/null || { echo "check: nvidia-smi is not there: no GPU, or no driver" >&2; exit 4; }
nvidia-smi --query-gpu=name,compute_cap,driver_version --format=csv,noheader
cmake -S . -B "$build" -DTESSERA_CUDA=ON -DCMAKE_BUILD_TYPE=Release >"$build.log" 2>&1 || { tail -20 "$build.log"; exit 1; }
cmake --build "$build" -j "$(nproc)" --target cuda_test make_backend_test >>"$build.log" 2>&1 || { tail -40 "$build.log"; exit 1; }
start=$(date +%s%N)
"$build/tests/make_backend_test" --gtest_brief=1
"$build/tests/cuda_test" --gtest_brief=1 | tee "$build.tests"
if grep -q "PASSED.* 0 tests" "$build.tests"; then
    echo "VERDICT: nothing was tested (the program sees no GPU)"
    exit 1
fi
echo "VERDICT: kernels agree with the oracle ($((($(date +%s%N) - start) / 1000000)) ms)"
