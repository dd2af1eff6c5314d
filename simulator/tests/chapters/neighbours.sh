#!/usr/bin/env bash
# minimal.cu of neighbouring chapters, or in C++ and in PTX: at most 80 lines each (PTX has more). What isn't in a region (main,
# and what all share) differs in at most 25 lines, and diff prints at most 75, so that it shows what is new: neighbours.sh FILE FILE...
set -euo pipefail
shared() { sed '/^\/\/ \[[a-z]/,/^\/\/ \[\//d' "$1"; }
status=0
previous=
for file; do
  lines=$(wc -l <"$file")
  ((lines <= 80)) || [[ $file == *_ptx.cu ]] || { echo "$file has $lines lines; at most 80" && status=1; }
  if [[ $previous ]]; then
    differing=$(diff <(shared "$previous") <(shared "$file") | grep -c '^[<>]' || true)
    printed=$(diff "$previous" "$file" | wc -l || true)
    echo "$previous and $file: $differing lines outside of regions, $printed printed by diff"
    ((differing <= 25 && printed <= 75)) || { echo "at most 25 and 75" && status=1; }
  fi
  previous=$file
done
exit $status
