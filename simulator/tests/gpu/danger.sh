#!/usr/bin/env bash
# danger.sh BIN: the broken pitfalls of chapter 05, each in a process of its own. However it ends, the GPU must work
# afterwards.
set -uo pipefail
bin=$1
names=$("$bin/05_ub_pitfalls" --json | sed 's/.*"pitfall":"\([^"]*\)".*/\1/')
[ -n "$names" ] || { echo "05_ub_pitfalls --json names no pitfall"; exit 1; }
for name in $names; do
  timeout -k 5 20 "$bin/05_ub_pitfalls" "$name" --i-know --limit 10
  echo "$name: exit status $?"
  "$bin/01_fixed_work" --runs 1 >/dev/null || { echo "after $name the GPU does not work any more"; exit 1; }
done
