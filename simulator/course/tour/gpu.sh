#!/usr/bin/env bash
# The tour's experiments on this machine's GPU, with nothing but nvcc:
#   gpu.sh ARCH >results.txt       for instance: gpu.sh 90 >h200.txt
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../../..
arch=$1
gpu=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -n 1)
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
for source in "$root"/[0-9]*/*.cu; do
  chapter=$(basename "$(dirname "$source")")
  [ -f "$root/$chapter/strategies.txt" ] || continue
  nvcc -O3 -std=c++17 "$root/common/program.cpp" -I"$root/common" -gencode "arch=compute_$arch,code=[compute_$arch,sm_$arch]" \
    "$source" -o "$bin/$chapter" 2>/dev/null || echo "gpu.sh: $chapter doesn't compile for $arch" >&2 &
done
wait
echo "# $gpu, CUDA $(nvcc --version | sed -n 's/.*, V\([0-9.]*\)$/\1/p'), $(date -u +%F)"
for size in gpu scale; do  # scale: 2^6 to 2^22 tiles
  bash "$here/measure.sh" $size "$bin" 1
done
