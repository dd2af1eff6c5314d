#!/usr/bin/env bash
# Checks one exercise on clcsim and says what came out of it:
#   check.sh [--show] BUILD ID [PROGRAM [ARGUMENTS...]]
# ID is for instance 03_1; PROGRAM is the student's if none is given. The first line of the output ends
# with the verdict. Exit status: 0 pass, 3 to do, else not passed. With --show, which is for people, it is
# always 0, so that no build tool's complaint comes behind the hint, and the verdict stands at the end, too.
set -uo pipefail

show=
[ "${1:-}" != --show ] || { show=1; shift; }

stop() { echo "check.sh: $1" >&2; exit 2; }
[ $# -ge 2 ] || stop "give the build folder and an exercise: check.sh build 03_1"
build=$1 id=$2
shift 2
source=$(cd "$(dirname "$0")/../.." && pwd)
list=$build/exercises/list.txt
[ -f "$list" ] || stop "$list is missing; configure first: cmake --preset course"
read -r _ file gpus seeds < <(grep "^$id " "$list") || stop "there is no exercise $id; $list has all"
fewer=${CLC_EXERCISE_SEEDS:-$seeds}  # for tests that check many answers
[ "$fewer" -ge "$seeds" ] || seeds=$fewer
own=
[ $# -gt 0 ] || { own=$build/exercises/$id.failed; set -- "$build/exercises/$id"; }
[ -x "$1" ] || stop "$1 is missing; build it: cmake --build $build --target exercise_${id}_program"
exercises=${file%%/exercises/*}/exercises
out=$(mktemp) err=$(mktemp) findings=$(mktemp)
trap 'rm -f "$out" "$err" "$findings"' EXIT

# On each GPU, under the same seeds, to the first that fails. One run has CLC_EXERCISE_SECONDS; then clcsim
# stops it, says where it was, and reports what it has found.
seconds=${CLC_EXERCISE_SECONDS:-20}
began=${EPOCHREALTIME/[.,]/}
export CLC_EXERCISE_WORD=$RANDOM$RANDOM
for gpu in ${gpus//,/ }; do
  : >"$findings"
  CLCSIM_GPU=$gpu CLCSIM_LIMIT_SECONDS=$seconds timeout -k 20 $((6 * seconds)) \
    "$build/bin/clcsim" --check-json "$findings" --explore "$seeds" "$@" >"$out" 2>"$err" </dev/null
  status=$?
  [ $status = 0 ] || break
done
finding=$(sed -n 's/.*"kind":"error","name":"\([a-z-]*\)".*/\1/p' "$findings" | head -n 1)
seed=$(sed -n 's/.*"seed":\([0-9]*\).*/\1/p' "$findings" | head -n 1)
failed=$(sed -n "s/^check $CLC_EXERCISE_WORD: //p" "$out" | tail -n 1)  # what the check found to be wrong
# No word from the check: it didn't come to its end.
if [ $status = 0 ] && [ "$failed" != passed ]; then
  status=1 failed=ended
  echo "  your code has ended the program before the check was done   <--" >>"$out"
fi
[ "$failed" = passed ] && failed=

case $status in
  0) verdict="PASS, under $seeds seeds" key= ;;
  3) verdict="TODO: open $file, and set kReady = true when it is to be checked" key= ;;
  1) key=${finding:-$failed} verdict="WRONG${finding:+, $finding}" ;;
  4) key="nothing stolen" verdict="NOTHING STOLEN" ;;
  124 | 137) key=${finding:-too slow} verdict="TOO SLOW${finding:+, $finding}: it does not end" ;;
  12[89] | 1[3-9]?) key=${finding:-crash} verdict=${finding:-"ERROR"} ;;
  *) key=${finding:-$failed} verdict=${finding:-ERROR} ;;
esac
[ "$verdict" = WRONG ] || [ "$verdict" = ERROR ] && verdict+=", ${key:-no word of what}"
[[ $gpus == *,* ]] && verdict=${verdict/PASS*/PASS, under $seeds seeds on each of the GPUs $gpus}
[ "$seeds" = 1 ] && verdict=${verdict%, under 1 seeds}
echo "exercise $id, $file: $verdict"
sed -i "/^check $CLC_EXERCISE_WORD: /d" "$out"

# The hint of the finding, or of what failed; the next step of it if that is what failed last time, too.
hint() {
  local key=$1 step=$2 of lines
  for of in "$source/$exercises/checks/$(basename "$file" .cu).hints:$key" \
            "$source/$exercises/checks/$(basename "$file" .cu).hints:$failed" \
            "$(dirname "$0")/hints.txt:$key" "$(dirname "$0")/hints.txt:$failed" \
            "$source/$exercises/checks/$(basename "$file" .cu).hints:any"; do
    [ -n "${of##*:}" ] || continue
    mapfile -t lines < <(KEY="[${of##*:}]" awk '/^\[/ { inside = $0 == ENVIRON["KEY"]; next }
                                                inside && NF && !/^#/' "${of%:*}")
    [ "${#lines[@]}" -gt 0 ] || continue
    [ "$step" -le "${#lines[@]}" ] || step=${#lines[@]}
    echo "  hint $step of ${#lines[@]} (${of##*:}): ${lines[step - 1]}"
    [ "$step" = "${#lines[@]}" ] || echo "  (the next hint comes if this fails again)"
    return
  done
}

step=1
if [ $status = 0 ]; then
  cat "$out"
  rm -f "$own"
elif [ $status != 3 ]; then
  if [ -n "$own" ]; then
    [ -f "$own" ] && IFS=$'\t' read -r before times <"$own" && [ "$before" = "$key" ] && step=$((times + 1))
    printf '%s\t%s\n' "$key" "$step" >"$own"
  fi
  if [ "$seeds" != 1 ] && [ "${seed:-0}" != 0 ]; then
    echo "  It was right under seed 0, the natural schedule, but not under seed $seed. (A seed makes clcsim draw another"
    echo "  order of events and other sizes, as a real GPU may have them. The same seed is the same run again.)"
  fi
  # Under a seed the output of seed 0 comes first.
  cat "$out"
  sed -n '/^=========/p' "$err" | head -n 40
  grep -v '^=========' "$err" | grep -v '^clcsim: seed' | head -n 10
  hint "$key" "$step"
  echo "  more: $exercises/README.md"
  echo "  this run again: build/bin/clcsim --gpu $gpu --seed ${seed:-0} build/exercises/$id"
  if [ -n "$own" ]; then
    player=$build/exercises/$id.html
    rm -f "$player"
    CLCSIM_GPU=$gpu CLCSIM_LIMIT_SECONDS=5 timeout -k 5 10 \
      "$build/bin/clcsim" --seed "${seed:-0}" --timeline "$player" "$@" >/dev/null 2>&1 </dev/null
    [ -s "$player" ] && echo "  watch it:       build/exercises/$id.html, in a browser"
  fi
fi
[ -n "$show" ] || exit $status
took=$(((${EPOCHREALTIME/[.,]/} - began) / 100000))
echo "exercise $id: ${verdict%%: *} (checked in $((took / 10)).$((took % 10)) s)"
