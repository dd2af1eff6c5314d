#!/usr/bin/env bash
# What compute-sanitizer says about the kernels of judged.cu, and what clcsim says about them.
#
#   sanitizer.sh record [FILE]      on a GPU of compute capability 9.0, with nvcc and
#                                   compute-sanitizer 13.0 or newer on the PATH: runs every kernel
#                                   under memcheck, racecheck, synccheck and initcheck, and writes
#                                   what they found to FILE and all that they said to FILE.log.
#                                   Takes about a minute.
#   sanitizer.sh compare BIN PROGRAM [FILE]
#                                   anywhere: runs PROGRAM (judged.cu, compiled) on BIN/clcsim, and
#                                   prints both verdicts side by side. Exit 1 where they differ and
#                                   explained.txt has no reason for it.
#
# FILE is h200.txt beside this script unless told: a line for each finding, "kernel tool line text".
set -euo pipefail
folder=$(cd "$(dirname "$0")" && pwd)

judge() {  # program folder kernel tool: one run, its output into a file of its own
  local options=(--tool "$4" --print-limit 4)
  [ "$4" != racecheck ] || options+=(--racecheck-report all)
  timeout 120 compute-sanitizer "${options[@]}" "$1" "$3" >"$2/$3.$4" 2>&1 ||
    echo "========= exit status $?" >>"$2/$3.$4"
}

# The first thing that a tool says, and the first line of judged.cu that it names.
first_finding() {
  awk '
    /^=========/ {
      text = $0
      sub(/^=========[ ]*/, "", text)
      if (text == "" || text ~ /^(COMPUTE-SANITIZER|ERROR SUMMARY|RACECHECK SUMMARY|LEAK SUMMARY)/) next
      if (what == "") what = text
      if (line == "" && match(text, /judged\.cu:[0-9]+/)) line = substr(text, RSTART + 10, RLENGTH - 10)
    }
    END { if (what != "") print (line == "" ? "-" : line), what }' "$1"
}

record() {
  local file=${1:-$folder/h200.txt}
  for tool in nvcc compute-sanitizer; do
    command -v $tool >/dev/null || { echo "sanitizer.sh: there is no $tool on the PATH" >&2; exit 2; }
  done
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  nvcc -std=c++17 -lineinfo -arch=sm_90 -o "$work/judged" "$folder/judged.cu"
  export -f judge
  "$work/judged" >"$work/kernels"
  for tool in memcheck racecheck synccheck initcheck; do
    sed "s|\$| $tool|" "$work/kernels"
  done | xargs -P 4 -L 1 bash -c 'judge "$@"' judge "$work/judged" "$work"
  : >"$file.log"
  {
    echo "# compute-sanitizer $(compute-sanitizer --version | sed -n 's/.*Version \([^ ]*\).*/\1/p')," \
      "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1), $(date +%F)"
    while read -r kernel; do
      for tool in memcheck racecheck synccheck initcheck; do
        printf '#### %s %s\n' "$kernel" "$tool" >>"$file.log"
        cat "$work/$kernel.$tool" >>"$file.log"
        first_finding "$work/$kernel.$tool" | sed "s/^/$kernel $tool /"
      done
    done <"$work/kernels"
  } >"$file"
  echo "sanitizer.sh: $(wc -l <"$work/kernels") kernels, $(grep -vc '^#' "$file") findings in $file"
}

compare() {
  local bin=$1 program=$2 file=${3:-$folder/h200.txt} wrong=0
  work=$(mktemp)
  trap 'rm -f "$work"' EXIT
  printf '%-28s %-32s %s\n' kernel compute-sanitizer clcsim
  while read -r kernel; do
    local theirs ours
    theirs=$({ grep "^$kernel " "$file" || true; } | cut -d ' ' -f 2,3 | tr ' ' : | paste -sd ' ' -)
    theirs=${theirs// /, }
    "$bin/clcsim" --gpu h200 --check-json "$work" "$program" "$kernel" >/dev/null 2>&1 || true
    ours=$("$bin/json_fields" --each findings name line <"$work" | tr '|' : | sort -u | paste -sd ' ' -)
    ours=${ours// /, }
    local note=
    if [ "${theirs:+x}" != "${ours:+x}" ]; then
      note=$(grep "^$kernel: " "$folder/explained.txt" || true)
      [ -n "$note" ] && note="  (explained)" || { note="  DIFFERENT, and not explained"; wrong=1; }
    fi
    printf '%-28s %-32s %s\n' "$kernel" "${theirs:--}" "${ours:--}$note"
  done < <("$program")
  return $wrong
}

case "${1:-}" in
  record) record "${@:2}" ;;
  compare) [ $# -ge 3 ] || { echo "sanitizer.sh: compare needs BIN and PROGRAM" >&2; exit 2; }
    compare "${@:2}" ;;
  *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
