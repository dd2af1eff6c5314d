#!/usr/bin/env bash
# Whether the reference report of the lab says what its runs say: the table of variations, the blocks that start, and
# what is read off the picture.
#   lab.sh CLCSIM PROGRAM         PROGRAM has the lab's solution and its variations
set -uo pipefail
clcsim=$1 program=$2
report=$(dirname "$0")/../../../06_for_each_canceled_block/exercises/lab_spmv/README.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
wrong() { echo "lab_spmv/README.md: $1"; status=1; }

# row LABEL VARIANT [OPTIONS]: the cycles of the three launches, in thousands. The table keeps started, stolen, cycles.
row() {
  local label=$1 variant=$2 all
  shift 2
  "$clcsim" --stats "$@" "$program" "06_lab.$variant" >"$work/out" 2>&1 || wrong "$label: $(tail -n 3 "$work/out")"
  awk 'NF == 11 && /^  [123] / { print $6, $7, $NF }' "$work/out" >"$work/table"
  all=$(awk '{ printf " %d,000 |", int($3 / 1000 + 0.5) }' "$work/table" | sed -E 's/ ([0-9]+)([0-9]{3}),000/ \1,\2,000/g')
  [ "$(wc -l <"$work/table")" = 3 ] && grep -qF "| $label |$all" "$report" || wrong "no row: | $label |$all"
}
row 'as given, `mini`, seed 0' solution
[ "$(cut -d' ' -f1,2 "$work/table" | paste -sd,)" = "320 0,32 0,32 288" ] || wrong "started and stolen: $(cat "$work/table")"
row '`--gpu b200`' solution --gpu b200
row '`--gpu b200:9`' solution --gpu b200:9
row '`kThreads = 256`, `kRows = 8`' variation_tiles
row 'a prologue of ten copies' variation_prologue
for seed in 1 2 3; do row "\`--seed $seed\`" solution --seed $seed; done

# What step 7 asks for: the timeline has an event on each line.
"$clcsim" --timeline "$work/lab.json" "$program" 06_lab.solution >"$work/out" 2>&1
awk -F '[:,{}"]+' '
  function thousands(cycles) { cycles = int(cycles / 100 + 0.5) * 100; return int(cycles / 1000) "," sprintf("%03d", cycles % 1000) }
  { delete has; for (i = 2; i < NF; ++i) has[$i] = $(i + 1); tile = substr(has["name"], 7) + 0 }
  has["cat"] == "launch" { begin = has["ts"] }
  (has["cat"] == "own" || has["cat"] == "stolen") && has["ts"] + has["dur"] > end[has["pid"]] {
    end[has["pid"]] = has["ts"] + has["dur"]
    ends[has["pid"]] = tile
  }
  has["cat"] == "own" && has["pid"] == 2 && has["dur"] > 100000 { late = late (late == "" ? "" : " and ") tile }
  has["cat"] == "stolen" && tile % 16 == 0 && has["ts"] > last {
    last = has["ts"]
    steal = "tile " tile ", won at " thousands(has["answered at"] - begin) ", begun at " thousands(last - begin)
  }
  END {
    print "to the end: blocks " late; print steal
    if (ends[1] == ends[3]) print "Tile " ends[1] " ends both"; else print "tiles " ends[1] " and " ends[3] " are the last"
  }' "$work/lab.json" >"$work/read"
while read -r line; do grep -qF "$line" "$report" || wrong "not there: $line"; done <"$work/read"
exit $status
