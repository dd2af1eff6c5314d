#!/usr/bin/env bash
# The line behind "Build:", which may go on in the next one, typed in the course's folder, makes a program of a source that
# includes nothing of the course, or such a source: one_file.sh SOURCE NVCC PROGRAM
set -euo pipefail
if grep -n '#include ".*h"' "$1" >&2; then
  echo "$1 must include nothing but the toolkit and another source" >&2
  exit 1
fi
read -ra line < <(bash "$(dirname "$0")/../tools/build_line.sh" "$1")
cd "$(dirname "$0")/../../.."
"$2" "${line[@]:1:${#line[@]}-2}" "$3"  # without the word nvcc, and into the build folder
