#!/usr/bin/env bash
# The line behind "Build:", which may go on in the next one, makes a program of a source that lies alone in its chapter's
# folder: one_file.sh SOURCE NVCC PROGRAM
set -euo pipefail
chapter=$(basename "$(dirname "$1")")
alone=$(mktemp -d)
trap 'rm -rf "$alone"' EXIT
mkdir "$alone/$chapter" "$alone/build"
cp "$1" "$alone/$chapter"
cd "$alone"
read -ra line < <(sed -n '/^\/\/ Build: /{:more; / -o /!{N; b more}; s|\n// *| |g; s|^// Build: *nvcc ||; s| *(.*||; p; q}' "$chapter"/*.cu)
"$2" "${line[@]}"
cp "build/$(basename "$3")" "$3"
