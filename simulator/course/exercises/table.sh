#!/usr/bin/env bash
# Checks all exercises and prints a line for each:
#   table.sh CMAKE BUILD
# Always ends with 0. A teacher's script reads BUILD/exercises/results.tsv: id, file, verdict.
set -uo pipefail

cmake=$1 build=$2
results=$build/exercises/results.tsv
: >"$results"
ids=$(cut -d' ' -f1 "$build/exercises/list.txt")

# As many at a time as there are cores; what doesn't compile must not stop the others.
keep_going=()
[ -f "$build/build.ninja" ] && keep_going=(-- -k 0)
# shellcheck disable=SC2046  # a list of targets
"$cmake" --build "$build" --target $(printf 'exercise_%s_program ' $ids) "${keep_going[@]}" \
  >/dev/null 2>&1

passed=0 all=0
while read -r id file _; do
  verdict="DOES NOT COMPILE"
  if "$cmake" --build "$build" --target "exercise_${id}_program" >/dev/null 2>&1; then
    read -r verdict < <("$build/exercises/check" --verdict "$id")
  fi
  case $verdict in PASS*) passed=$((passed + 1)) ;; esac
  all=$((all + 1))
  printf '%s\t%s\t%s\n' "$id" "$file" "$verdict" >>"$results"
  printf '%-6s %-62s %s\n' "$id" "$file" "$verdict"
done <"$build/exercises/list.txt"
echo "$passed of $all passed"
