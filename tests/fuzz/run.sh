#!/usr/bin/env bash
# Fuzzes one reader: tests/fuzz/run.sh TARGET SECONDS [options of libFuzzer]
#   TARGET   deck gromacs_top amber_prmtop gro g96 pdb charmm_crd amber_text amber_netcdf h5md trajectory checkpoint
#   SECONDS  of processor time
# Builds with clang into build-fuzz, seeds from tests/inputs, tests/data, inputs (and the handed systems beside the
# project, where there are any), keeps what it finds new in build-fuzz/corpus/TARGET and findings in
# build-fuzz/findings/TARGET. Prints executions, coverage and peak memory at the end; its status is 0 without findings.
# FUZZ_ONLY_BUILD=1 builds and seeds only.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
target=${1:?usage: tests/fuzz/run.sh TARGET SECONDS} seconds=${2:?usage: tests/fuzz/run.sh TARGET SECONDS}
shift 2
build=$PWD/build-fuzz

launcher=()
if command -v ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
cmake -G Ninja -S tests/fuzz -B "$build" -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ "${launcher[@]}" >/dev/null
ninja -C "$build" "fuzz_$target" make_seeds | tail -n 1

seeds=$build/seeds/$target corpus=$build/corpus/$target findings=$build/findings/$target
mkdir -p "$seeds" "$corpus" "$findings"
# take ENDING...: files of up to 64 kB, gzip'ed ones both ways
take() {
  local ending
  for ending in "$@"; do
    while IFS= read -r file; do
      local name
      name=$(sha1sum "$file" | cut -c1-16)
      cp -f "$file" "$seeds/$name"
      if [[ $file == *.gz ]] && (( $(gzip -l "$file" 2>/dev/null | awk 'NR == 2 {print $2}') < 65536 )); then
        gzip -dc "$file" > "$seeds/$name-plain" 2>/dev/null || true
      fi
    done < <(find tests/inputs tests/data inputs $(test -d ../shared/systems && echo ../shared/systems) \
               -type f -name "*$ending" -size -64k 2>/dev/null)
  done
}
case $target in
  deck) take .toml ;;
  gromacs_top) take .top .itp ;;
  amber_prmtop) take .prmtop .parm7 ;;
  gro) take .gro .gro.gz ;;
  g96) take .g96 ;;
  pdb) take .pdb .ent ;;
  charmm_crd) take .crd ;;
  amber_text) take .rst7 .inpcrd .crd .rst .crd.gz ;;
  amber_netcdf) take .ncrst ;;
  h5md) take .h5md ;;
esac
(cd "$seeds" && "$build/make_seeds" "$target")

dictionary=()
if [[ -f tests/fuzz/$target.dict ]]; then dictionary=(-dict="tests/fuzz/$target.dict"); fi
if [[ -n ${FUZZ_ONLY_BUILD:-} ]]; then exit 0; fi
# HDF5 keeps lists of its own to the end, and asks for as much memory as a damaged file says, content with none
leaks=1 largest=1000 none=0
case $target in h5md | trajectory | checkpoint) leaks=0 largest=100000000 none=1 ;; esac

# handle_*=2: whatever handlers a child of a reader sets
export ASAN_OPTIONS=quarantine_size_mb=16:allocator_may_return_null=$none:detect_odr_violation=0
ASAN_OPTIONS+=:handle_segv=2:handle_sigbus=2:handle_sigfpe=2:handle_sigill=2:handle_abort=2
export UBSAN_OPTIONS=print_stacktrace=1
# -timeout: wall-clock seconds of one input on a busy machine, more than a child gets (ten of processor time); the targets
# measure processor time
"$build/fuzz_$target" "$corpus" "$seeds" -timeout=90 -malloc_limit_mb=$largest -rss_limit_mb=1400 -max_len=65536 \
  -detect_leaks=$leaks -print_final_stats=1 -artifact_prefix="$findings/" "${dictionary[@]}" "$@" 2> "$findings/log" &
fuzzer=$!
used() { awk -v tick="$(getconf CLK_TCK)" '{print int(($14 + $15) / tick)}' "/proc/$fuzzer/stat" 2>/dev/null || echo 0; }
while kill -0 $fuzzer 2>/dev/null; do
  sleep 1
  if (( $(used) >= seconds )); then kill -INT $fuzzer 2>/dev/null || true; break; fi
done
status=0
wait $fuzzer || status=$?
if (( status == 72 )); then status=0; fi # interrupted: the time is up
grep -E "FINDING|ERROR|SUMMARY|runtime error" "$findings/log" | head -n 20 || true
grep -E "cov:|stat::" "$findings/log" | tail -n 7 || true
case $target in h5md | trajectory)
  echo "inputs on which HDF5 itself failed, in a child, as users get it: $(grep -c ^CONTAINED "$findings/log" || true)" ;;
esac
exit $status
