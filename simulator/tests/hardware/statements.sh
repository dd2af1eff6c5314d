#!/usr/bin/env bash
# statements.sh HARDWARE: STATEMENTS.md is what the marks in the text give, and each names a probe that there is.
set -uo pipefail
hardware=$1
bash "$hardware/statements.sh" | diff "$hardware/STATEMENTS.md" - ||
  { echo "simulator/course/hardware/STATEMENTS.md is out of date: bash simulator/course/hardware/statements.sh >simulator/course/hardware/STATEMENTS.md"; exit 1; }
[ "$(grep -c '^| ' "$hardware/STATEMENTS.md")" -ge 50 ] || { echo "marks were lost"; exit 1; }
sed -n 's/^| .* | `\([^`]*\)` |$/\1/p' "$hardware/STATEMENTS.md" | sort -u | while read -r probe; do
  case $probe in
    pitfall-*) grep -q "{\"${probe#pitfall-}\"," "$hardware/../../../05_ub_pitfalls/ub_pitfalls.cu" ;;
    *) grep -q "^$probe\." "$hardware/predictions/b200.txt" ;;
  esac || { echo "there is no probe $probe"; exit 1; }
done
