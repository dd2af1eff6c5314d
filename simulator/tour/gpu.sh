#!/usr/bin/env bash
# The tour's experiments on this machine's GPU, with nothing but nvcc:
#   gpu.sh ARCH >results.txt       for instance: gpu.sh 90 >h200.txt
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
arch=$1
gpu=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -n 1)
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
chapters=(01_fixed_work/fixed_work 02_grid_stride/grid_stride)
[ "${arch%[af]}" -ge 100 ] && chapters+=(03_clc_basic/clc_basic
  06_for_each_canceled_block/for_each_canceled_block)
[[ $arch =~ ^1[0-9]+[af]$ ]] && chapters+=(04_clc_cluster/clc_cluster)
for chapter in "${chapters[@]}"; do
  nvcc -O3 -std=c++17 -I"$root/common" -gencode "arch=compute_$arch,code=[compute_$arch,sm_$arch]" \
    "$root/$chapter.cu" -o "$bin/${chapter%/*}" &
done
wait
for chapter in "${chapters[@]}"; do
  [ -x "$bin/${chapter%/*}" ] || { echo "gpu.sh: $chapter didn't compile" >&2; exit 1; }
done
echo "# $gpu, CUDA $(nvcc --version | sed -n 's/.*, V\([0-9.]*\)$/\1/p'), $(date -u +%F)"
for size in gpu scale; do  # scale: 2^6 to 2^22 tiles
  bash "$here/measure.sh" $size "$bin" 1
done
