#!/usr/bin/env bash
# The statements of the course that only a GPU of compute capability 10.0 or newer can settle, as a table: each follows
# a mark in the text, "<!-- open: PROBE -->" on a line of its own, or is a paragraph **On hardware:** of
# chapter 05. Prints STATEMENTS.md.
set -euo pipefail
cd "$(dirname "$0")/../../.."
cat <<'END'
# What only a GPU can settle

Each row is a statement of the course that nobody here has seen on hardware, and the probe of `report.sh` that would
settle it. Made by `statements.sh` from marks in the text.

| where | statement | probe |
|---|---|---|
END
git ls-files '*.md' | grep -v STATEMENTS | LC_ALL=C sort | xargs awk '
  FNR == 1 { open = ""; heading = "" }
  /^#+ / && !open { heading = $0; sub(/^#+ /, "", heading); gsub(/`/, "", heading) }
  match($0, /<!-- open: [a-z0-9.-]+ -->/) {
    if ($0 ~ /`<!-- open/) next
    open = substr($0, RSTART + 11, RLENGTH - 15); text = ""; next
  }
  /^\*\*On hardware:\*\*/ { open = "pitfall-" heading; text = ""; sub(/^\*\*[^*]*\*\* */, "") }
  open {
    if ($0 ~ /^\|/) { line = $0; sub(/^\| */, "", line); sub(/ *\|$/, "", line); gsub(/ *\| */, "; ", line); text = line; end = 1 }
    else { line = $0; sub(/^ *(- |[0-9]+\. )?/, "", line); text = text (text == "" ? "" : " ") line; end = ($0 == "" || match(text, /[.?]( |$)/)) }
    if (end) {
      if (text !~ /^\|/ && match(text, /[.?]( |$)/) && $0 !~ /^\|/) text = substr(text, 1, RSTART)
      gsub(/\|/, "\\|", text)
      gsub(/\]\([^)]*\)/, "", text); gsub(/\[/, "", text)
      printf "| %s, %s | %s | `%s` |\n", FILENAME, heading, text, open
      open = ""
    }
  }'
