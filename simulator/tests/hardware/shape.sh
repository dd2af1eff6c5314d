#!/usr/bin/env bash
# shape.sh HARDWARE: fails where a recorded prediction or report lacks quantities, or model.txt doesn't know one.
set -uo pipefail
hardware=$1 failed=0
wrong() { echo "$1"; failed=1; }
names() { cut -d' ' -f1 "$1" | sort; }
column() { awk -F ' [|] ' -v n="$1" '!/^#/ && NF { gsub(/^ +| +$/, "", $n); print $n }' "$hardware/model.txt"; }
rows=$(column 1 | paste -sd '|')

for gpu in b200 rtx5090 h200; do
  file=$hardware/predictions/$gpu.txt
  [ -s "$file" ] || { wrong "there are no predictions for $gpu"; continue; }
  [ -z "$(names "$file" | uniq -d)" ] || wrong "$gpu: a quantity stands there twice"
  while read -r name; do
    grep -qE "^($rows)" <<<"$name" || wrong "model.txt has no row for $name"
  done < <(names "$file")
done
# The GPUs differ in their largest cluster, and an H200 has no CLC. All else is the same.
differ=$(diff <(names "$hardware/predictions/b200.txt") <(names "$hardware/predictions/rtx5090.txt") | grep '^[<>]' | grep -vE ' (clusters|multicast)\.16\.')
[ -z "$differ" ] || wrong "b200 and rtx5090 have other quantities: $differ"
foreign=$(comm -13 <(names "$hardware/predictions/b200.txt") <(names "$hardware/predictions/h200.txt"))
[ -z "$foreign" ] || wrong "h200 has quantities that b200 lacks: $foreign"

# A report from a GPU has a value beside each prediction of what that GPU can run.
for report in "$hardware"/reports/*.json; do
  [ -f "$report" ] || { wrong "there is no report"; continue; }
  gpu=$(basename "$report" .json)
  missing=$(comm -23 <(names "$hardware/predictions/$gpu.txt") <(sed -n 's/.*"quantity":"\([^"]*\)".*/\1/p' "$report" | sort))
  [ -z "$missing" ] || wrong "$report lacks $missing"
  grep -q '"failed' "$report" && wrong "$report: a probe failed"
  grep -q "^# " "${report%.json}.md" || wrong "$report has no page beside it"
done
# Each constant that model.txt names is a line of a profile, or a file.
while read -r constant; do
  case $constant in
    '' | '\1') ;;
    */*) [ -e "$hardware/../$constant" ] || wrong "model.txt names simulator/$constant, which is not there" ;;
    *) grep -q "\b$constant;" "$hardware/../config/profile.h" || wrong "model.txt names $constant, which no profile has" ;;
  esac
done < <(column 3)
exit $failed
