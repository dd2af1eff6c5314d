#!/usr/bin/env bash
# Checks one variant of an exercise, as a student's attempt is checked, and expects a verdict:
#   variant.sh CHECK ID VERDICT PROGRAM [ARGUMENTS...]
# VERDICT is a glob. What passes must do so without a finding; whatever fails must come with a hint for what
# the verdict says, and not with one for the exercise.
set -uo pipefail

check=$1 id=$2 expect=$3
shift 3
out=$("$check" "$id" "$@")
echo "$out"
line=${out%%$'\n'*}
verdict=${line#*.cu: }
# shellcheck disable=SC2053  # a glob
[[ $verdict == $expect ]] || { echo "expected $expect"; exit 1; }
case $expect in
  PASS*) ! grep -q '^=========' <<<"$out" || { echo "a solution with a finding"; exit 1; } ;;
  TODO*) grep -q "exercises/.*\.cu" <<<"$verdict" || { echo "it doesn't say what to open"; exit 1; } ;;
  *)  # the hint is that of the reason
    reason=${verdict#*, } reason=${reason%: it does not end}
    case $verdict in NOTHING*) reason="nothing stolen" ;; "TOO SLOW: "*) reason="too slow" ;; esac
    grep -qF "  hint 1 of " <<<"$out" || { echo "no hint"; exit 1; }
    # With a finding and a wrong result the exercise may have a hint for what is wrong with the result.
    grep -qF " ($reason): " <<<"$out" || { [[ $verdict == "WRONG, "* ]] && grep -q '^=========.*\[' <<<"$out" &&
      ! grep -qF " (any): " <<<"$out"; } || { echo "not a hint for $reason"; exit 1; } ;;
esac
if [[ $expect == WRONG* ]]; then  # yours beside what is expected
  grep -q -e 'is the first that differs' -e '<--' <<<"$out" || { echo "nothing to compare"; exit 1; }
fi
