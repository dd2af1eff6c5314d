#!/usr/bin/env bash
# The line behind "Build:", which may go on in the next one, makes a program of a source that lies alone in its chapter's
# folder: one_file.sh SOURCE NVCC PROGRAM
set -euo pipefail
chapter=$(basename "$(dirname "$1")")
alone=$(mktemp -d)
trap 'rm -rf "$alone"' EXIT
mkdir "$alone/$chapter" "$alone/build"
cp "$1" "$alone/$chapter"
read -ra line < <(bash "$(dirname "$0")/../tools/build_line.sh" "$1")
cd "$alone"
"$2" "${line[@]:1}"  # without the word nvcc
cp "build/$(basename "$3")" "$3"
