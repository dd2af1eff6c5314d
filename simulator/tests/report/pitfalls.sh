#!/usr/bin/env bash
# Every pitfall of chapter 05 that a report may name, run, gives the report that names it:
#   pitfalls.sh NAMES BIN
# NAMES is a program that prints the names.
# Which thread comes first may decide how a finding is explained, so each gets a few seeds.
set -euo pipefail

bin=$2
names=$("$1" | sed 's/ or /\n/' | sort -u)
listed=$("$bin/05_ub_pitfalls" --json | "$bin/json_fields" pitfall)
findings=$(mktemp)
trap 'rm -f "$findings"' EXIT
count=0
for name in $names; do
  grep -qx -- "$name" <<<"$listed" || { echo "05_ub_pitfalls has no pitfall $name" >&2; exit 1; }
  for seed in 0 1 2 3 4 5 6 7 8 none; do
    [ $seed != none ] || { echo "$name gives no finding that names it" >&2; exit 1; }
    "$bin/clcsim" --seed $seed --check-json "$findings" "$bin/05_ub_pitfalls" "$name" >/dev/null 2>&1 || true
    "$bin/json_fields" --each findings pitfall <"$findings" | grep -Eqx "(.* or )?$name( or .*)?" && break
  done
  count=$((count + 1))
done
[ $count -ge 30 ] || { echo "only $count names" >&2; exit 1; }
echo "$count pitfalls give the reports that name them"
