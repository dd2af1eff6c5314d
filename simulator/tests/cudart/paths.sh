#!/usr/bin/env bash
# Where clcsim and a program may lie: in folders with spaces, but not where the loader would split or
# change the path of clcsim's library. Then clcsim names the character, and the program doesn't start.
#   paths.sh CLCSIM LIBRARY PROGRAM WORK
set -euo pipefail
clcsim=$1 library=$2 program=$3 work=$4

run_in() {  # folder: sets status and out
  mkdir -p "$work/$1/bin" "$work/$1/lib/clcsim"
  cp "$clcsim" "$program" "$work/$1/bin"
  cp "$library" "$work/$1/lib/clcsim"
  status=0
  out=$("$work/$1/bin/clcsim" "$work/$1/bin/$(basename "$program")" arguments "a b" 2>&1) || status=$?
}
wrong() { echo "in '$1': exit status $status: $out" >&2; exit 1; }

run_in "a space"
[ "$status:$out" = "0:[a b]" ] || wrong "a space"
for character in ':' ';' '$'; do
  run_in "a${character}ORIGIN"
  [[ $status = 2 && $out == "clcsim: "*"takes no path with '$character'"* && $out != *$'\n'* ]] ||
    wrong "a${character}ORIGIN"
done
