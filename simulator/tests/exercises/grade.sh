#!/usr/bin/env bash
# A small class, handed in as students do: packed, nested, flat, renamed, zipped, not compiling, with archives
# that mean ill, and with programs that want to write where they must not.
#   grade.sh BUILD
set -euo pipefail
source=$(cd "$(dirname "$0")/../../.." && pwd)
build=$1
if [ "$(id -u)" = 0 ] && ! bash "$source/common/teaching/sandbox.sh" --works; then
  echo "not run: root grades in bubblewrap only, and there is none that works here"
  exit 77
fi
class=$(mktemp -d)
trap 'rm -rf "$class"' EXIT
mkdir -p "$class/in/ada/my course/01_fixed_work/exercises/1_tail" "$class/in/bob" "$class/in/eve/deep" "$class/in/Jürgen Ö" "$class/in/nobody" "$class/zip"
tail=$source/01_fixed_work/exercises/1_tail/solution.cu predict=$source/01_fixed_work/exercises/3_predict/solution.cu
todo=$source/03_clc_basic/exercises/1_response/task.cu
cp "$tail" "$class/in/ada/my course/01_fixed_work/exercises/1_tail/task.cu"
sed 's|^#include "exercise.h"|// kReady = false no more\n&|' "$tail" >"$class/in/bob/my try (2).cu"
cp "$todo" "$class/in/bob/"
sed 's/kPrologues = 40/kPrologues = 1/' "$predict" >"$class/in/carl_3_predict.cu"
sed 's/blocks, threads/blocks threads/' "$source/01_fixed_work/exercises/2_swapped/solution.cu" >"$class/in/eve/deep/x.cu"
sed "s|^  int device = 0|  std::system(\"touch '$class/in/eve/mark' '$class/mark'; echo PASS >verdict\");\n  std::exit(0);\n&|" \
  "$source/02_grid_stride/exercises/1_wave/solution.cu" >"$class/in/eve/evil.cu"
# An answer that borrows the solution: in the sandbox it can't be read.
works=$(bash "$source/common/teaching/sandbox.sh" --works && echo yes || true)
[ -z "$works" ] || printf '// Exercise 01.2\n#include "%s"\n' "$source/01_fixed_work/exercises/2_swapped/solution.cu" >"$class/in/eve/included.cu"
# Learning platforms' and mailers' names.
cp "$todo" "$class/in/Jürgen Ö/1_response.cu.txt"
cp "$todo" "$class/in/Fay Lee_4711_assignsubmission_file_1_response.cu"
# Archives: what hand_in.sh writes, another kind, none, one that leads out of itself, one with a link.
cp "$predict" "$class/zip/3_predict.cu"
(cd "$class/zip" && cmake -E tar cf ../in/dan.zip --format=zip 3_predict.cu && cmake -E tar czf ../in/gus.tar.gz 3_predict.cu &&
  mkdir sub && cd sub && cmake -E tar cf ../../in/mallory.tar ../3_predict.cu && ln -s /etc link && cmake -E tar cf ../../in/nat.tar link)
echo "no archive" >"$class/in/olga.zip"
echo "my answers" >"$class/in/letter.docx"
echo "int main() {}" >"$class/in/nobody/main.cu"
chmod -R a+rwX "$class"

bash "$source/common/teaching/grade.sh" --build "$build" --to "$class/out" "$class/in" 2>"$class/notes"
cat "$class/notes" "$class/out/table.csv"
expect() {  # file, lines
  while IFS= read -r line; do
    grep -qF "$line" "$1" || { echo "expected $line"; exit 1; }
  done <<<"$2"
}
expect "$class/out/table.csv" 'student,points,01_1,01_2,01_3,02_1
Fay_Lee,0,"","","","","","","","TODO"
Jürgen_Ö,0,"","","","","","","","TODO"
ada,1,"PASS","","",""
bob,1,"PASS","","","","","","","TODO"
carl,0,"","","WRONG, prologues",""
dan,1,"","","PASS",""
eve,0,"","DOES NOT COMPILE","","WRONG, ended"
gus,1,"","","PASS",""
nobody,0,"",""'
expect "$class/notes" 'grade.sh: letter.docx is neither a folder nor an archive nor a .cu file: left out
grade.sh: mallory.tar has links in it, or paths that lead out of it: left out
grade.sh: nat.tar has links in it, or paths that lead out of it: left out
grade.sh: olga.zip is no archive that cmake can unpack: left out
grade.sh: nobody: not known as an exercise: main.cu
grade.sh: nobody: no exercise is in what was handed in
grade.sh: olga: no exercise is in what was handed in'
grep -q 'expected a' "$class/out/eve/01_2.log" || grep -q 'No such file' "$class/out/eve/01_2.log"
grep -q 'not so' "$class/out/carl/feedback.html"
if [ -n "$works" ]; then
  [ ! -e "$class/in/eve/mark" ] && [ ! -e "$class/mark" ] || { echo "the sandbox has a hole"; exit 1; }
fi
# Graded again, nothing is checked again.
bash "$source/common/teaching/grade.sh" --build "$build" --to "$class/out" "$class/in" 2>&1 | tee "$class/again"
grep -q '^12 students, 1[01] files; 0 answers checked in' "$class/again"
for arguments in "$class/missing" "--to" "--fast $class/in" ""; do
  # shellcheck disable=SC2086  # words
  bash "$source/common/teaching/grade.sh" --build "$build" $arguments 2>"$class/notes" && { echo "not refused: $arguments"; exit 1; }
  [ "$(wc -l <"$class/notes")" = 1 ] || { cat "$class/notes"; exit 1; }
done
