#!/usr/bin/env bash
# The newest toolkit on PyPI, where setup.sh installs the oldest that the course takes: each chapter is compiled by the nvcc line in
# its source and runs on clcsim, the device code of each third exercise's solution is compiled. The course's nvcc compiles chapter 06
# with this toolkit's CCCL, which find_package takes from CCCL_DIR.
#   newest.sh CLCSIM FOLDER       FOLDER gets the toolkit, with pip; 77 where PyPI can't be reached
set -euo pipefail
clcsim=$(realpath "$1") folder=$(realpath -m "$2")
cd "$(dirname "$0")/../../.."

version=$(python3 -m pip index versions nvidia-cuda-nvcc 2>/dev/null | sed -n 's/^nvidia-cuda-nvcc (\(.*\))$/\1/p')
[ -n "$version" ] || { echo "not run: PyPI doesn't say which nvcc is the newest"; exit 77; }
[ -x "$folder/bin/nvcc" ] || bash common/toolkit.sh "$version" "$folder" >"$folder.txt" 2>&1 || { tail "$folder.txt"; exit 1; }
echo "nvcc $version"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export out clcsim nvcc=$folder/bin/nvcc

program() {
  local line name=${1//\//-}
  read -ra line < <(bash simulator/tests/tools/build_line.sh "$1" | sed 's|^nvcc||; s| -o .*||')
  "$nvcc" "${line[@]}" -o "$out/$name" || { echo "FAILED: $1" >&2; exit 255; }
  case $1 in 03_clc_basic/tries.cu | 05_ub_pitfalls/minimal.cu) return ;; esac  # they are wrong on purpose
  "$clcsim" "$out/$name" >"$out/$name.txt" || { echo "FAILED: $1" >&2; exit 255; }
}
solution() {
  "$nvcc" -std=c++17 -arch=compute_100a -I common -I simulator/course/exercises -w -ptx -o "$out/${1//\//-}.ptx" "$1" >&2 || { echo "FAILED: $1" >&2; exit 255; }
}
export -f program solution
grep -l '^// Build: ' [0-9]*/*.cu | xargs -P 2 -I {} bash -c 'program "$1"' program {}
ls [0-9]*/exercises/*/solution.cu | sed -n '1~3p' | xargs -P 2 -I {} bash -c 'solution "$1"' solution {}

cmake -S 06_for_each_canceled_block -B "$out/06" -G Ninja -D CCCL_DIR="$folder/cccl/lib/cmake/cccl" >"$out/06.txt" &&
  cmake --build "$out/06" >>"$out/06.txt" || { cat "$out/06.txt"; exit 1; }
ninja -C "$out/06" -t deps | grep "$folder/.*/work_stealing$"
"$clcsim" "$out/06/bin/06_for_each_canceled_block" >/dev/null
sed -n 's/^LIBCUDACXX_VERSION:.*=/CCCL /p' "$out/06/CMakeCache.txt"
