#!/usr/bin/env bash
# What a student packs: what is ready, and nothing else. Each thing that can't be is one sentence.
set -euo pipefail
source=$(cd "$(dirname "$0")/../../.." && pwd)
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
mkdir -p "$folder/a course/common/teaching" "$folder/a course/01_fixed_work" "$folder/mine"
cp "$source/common/teaching/hand_in.sh" "$folder/a course/common/teaching/"
cp -r "$source/01_fixed_work/exercises" "$folder/a course/01_fixed_work/"
cd "$folder/mine"
hand_in() { PATH=${tools:-$PATH} bash "$folder/a course/common/teaching/hand_in.sh" "$@"; }
refused() {  # the sentence, then arguments
  local sentence=$1
  shift
  hand_in "$@" >"$folder/out" 2>&1 && { echo "not refused: $*"; exit 1; }
  grep -q "^hand_in.sh: $sentence" "$folder/out" && [ "$(wc -l <"$folder/out")" = 1 ] || { cat "$folder/out"; exit 1; }
}
refused "say who you are"
refused "say who you are" ada lovelace
refused "letters, digits" "../ada"
refused "no exercise has kReady = true yet" ada
sed -i 's/kReady = false/kReady = true/' "$folder/a course/01_fixed_work/exercises/1_tail/task.cu"
sed -i 's|^constexpr bool kReady|// kReady = true, soon\n&|' "$folder/a course/01_fixed_work/exercises/2_swapped/task.cu"
hand_in ada
[ "$(cmake -E tar tf ada.zip)" = 01_fixed_work/exercises/1_tail/task.cu ] || { cmake -E tar tf ada.zip; exit 1; }
mkdir ben.zip
refused "can't write" ben
mkdir "$folder/tools" && ln -s "$(command -v bash)" "$(command -v grep)" "$(command -v dirname)" "$folder/tools"
tools=$folder/tools refused "cmake, which packs" ada
