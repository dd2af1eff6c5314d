#!/usr/bin/env bash
# The line behind "Build:" makes a program of a source that lies alone in its folder: one_file.sh SOURCE NVCC FOLDER
set -euo pipefail
chapter=$(basename "$(dirname "$1")")
rm -rf "$3"
mkdir -p "$3/$chapter" "$3/build"
cp "$1" "$3/$chapter"
cd "$3"
read -ra line < <(sed -n '/^\/\/ Build: /{:a; / -o /!{N; ba}; p; q}' "$chapter"/*.cu | sed -E 's|^// *||; s|^Build: *nvcc ||; s| +\(.*||' | paste -sd ' ')
"$2" "${line[@]}"
