#!/usr/bin/env bash
# Checks one exercise on clcsim and says what came out of it:
#   check.sh BUILD ID [PROGRAM [ARGUMENTS...]]
# ID is for instance 03_1; PROGRAM is the student's if none is given. The first line of the output ends
# with the verdict. Exit status: 0 pass, 3 to do, else not passed.
set -uo pipefail

stop() { echo "check.sh: $1" >&2; exit 2; }
[ $# -ge 2 ] || stop "give the build folder and an exercise: check.sh build 03_1"
build=$1 id=$2
shift 2
source=$(cd "$(dirname "$0")/../.." && pwd)
list=$build/exercises/list.txt
[ -f "$list" ] || stop "$list is missing; configure first: cmake --preset course"
read -r _ file gpu seeds < <(grep "^$id " "$list") || stop "there is no exercise $id; $list has all"
[ $# -gt 0 ] || set -- "$build/exercises/$id"
[ -x "$1" ] || stop "$1 is missing; build it: cmake --build $build --target exercise_${id}_program"
exercises=${file%%/exercises/*}/exercises
check=$source/$exercises/checks/$(basename "$file" .cu).h
out=$(mktemp) err=$(mktemp) found=$(mktemp)
trap 'rm -f "$out" "$err" "$found"' EXIT

CLCSIM_GPU=$gpu timeout -k 5 "${CLC_EXERCISE_SECONDS:-60}" \
  "$build/bin/clcsim" --explore "$seeds" --check-json "$found" "$@" >"$out" 2>"$err" </dev/null
status=$?
# The run that failed, if one did: {"seed":N,"findings":[{"kind":…,"name":…
json=$(<"$found") seed=0 finding=
[[ $json =~ ^\{\"seed\":([0-9]+) ]] && seed=${BASH_REMATCH[1]}
[[ $json =~ \"name\":\"([a-z-]+)\" ]] && finding=${BASH_REMATCH[1]}

case $status in
  0) verdict="PASS, under $seeds seeds" ;;
  3) verdict="TODO: open $file, and set kReady = true when it is to be checked" ;;
  1) verdict="WRONG${finding:+, $finding}" ;;
  4) verdict="NOTHING STOLEN" ;;
  124 | 137) verdict="TOO SLOW: it does not end" ;;
  *) verdict=${finding:-ERROR} ;;
esac
[ "$seeds" = 1 ] && verdict=${verdict%, under 1 seeds}
echo "exercise $id, $file: $verdict"
if [ $status = 0 ]; then
  cat "$out"
elif [ $status != 3 ]; then
  [ "$seed" = 0 ] || echo "  right under seed 0, whose output comes first, but not under seed $seed:"
  cat "$out"
  grep -v '^clcsim: seed' "$err" | head -n 50
  echo "  hint: $(sed -n '/^\/\/ Hint:/,/^$/s|^// *\(Hint: *\)*||p' "$check" | paste -sd ' ')"
  echo "  more: $exercises/README.md"
  echo "  again: build/bin/clcsim --gpu $gpu --seed $seed build/exercises/$id"
fi
exit $status
