#!/usr/bin/env bash
# Draws the timelines of all strategies on one problem, at one scale, and measures for the table of the course's
# README:
#   pictures.sh BIN FOLDER      FOLDER gets fixed.svg, fixed.html (the player), stride.svg, ... and claim.txt
set -euo pipefail
bin=$1 folder=$2
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
small="--threads 32 --tile 32 --warmup 0 --runs 1 --json"
# 36 tiles on the 8 slots of one SM, about one tile in four long. Launch 4 meets the urgent kernel; before it come
# the counted one, one of that kernel alone and the timed one.
uneven="$small --elements 1152 --prologue 900 --skew 60 --shape 1 --urgent 1"
# Where CLC loses: many short tiles; and nine, of which the first and the last are long.
even="$small --elements 32768 --prologue 16"
nine="$small --elements 288 --prologue 16 --skew 100 --shape 3"

run() { # what clcsim and the program are given
  "$bin/clcsim" --gpu mini:1 --check off "$@" 2>"$folder/errors.txt" || { cat "$folder/errors.txt" >&2; exit 1; }
}
: >"$folder/claim.txt"
while read -r strategy program kernel; do
  [ -x "$bin/$program" ] || continue  # the toolkit or the target can't hold this chapter
  # shellcheck disable=SC2086  # lists of options
  {
    said=$(run --timeline "$folder/$strategy.svg" --timeline-launch 4 --timeline-cycles 36000 \
      "$bin/$program" --kernel "$kernel" $uneven)
    run --timeline "$folder/$strategy.html" --timeline-launch 4 "$bin/$program" --kernel "$kernel" $uneven \
      >/dev/null
    [[ $strategy =~ ^(fixed|stride|queue|clc)$ ]] || continue
    echo "claim uneven $strategy $said"
    echo "claim even $strategy $(run "$bin/$program" --kernel "$kernel" $even)"
    echo "claim nine $strategy $(run "$bin/$program" --kernel "$kernel" $nine)"
  } >>"$folder/claim.txt"
done < <(bash "$here/strategies.sh")
rm -f "$folder/errors.txt"
