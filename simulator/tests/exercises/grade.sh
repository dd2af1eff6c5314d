#!/usr/bin/env bash
# A small class, handed in as students do: nested, flat, renamed, zipped, not compiling, and one that
# wants to write where it must not.
#   grade.sh BUILD
set -euo pipefail
if [ "$(id -u)" = 0 ] && ! bwrap --ro-bind / / --dev /dev --proc /proc --unshare-all true 2>/dev/null; then
  echo "not run: root grades in bubblewrap only, and there is none that works here"
  exit 77
fi
source=$(cd "$(dirname "$0")/../../.." && pwd)
build=$1
class=$(mktemp -d)
trap 'rm -rf "$class"' EXIT
mkdir -p "$class/in/ada/my course/01_fixed_work/exercises" "$class/in/bob" "$class/in/eve/deep" "$class/zip"
cp "$source/01_fixed_work/exercises/solutions/1_tail.cu" "$class/in/ada/my course/01_fixed_work/exercises/"
cp "$source/01_fixed_work/exercises/solutions/1_tail.cu" "$class/in/bob/my try (2).cu"
cp "$source/03_clc_basic/exercises/1_response.cu" "$class/in/bob/"
sed 's/kPrologues = 40/kPrologues = 1/' "$source/01_fixed_work/exercises/solutions/3_predict.cu" >"$class/in/carl_3_predict.cu"
cp "$source/01_fixed_work/exercises/solutions/3_predict.cu" "$class/zip/"
(cd "$class/zip" && cmake -E tar cf ../in/dan.zip --format=zip 3_predict.cu)
sed 's/blocks, threads/blocks threads/' "$source/01_fixed_work/exercises/solutions/2_swapped.cu" >"$class/in/eve/deep/x.cu"
sed "s|^  int device = 0|  std::system(\"touch '$class/in/eve/mark' '$class/mark'\");\n  std::exit(0);\n&|" \
  "$source/02_grid_stride/exercises/solutions/1_wave.cu" >"$class/in/eve/evil.cu"
chmod -R a+rwX "$class"

bash "$source/common/teaching/grade.sh" --build "$build" --to "$class/out" "$class/in"
cat "$class/out/table.csv"
while IFS= read -r line; do
  grep -qF "$line" "$class/out/table.csv" || { echo "expected $line"; exit 1; }
done <<'END'
student,points,01_1,01_2,01_3,02_1
ada,1,"PASS","","",""
bob,1,"PASS","","",""
carl,0,"","","WRONG, prologues",""
dan,1,"","","PASS",""
eve,0,"","DOES NOT COMPILE","","WRONG, ended"
END
grep -q 'TODO' "$class/out/table.csv"
grep -q 'expected a' "$class/out/eve/01_2.log"
grep -q 'not so' "$class/out/carl/feedback.html"
if bwrap --ro-bind / / --dev /dev --proc /proc --unshare-all true 2>/dev/null; then
  [ ! -e "$class/in/eve/mark" ] && [ ! -e "$class/mark" ] || { echo "the sandbox has a hole"; exit 1; }
fi
