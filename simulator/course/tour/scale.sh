#!/usr/bin/env bash
# How the cost of each strategy grows on clcsim: tiles from 2^6 to 2^22 on a b200, and 2^14 tiles on 1
# to 148 of its SMs. Takes about ten minutes; a dot is a run.
#   scale.sh BIN JOBS >scale.txt
# then: build/simulator/course/tour/clcsim_tour plot simulator/course/tour/scale.svg scale.txt h200.txt
set -euo pipefail
bin=$1 jobs=$2
here=$(cd "$(dirname "$0")" && pwd)
export RUNS="--warmup 0 --runs 1"
echo "# clcsim, $(date -u +%F)"
for sms in 1 4 16 64 148; do
  POWERS=14 bash "$here/measure.sh" scale "$bin" "$jobs" "$bin/clcsim" --gpu "b200:$sms"
done
bash "$here/measure.sh" scale "$bin" "$jobs" "$bin/clcsim" --gpu b200
