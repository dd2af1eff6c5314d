#!/usr/bin/env bash
# The line behind "Build:" at the top of a chapter's source makes a program that runs on clcsim:
#   by_hand.sh CHAPTER NVCC CLCSIM WORK [ARGUMENTS...]
set -euo pipefail
chapter=$1 nvcc=$2 clcsim=$3 work=$4

# Beside each other, as the line expects them.
rm -rf "$work"
mkdir -p "$work"
ln -s "$chapter" "$chapter/../common" "$work"
mkdir "$work/here"
cp "$chapter"/*.cu* "$chapter"/*.h "$work/here" 2>/dev/null || true
cd "$work/here"

source=$(grep -l -w -e "-o ${chapter##*/}" ./*.cu) || { echo "no source of $chapter has '-o ${chapter##*/}'" >&2; exit 1; }
read -ra line < <(sed -n '/^\/\/ Build: /,/ -o /p' "$source" | sed -E 's|^// *||; s|^Build: *||; s| +\(.*||' | paste -s -d ' ')
[ "${line[0]:-}" = nvcc ] || { echo "no line '// Build: nvcc ...' in $chapter" >&2; exit 1; }
program=${line[-1]}
echo "${line[*]}"
"$nvcc" "${line[@]:1}"
"$clcsim" "./$program" "${@:5}" | tee output
grep -q -e '^verdict: PASS$' -e ': PASS' output
