#!/usr/bin/env bash
# The command behind "Build:" in a source's head, in one line and without what follows in parentheses: build_line.sh SOURCE
set -euo pipefail
line=$(sed -n '/^\/\/ Build: /{:more; / -o /!{N; b more}; s|\n// *| |g; s|^// Build: *||; s| *(.*||; p; q}' "$1")
[ -n "$line" ] || { echo "$1 has no line // Build: with -o" >&2; exit 1; }
echo "$line"
