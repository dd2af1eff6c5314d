#!/usr/bin/env bash
# The verdict for people tells how long the compiler and the check took, each for itself.
#   times.sh BUILD
set -euo pipefail
source=$(cd "$(dirname "$0")/../../.." && pwd) build=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/exercises"
cp "$build/exercises/check" "$folder/exercises/"
ln -s "$build/bin" "$folder/bin"
echo "01_1 01_fixed_work/exercises/1_tail/task.cu mini 1" >"$folder/exercises/list.txt"
ln -s "$build/exercises/exercises_01_fixed_work_right" "$folder/exercises/01_1"  # says nothing unless it is told which answer
status=0
bash "$source/simulator/course/exercises/timed.sh" "$folder/exercises/01_1.compiled" sh -c 'sleep 0.3; exit 7' || status=$?
[ $status = 7 ] || { echo "timed.sh ended with $status, not with the compiler's 7"; exit 1; }
for times in 'compiled in (0\.[3-9]|[1-9][0-9.]*) s, checked in [0-9]+\.[0-9] s' 'checked in [0-9]+\.[0-9] s'; do
  line=$("$folder/exercises/check" --show 01_1 | tail -n 1)
  grep -qxE "exercise 01_1: WRONG, ended \($times\)" <<<"$line" || { echo "the last line is: $line"; exit 1; }
done
"$folder/exercises/check" --json 01_1 >"$folder/verdict.json" || true
[ "$("$folder/exercises/check" --words "$folder/verdict.json")" = "WRONG, ended" ] || { cat "$folder/verdict.json"; exit 1; }
