#!/usr/bin/env bash
# Every kernel that steals does each block's work exactly once, under many schedules:
#   [KERNELS="program:kernel ..."] exactly_once.sh BIN SEEDS [JOBS]
# runs, for each of the seeds 0 to SEEDS-1, grids of 1, a prime number and more than 65535 tiles,
# each with a partial last tile, of 1, 2 and 3 dimensions and of clusters of 1, 2 and 4 blocks.
# A single tile leaves nothing to steal: that run must end with 4, and each other one with 0.
set -euo pipefail

bin=$1 seeds=$2 jobs=${3:-2}

run() {  # bin seed program kernel tiles threads tile
  local bin=$1 seed=$2 program=$3 kernel=$4 tiles=$5 threads=$6 tile=$7
  local expected=0 status=0 out
  [ "$tiles" = 1 ] && expected=4
  out=$("$bin/clcsim" --seed "$seed" "$bin/$program" --kernel "$kernel" --threads "$threads" \
    --tile "$tile" --elements $((tiles * tile - 1)) --warmup 0 --runs 1 --json 2>&1) || status=$?
  number() { sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p" <<<"$out"; }
  if [ $status != $expected ] || grep -q "=========" <<<"$out" || [ "$(number tiles)" != "$tiles" ] ||
    [ $(($(number blocks_started) + $(number steals))) != "$(number blocks_launched)" ]; then
    echo "seed $seed, $program --kernel $kernel, $tiles tiles: exit status $status"$'\n'"$out"
    return 255  # xargs stops
  fi
}
export -f run

kernels=${KERNELS:-03_clc_basic:basic 03_clc_basic:ptx 03_clc_basic:double 03_clc_basic:two
  03_clc_basic:warps 04_clc_cluster:pairs 04_clc_cluster:quads 04_clc_cluster:square
  04_clc_cluster:box 06_for_each_canceled_block:after 06_for_each_canceled_block:2d
  06_for_each_canceled_block:3d 06_for_each_canceled_block:histogram}

for seed in $(seq 0 $((seeds - 1))); do
  for kernel in $kernels; do
    for grid in "1 256 256" "1009 64 256" "65537 32 4"; do
      echo "$seed" "${kernel%:*}" "${kernel#*:}" "$grid"
    done
  done
done | xargs -P "$jobs" -L 1 bash -c 'run "$@"' run "$bin"
count=$(wc -w <<<"$kernels")
echo "exactly once: $count kernels, 3 grids, $seeds seeds: $((count * 3 * seeds)) runs"
