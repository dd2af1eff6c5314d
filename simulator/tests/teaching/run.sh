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
if [ $# -eq 0 ]; then
  target=arch=compute_90,code=sm_90
else
  target=arch=compute_100a,code=compute_100a
fi

try() {  # target work source level command...
  local name program verdict
  name=$(basename "$3" .cu)
  program=$2/$name${4// /}
  # shellcheck disable=SC2086  # the level is a list of options
  nvcc -std=c++17 -cudart shared $4 -gencode "$1" "$3" -o "$program"
  if "${@:5}" "$program" >"$program.txt" 2>&1; then verdict=PASS; else verdict="FAILED with $?"; fi
  printf '%-16s %-12s %s\n' "$name" "$4" "$verdict"
  if [ "$verdict" != PASS ]; then
    tail -n 20 "$program.txt"
    return 1
  fi
}
export -f try

for source in "$here"/*.cu; do
  for level in "-G" "-Xcicc -O0" "-Xcicc -O1" "-Xcicc -O2" "-Xcicc -O3"; do
    printf '%s\0' "$target" "$work" "$source" "$level" "$@"
  done
done | xargs -0 -n $((4 + $#)) -P "$(nproc)" bash -c 'set -eu; try "$@"' try
