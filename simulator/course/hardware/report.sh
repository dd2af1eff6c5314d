#!/usr/bin/env bash
# Prints what to send from a machine with a GPU, where the course is built (cmake --build build --target hardware):
#   bash simulator/course/hardware/report.sh [--danger] >my-gpu.txt
# The probes' lines, the chapters' programs as clc_measure ran them, and with --danger what became of each broken pitfall of chapter
# 05. These may hang the GPU's context, so save your work first. No setting is changed, nothing is sent.
set -uo pipefail
cd "$(dirname "$0")/../../.."
bin=build/bin
[ -x $bin/hardware_probes ] || { echo "build the probes: cmake --preset tour && cmake --build build --target hardware" >&2; exit 2; }

$bin/hardware_probes || exit
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | sed 's/^/# /'
echo "# the course: $(git log -1 --format='%h of %cs' 2>/dev/null || echo unknown)"
timeout -k 5 600 $bin/clc_measure gpu --bin $bin || echo "# FAILED: clc_measure ended with $?"
[ "${1:-}" = --danger ] || exit 0
$bin/hardware_probes decode
for name in $($bin/05_ub_pitfalls --json | sed -n 's/.*"pitfall":"\([^"]*\)".*/\1/p'); do
  echo "pitfall $name" >&2
  said=$(timeout -k 5 30 $bin/05_ub_pitfalls "$name" --i-know --limit 10 --json | tail -n 1)
  echo "pitfall.$name text $? $said"
  if ! timeout -k 5 30 $bin/01_fixed_work --runs 1 >/dev/null 2>&1; then
    echo "# after $name the GPU does not work any more"
    break
  fi
done
