#!/usr/bin/env bash
# Draws the timelines of all strategies on one problem, at one scale:
#   pictures.sh BIN FOLDER      FOLDER gets fixed.svg, stride.svg, ...
set -euo pipefail
bin=$1 folder=$2
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
# 128 tiles on 16 slots, one tile in four long. Launch 4 meets the urgent kernel; before it come one of
# that kernel alone, the counted one and the timed one.
problem="--threads 256 --tile 256 --elements 32768 --prologue 200 --skew 20 --shape 1 --urgent 1"
while read -r strategy program kernel; do
  [ -x "$bin/$program" ] || continue  # the toolkit or the target can't hold this chapter
  # shellcheck disable=SC2086  # a list of options
  "$bin/clcsim" --check off --timeline "$folder/$strategy.svg" --timeline-launch 4 \
    --timeline-cycles 40000 "$bin/$program" --kernel "$kernel" $problem --warmup 0 --runs 1 \
    >"$folder/$strategy.txt" 2>&1 || { cat "$folder/$strategy.txt" >&2; exit 1; }
  rm "$folder/$strategy.txt"
done < <(bash "$here/strategies.sh")
