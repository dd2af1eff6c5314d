#!/usr/bin/env bash
# What USING.md says works, outside the tree: clcsim is installed, and the page's program is built with
# the page's CMakeLists.txt, runs, and is reported when it is wrong.
#   using.sh CMAKE NVCC BUILD PAGE WORK
set -euo pipefail
cmake=$1 nvcc=$2 build=$3 page=$4 work=$5
rm -rf "$work"
mkdir -p "$work/a project"
cd "$work/a project"
# The code block behind each <!-- file: NAME -->.
python3 - "$page" <<'END'
import re, sys
for name, text in re.findall(r"^<!-- file: (\S+) -->\n+```.*\n([^`]*)^```$", open(sys.argv[1]).read(), re.M):
    open(name, "w").write(text)
END

"$cmake" --install "$build" --prefix "$work/an installation" >/dev/null
for file in bin/clcsim share/doc/clcsim/LICENSE share/doc/clcsim/USING.md; do
  [ -f "$work/an installation/$file" ] || { echo "$file was not installed" >&2; exit 1; }
done
"$cmake" -G Ninja -B build -D CMAKE_PREFIX_PATH="$work/an installation" -D CMAKE_CUDA_ARCHITECTURES=75 \
  -D CMAKE_CUDA_COMPILER="$nvcc" >/dev/null
"$cmake" --build build
"$(dirname "$cmake")/ctest" --test-dir build --no-tests=error --output-on-failure

status=0
out=$("$work/an installation/bin/clcsim" --explore 20 build/reverse race 2>&1) || status=$?
echo "$out"
[ $status = 1 ]
[ -s report.txt ]
out=$(sed 's|at  .*/a project/|at      |' <<<"$out")
if grep -vxF "$out" report.txt; then exit 1; fi  # lines of the page that the run doesn't print

# What can't work is refused in one sentence.
out=$("$cmake" -B build -D CMAKE_CUDA_ARCHITECTURES=all-major . 2>&1) && exit 1
grep -q 'name CUDA_ARCHITECTURES by number' <<<"$out"
