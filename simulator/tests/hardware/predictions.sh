#!/usr/bin/env bash
# predictions.sh RECORDED CLCSIM PROBES: what the quick probes say on clcsim's b200 stands in RECORDED.
set -euo pipefail
recorded=$1 clcsim=$2 probes=$3
count=0
for probe in device start memory clusters latency response instructions multicast; do
  while read -r line; do
    grep -qxF "$line" "$recorded" || {
      echo "now: $line"
      echo "recorded: $(grep "^${line%% *} " "$recorded")"
      echo "if that is meant: simulator/course/hardware/README.md, \"Predictions\", says how they are recorded"
      exit 1
    }
    count=$((count + 1))
  done < <("$clcsim" --check off --gpu b200 "$probes" $probe | grep -v '^#')
done
[ $count -ge 40 ]
