#!/usr/bin/env bash
# Runs every command that a quiz gives as an answer, or the lesson's plan shows:
#   quiz.sh BIN FILE.md
# Behind each ```sh block, which holds one command, stands what it must do: <!-- exits N: text -->. The
# text, in which \n is a line break, must be in its output. (What builds stands in ```bash and is not run.)
set -uo pipefail

bin=$1 quiz=$2
cd "$(dirname "$0")/../../.."
status=0 commands=0
while IFS=$'\t' read -r command expected text; do
  commands=$((commands + 1))
  read -ra words <<<"$command"
  out=$(timeout 60 "${words[@]/build\/bin\//$bin/}" 2>&1)
  code=$?
  if [ "$code" != "$expected" ] || [[ $out != *"$(printf '%b' "$text")"* ]]; then
    echo "$command"$'\n'"$out"$'\n'"exit status $code; expected $expected and '$text'"
    status=1
  fi
done < <(awk '/^```sh$/ { getline; command = $0; getline; getline
  if (sub(/^<!-- exits /, "") && sub(/ -->$/, "")) { code = $0; sub(/:.*/, "", code); sub(/^[0-9]*: /, "") }
  else { code = "?"; $0 = "a comment <!-- exits N: text --> behind the block" }
  print command "\t" code "\t" $0 }' "$quiz")
echo "$commands commands of $quiz"
[ "$commands" -gt 0 ] || status=1
exit $status
