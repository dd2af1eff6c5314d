#!/usr/bin/env bash
# Compiles the programs of this folder without and with optimisation, for compute capabilities 9.0 and
# 10.0, and runs each: on clcsim, or on this machine's GPU (from 9.0).
#
#   run.sh build/bin/clcsim      on clcsim
#   run.sh                       on the GPU
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
for source in "$here"/*.cu; do
  for level in "-G" "-Xcicc -O0" "-Xcicc -O1" "-Xcicc -O2" "-Xcicc -O3"; do
    if [ $# -eq 0 ]; then
      targets="-gencode arch=compute_90,code=sm_90"
    else
      targets="-gencode arch=compute_100a,code=compute_100a"
    fi
    # shellcheck disable=SC2086  # lists of options
    nvcc -std=c++17 -cudart shared $level $targets "$source" -o "$work/program"
    if "$@" "$work/program" >"$work/output" 2>&1; then verdict=PASS; else verdict="FAILED with $?"; fi
    printf '%-16s %-12s %s\n' "$(basename "$source" .cu)" "$level" "$verdict"
    if [ "$verdict" != PASS ]; then
      failed=1
      tail -n 20 "$work/output"
    fi
  done
done
exit $failed
