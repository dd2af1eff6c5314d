#!/usr/bin/env bash
# Compiles each chapter for each target that it can hold, with all warnings as errors:
#   targets.sh [NVCC [JOBS [TARGET...]]]        prints a row of a table for each chapter
# "ok" compiled, "trap" compiled to a kernel that refuses to run, "-" the toolkit doesn't know the target,
# or the chapter's CMakeLists.txt doesn't build it there.
set -euo pipefail
cd "$(dirname "$0")/../../.."

nvcc=${1:-nvcc} jobs=${2:-1}
shift $(($# < 2 ? $# : 2))
targets=${*:-75 80 90 100 100a 103a 110a 120 120a 121a}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

compile() {  # nvcc out source target
  local log=$2/$(basename "$(dirname "$3")").$4
  if ! "$1" --list-gpu-code | grep -qx "sm_${4%[af]}"; then
    echo "-" >"$log"
  elif "$1" -std=c++17 -O3 -lineinfo -Werror all-warnings -Xcompiler=-Wall,-Wextra,-Werror -Icommon \
    -gencode "arch=compute_$4,code=[compute_$4,sm_$4]" -c "$3" -o "$log.o" 2>"$log.txt"; then
    echo ok >"$log"
  else
    echo FAILED >"$log"
    cat "$log.txt" >&2
  fi
}
export -f compile

for chapter in 0?_*; do
  source=$chapter/${chapter#*_}.cu
  for target in $targets; do
    case $source:$target in
      04_*:[789]?) ;;  # clusters of blocks begin with 90, CLC with 100
      05_*:*[0-9]) ;;  # the multicast needs an `a` target
      *) echo "$source" "$target" ;;
    esac
  done
done | xargs -P "$jobs" -L 1 bash -c 'compile "$@"' compile "$nvcc" "$out"

"$nvcc" --version | sed -n 's/.*release .*, V/nvcc /p'
echo "| chapter |$(printf ' %s |' $targets)"
echo "|---|$(printf -- '---|%.0s' $targets)"
for chapter in 0?_*; do
  [ -n "$(ls "$out/$chapter".* 2>/dev/null)" ] || continue
  row="| $chapter |"
  for target in $targets; do
    word=$(cat "$out/$chapter.$target" 2>/dev/null || echo -)
    case $word:$chapter:$target in
      ok:03_*:[789]? | ok:04_*:*[0-9]) word=trap ;;
      ok:06_*:[789]?) word=fallback ;;
    esac
    row+=" $word |"
  done
  echo "$row"
done
if grep -rlx FAILED "$out"; then exit 1; fi
