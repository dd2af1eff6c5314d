#!/usr/bin/env bash
# How long it takes to grade a class:
#   class.sh BUILD STUDENTS [FOLDER]      for instance: class.sh build 30
# Each student works in a copy of the exercises on 20 of them and packs them with hand_in.sh: of ten answers six are right, three
# wrong, and one isn't ready. They come from solution.cu and answers.edits, and no two are alike, so that each has to be compiled.
set -euo pipefail

source=$(cd "$(dirname "$0")/../../.." && pwd)
build=$(cd "$1" && pwd) students=$2
if [ $# -gt 2 ]; then
  mkdir -p "$3" && class=$(cd "$3" && pwd)
else
  class=$(mktemp -d)
  trap 'rm -rf "$class"' EXIT
fi
mkdir -p "$class/work/common/teaching" "$class/in"
cp "$source/common/teaching/hand_in.sh" "$class/work/common/teaching/"
cmake --build "$build" --target apply_edits clcsim clc_check clc_exercise_check >/dev/null
chmod a+rx "$class"

number=0 files=()
while read -r id file _; do
  files+=("$id $file")
  folder=$source/$(dirname "$file")
  "$build/simulator/tests/edits/apply_edits" "$folder/solution.cu" "$folder/answers.edits" "$class/answers/$id"
  sed -n 's/^== \([^:]*\): PASS.*/\1/p' "$folder/answers.edits" >"$class/answers/$id/right"
  sed -n '/: PASS/d; s/^== \([^:]*\): .*/\1/p' "$folder/answers.edits" >"$class/answers/$id/wrong"
  cp "$folder/solution.cu" "$class/answers/$id/solution.cu" && echo solution >>"$class/answers/$id/right"
done <"$build/exercises/list.txt"

for ((student = 1; student <= students; ++student)); do
  rm -rf "$class/work"/0*
  for ((i = 0; i < 20; ++i)); do
    read -r id file <<<"${files[(student * 7 + i) % ${#files[@]}]}"
    number=$((number + 1)) kind=right
    case $((number * 7 % 10)) in [0-2]) kind=wrong ;; 3) continue ;; esac  # what isn't ready isn't packed
    mapfile -t names <"$class/answers/$id/$kind"
    mkdir -p "$class/work/$(dirname "$file")"
    { cat "$class/answers/$id/${names[(student + number) % ${#names[@]}]}.cu"
      echo "constexpr int kAnswer$number = $number;"; } >"$class/work/$file"
  done
  (cd "$class/in" && bash "$class/work/common/teaching/hand_in.sh" "student-$student" >/dev/null)
done

echo "$students students × 20 exercises, $(nproc) cores"
TIMEFORMAT='%R s, of which user %U s and system %S s of all cores'
time bash "$source/common/teaching/grade.sh" --build "$build" --to "$class/graded" "$class/in"
tail -n +2 "$class/graded/table.csv" | tr ',' '\n' | grep '^"' | sort | uniq -c | sort -rn | head -n 30
