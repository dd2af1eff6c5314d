#!/usr/bin/env bash
# The measurements that clcsim's clock is compared with. Prints one line for each: name, milliseconds, or on
# clcsim cycles: what is compared are ratios.
#
#   measure.sh ARCH [LAUNCHER...]     on a GPU:      REPEATS=25 RUNS=11 measure.sh 90
#                                     on clcsim:     measure.sh 90 build/bin/clcsim --gpu h200
#
# Of a strategy's time a program gives the median of RUNS launches. The wait of an urgent kernel beside it is
# measured once in a program's run and varies, so there it is the median of REPEATS such runs. The last lines are
# no times but shares, see wave.cu: what the parameters were taken from.
#
# JOBS measurements run at a time: one, unless something else is said, since on a GPU they would disturb each other.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../../../..
arch=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for source in 01_fixed_work/fixed_work 02_grid_stride/grid_stride simulator/course/hardware/calibration/wave; do
  nvcc -O3 -std=c++17 -cudart shared "$root/common/program.cpp" -I"$root/common" \
    -gencode "arch=compute_$arch,code=[compute_$arch,sm_$arch]" \
    "$root/$source.cu" -o "$work/$(basename "$source")"
done
c++ -O1 -std=c++20 -I"$root/simulator/clcsim" -I"$root/simulator/tests" "$root/simulator/tests/tools/json_fields.cpp" "$root/simulator/clcsim/report/json_reader.cpp" \
  -o "$work/json_fields"
run() { # name, program and its options
  local name=$1
  shift
  printf '%s %s\n' "$name" "$("$@" --warmup "${WARMUP:-1}" --runs "${RUNS:-1}" --json | "$work/json_fields" milliseconds/cycles)"
}
wait_beside() { # name, program and its options
  local name=$1 i repeats=${REPEATS:-1} waited whole
  shift
  IFS='|' read -r waited whole < <(
    for ((i = 0; i < repeats; i++)); do
      "$@" --urgent 1 --warmup "${WARMUP:-1}" --runs 1 --json |
        "$work/json_fields" urgent_milliseconds/urgent_cycles beside_urgent_milliseconds/beside_urgent_cycles
    done | sort -n | head -n $(((repeats + 1) / 2)) | tail -n 1)
  printf '%s\n' "waited-$name $waited" "whole-$name $whole"
}
started=0
start() { # a measurement, as soon as there is a place for it
  while [ "$(jobs -rp | wc -l)" -ge "${JOBS:-1}" ]; do wait -n; done
  started=$((started + 1))
  "$@" > "$work/lines.$started" &
}
all() { # run or wait_beside, name, options
  local how=$1 name=$2
  shift 2
  start "$how" "fixed-$name" "${launcher[@]}" "$work/fixed_work" "$@"
  start "$how" "stride-$name" "${launcher[@]}" "$work/grid_stride" --kernel stride "$@"
  start "$how" "queue-$name" "${launcher[@]}" "$work/grid_stride" --kernel queue "$@"
}
launcher=("$@")
n=$((1 << 26))
for prologue in 16 2000; do
  all run $prologue --elements $n --prologue $prologue
done
for skew in 50 200; do
  all run skew-$skew --elements $n --skew $skew --threads 256 --tile 2048
done
# Blocks that fill the SMs; each tile takes as long as the others.
for tile in 1024 2048; do
  all wait_beside memory-$tile --elements $n --threads 256 --tile $tile
done
all wait_beside arithmetic --elements $((n / 2)) --threads 256 --tile 2048 --skew 200 --shape 4
for kernel in arithmetic memory; do
  start "$@" "$work/wave" $kernel
done
while [ -n "$(jobs -p)" ]; do wait -n; done
for ((i = 1; i <= started; i++)); do cat "$work/lines.$i"; done
