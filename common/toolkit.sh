#!/usr/bin/env bash
# Puts together the compilers, headers and runtime of a CUDA toolkit from the wheels on PyPI:
#   toolkit.sh VERSION FOLDER [PIP...]        for instance: toolkit.sh 13.5.37 /tmp/cuda-13.5
# FOLDER appears when all of it is there. VERSION is that of nvidia-cuda-nvcc (`pip index versions
# nvidia-cuda-nvcc`); PIP is the command to use, python3 -m pip if none is given. There is no whole nvcc
# for CUDA 12: its wheels hold ptxas and libnvvm only.
set -euo pipefail

version=$1 folder=$2 pip=("${@:3}")
release=${version%.*} major=${version%%.*}
[ ${#pip[@]} -gt 0 ] || pip=(python3 -m pip)
TMPDIR=$(mktemp -d "$folder.XXXXXX")  # for pip, too: all stays on one disk
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT

wheels=()
for package in nvcc crt runtime cccl; do wheels+=("nvidia-cuda-$package==$release.*"); done
minor=${release#*.}
if [ "$minor" -ge 3 ]; then  # CCCL has numbers of its own there: 13.3.5.0.6 is CCCL 3.5.0 for CUDA 13
  wheels[-1]="nvidia-cuda-cccl==$major.*"
fi
"${pip[@]}" install --no-deps --no-compile --no-cache-dir --target "$TMPDIR/wheels" \
  "${wheels[@]}" "nvidia-nvvm==$release.*"
root=$TMPDIR/wheels/nvidia/cu$major
ln -s lib "$root/lib64"  # where nvcc looks
ln -s "libcudart.so.$major" "$root/lib/libcudart.so"
[ ! -d "$root/cccl" ] || ln -s ../include "$root/cccl/include"  # where the config of CCCL looks, from 13.3 on
"$root/bin/nvcc" --version | tail -n 2
mv -T "$root" "$folder"
echo "$folder/bin/nvcc"
