#!/usr/bin/env bash
# The table of common/teaching/answers.md, from the answers/*.edits, each of which has a test of its own:
#   answers.sh           compares
#   answers.sh --write   writes it anew
set -uo pipefail
cd "$(dirname "$0")/../../.."
table() {
  echo "# Answers that were tried"
  echo
  echo "Each is an edit of the exercise's solution, in \`answers/\` beside it, with the verdict that it must get; a test checks each of"
  echo "them, and that the hint is one for this verdict. A wrong one has 50 seeds to be refused by; right ones, of another style than"
  echo "the solution, have 15, and the solution, which is not counted, 50. This table is written by \`simulator/tests/exercises/answers.sh --write\`."
  echo
  echo "| exercise | wrong | right | what the wrong ones are told |"
  echo "|---|---:|---:|---|"
  local all_wrong=0 all_right=0 file wrong right
  for file in 0*/exercises/answers/*.edits; do
    wrong=$(grep '^== ' "$file" | grep -vc ': PASS')
    right=$(grep -c '^== .*: PASS' "$file")
    printf '| %s/%s | %s | %s | %s |\n' "${file%%_*}" "$(basename "$file" .edits)" "$wrong" "$right" "$(
      sed -n 's/^== [^:]*: //p' "$file" | grep -v '^PASS' | sed -E 's/^(WRONG|ERROR), //; s/^\*//; s/: it does not end//; s/@\(([^)]*)\)/\1/; s/[|]/ or /g' |
        sort | uniq -c | sort -k1,1nr -k2 | awk '{ n = $1; $1 = ""; printf "%s%s%s", sep, substr($0, 2), (n > 1 ? " (" n ")" : ""); sep = "; " }')"
    all_wrong=$((all_wrong + wrong)) all_right=$((all_right + right))
  done
  echo "| all | $all_wrong | $all_right | |"
}
if [ "${1:-}" = --write ]; then table >common/teaching/answers.md; else diff common/teaching/answers.md <(table); fi
