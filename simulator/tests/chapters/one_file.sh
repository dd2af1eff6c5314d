#!/usr/bin/env bash
# The line behind "Build:" makes a program of a source that lies alone in a folder: one_file.sh SOURCE NVCC FOLDER
set -euo pipefail
rm -rf "$3"
mkdir -p "$3"
cp "$1" "$3"
cd "$3"
read -ra line < <(sed -n 's|^// Build: *nvcc ||p' "$(basename "$1")")
"$2" "${line[@]}"
