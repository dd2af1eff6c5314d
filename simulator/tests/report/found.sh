#!/usr/bin/env bash
# The reports that FOUND.md shows are those of found.cu's programs, and each repaired one is silent:
#   [UPDATE=1] found.sh FOUND.md BIN PROGRAM
# Before each report stands a line <!-- report of: NAME -->. UPDATE=1 writes the reports.
set -euo pipefail

page=$1 bin=$2 program=$3
names=$(sed -n 's/^<!-- report of: \(.*\) -->$/\1/p' "$page")
shown() {
  awk -v head="<!-- report of: $1 -->" '
    /^```$/ { inside = 0 }
    inside
    $0 == head { found = 1 }
    found && /^```text$/ { inside = 1; found = 0 }' "$page"
}
count=0
for name in $names; do
  if ! out=$("$bin/clcsim" "$program" "$name" --repaired 2>&1) || grep -q '^=====' <<<"$out"; then
    echo "$name, repaired, is reported:"$'\n'"$out" >&2
    exit 1
  fi
  # The first finding; the others are its consequences.
  said=$("$bin/clcsim" "$program" "$name" 2>&1 |
    awk '/^=====.* clcsim: / { ++n } /^=====/ && n == 1' || true)
  if [ -n "${UPDATE:-}" ]; then
    SAID=$said awk -v head="<!-- report of: $name -->" '
      /^```$/ { inside = 0 }
      !inside
      $0 == head { found = 1 }
      found && /^```text$/ { inside = 1; found = 0; print ENVIRON["SAID"] }' "$page" >"$page.new"
    mv "$page.new" "$page"
  elif [ "$said" != "$(shown "$name")" ]; then
    echo "$page shows another report of $name than"$'\n'"$said"$'\n'"UPDATE=1 $0 $* writes it" >&2
    exit 1
  fi
  count=$((count + 1))
done
[ $count -ge 5 ] || { echo "only $count reports in $page" >&2; exit 1; }
echo "$count reports of $page are as shown"
