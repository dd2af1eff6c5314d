#!/usr/bin/env bash
# Packs your exercises, for your teacher:
#   bash common/teaching/hand_in.sh YOUR-NAME
# Writes YOUR-NAME.zip in the folder that you are in. It holds the files that you have edited and nothing else.
set -euo pipefail

[ $# = 1 ] && [ -n "$1" ] || { echo "hand_in.sh: say who you are: bash common/teaching/hand_in.sh ada-lovelace" >&2; exit 2; }
case $1 in *[!A-Za-z0-9._-]* | .*) echo "hand_in.sh: letters, digits, - and _ only, please: '$1'" >&2; exit 2 ;; esac
to=$PWD/$1.zip
cd "$(dirname "$0")/../.."
files=()
for file in 0*/exercises/*.cu; do
  if grep -q '^[^/]*kReady *[={] *true' "$file"; then  # not where a comment says it
    files+=("$file")
  elif [ -d .git ] && ! git diff --quiet HEAD -- "$file" 2>/dev/null; then
    echo "hand_in.sh: left out: $file is edited, but kReady is not true in it" >&2
  fi
done
[ ${#files[@]} -gt 0 ] || { echo "hand_in.sh: no exercise has kReady = true yet: there is nothing to hand in" >&2; exit 1; }
rm -f "$to"
PATH=$PATH:$PWD/build/setup/cmake/data/bin  # where setup.sh puts it, if the machine has none
cmake -E tar cf "$to" --format=zip "${files[@]}"
printf '%s\n' "${files[@]}"
echo "$to holds ${#files[@]} exercises"
