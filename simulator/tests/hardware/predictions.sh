#!/usr/bin/env bash
# predictions.sh HARDWARE BUILD OUT: runs the quick probes on clcsim's b200 and compares them with what is recorded.
set -euo pipefail
hardware=$1 build=$2 out=$3/b200
for pitfall in $("$build/bin/hardware_report" pitfalls "$build/bin/05_ub_pitfalls"); do
  grep -q "^pitfall.$pitfall " "$hardware/predictions/b200.txt" || { echo "nothing is recorded of the pitfall $pitfall"; exit 1; }
done
rm -rf "$out"
bash "$hardware/report.sh" --gpu b200 --build "$build" --out "$out" --safe \
  --only '^(device|start|memory|clusters|latency|response|instructions|multicast|report)$'
[ "$(wc -l <"$out/observed")" -ge 40 ]
while read -r line; do
  grep -qxF "$line" "$hardware/predictions/b200.txt" || {
    echo "now: $line"
    echo "recorded: $(grep "^${line%% *} " "$hardware/predictions/b200.txt")"
    echo "if that is meant: simulator/course/hardware/README.md, \"Predictions\", says how they are recorded"
    exit 1
  }
done <"$out/observed"
