#!/usr/bin/env bash
# Whether every exercise has all that belongs to it:
#   complete.sh BUILD
# An exercise that no CMakeLists.txt names is found as well.
set -uo pipefail
list=$1/exercises/list.txt
cd "$(dirname "$0")/../../.."

status=0
lacks() { echo "$1"; status=1; }
names=$(cut -d' ' -f2 "$list" | sed 's|/solutions/|/|')
[ -n "$names" ] || lacks "no CMakeLists.txt names an exercise"

for file in $names; do
  folder=$(dirname "$file") name=$(basename "$file" .cu)
  [ -f "$file" ] || lacks "$file is not there"
  [ -f "$folder/solutions/$name.cu" ] || lacks "$file has no solution"
  grep -q '^\[any\]$' "$folder/checks/$name.hints" || lacks "$folder/checks/$name.hints has no hint for [any] mistake"
  hints=$(awk -v link="($name.cu)" '
    FNR == 1 || /^## / { inside = 0 } index($0, link) { inside = 1 } inside && /<summary>Hint/ { ++n }
    END { print n + 0 }' "$folder"/*.md)
  [ "$hints" -ge 2 ] || lacks "$folder has $hints hints for $name in its .md files, not 2 or more"
done
for file in [0-9]*/exercises/*.cu; do
  grep -qxF "$file" <<<"$names" || lacks "$file is not in its chapter's CMakeLists.txt"
done
for answers in [0-9]*/exercises/answers/*; do
  file=${answers/answers\//}
  grep -qxF "${file%.edits}.cu" <<<"$names" || lacks "$answers belongs to no exercise"
done
exit $status
