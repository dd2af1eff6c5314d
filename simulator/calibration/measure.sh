#!/usr/bin/env bash
# The measurements that clcsim's clock is compared with. Prints one line for each: name, milliseconds.
#
#   measure.sh ARCH [LAUNCHER...]     on a GPU:      measure.sh 90
#                                     on clcsim:     measure.sh 90 build/bin/clcsim --gpu h200
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
arch=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for source in 01_fixed_work/fixed_work 02_grid_stride/grid_stride simulator/calibration/preemption; do
  nvcc -O3 -std=c++17 -cudart shared -I"$root/common" \
    -gencode "arch=compute_$arch,code=[compute_$arch,sm_$arch]" \
    "$root/$source.cu" -o "$work/$(basename "$source")"
done
milliseconds() { grep -o '"milliseconds":[0-9.]*' | head -n 1 | cut -d: -f2; }
run() { # name, program and its options
  local name=$1
  shift
  printf '%s %s\n' "$name" "$("$@" --warmup "${WARMUP:-1}" --runs "${RUNS:-1}" --json | milliseconds)"
}
n=$((1 << 26))
for prologue in 16 2000; do
  run "fixed-$prologue" "$@" "$work/fixed_work" --elements $n --prologue $prologue
  run "stride-$prologue" "$@" "$work/grid_stride" --kernel stride --elements $n --prologue $prologue
  run "queue-$prologue" "$@" "$work/grid_stride" --kernel queue --elements $n --prologue $prologue
done
for skew in 50 200; do
  shape=(--elements $n --skew $skew --threads 256 --tile 2048)
  run "fixed-skew-$skew" "$@" "$work/fixed_work" "${shape[@]}"
  run "stride-skew-$skew" "$@" "$work/grid_stride" --kernel stride "${shape[@]}"
  run "queue-skew-$skew" "$@" "$work/grid_stride" --kernel queue "${shape[@]}"
done
for strategy in fixed stride fixed-compute stride-compute; do
  "$@" "$work/preemption" "$strategy" |
    awk -v s="$strategy" '{print "low-" s, $2; print "first-" s, $4; print "waited-" s, $6; print "idle-" s, $8}'
done
