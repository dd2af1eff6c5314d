#!/usr/bin/env bash
# Puts together the compilers and headers of a CUDA toolkit from the wheels on PyPI:
#   toolkit.sh VERSION FOLDER        for instance: toolkit.sh 13.5.37 /tmp/cuda-13.5
# VERSION is that of nvidia-cuda-nvcc (`pip index versions nvidia-cuda-nvcc`). There is no whole nvcc for CUDA 12:
# its wheels hold ptxas and libnvvm only; see rtc.py.
set -euo pipefail

version=$1 folder=$2 release=${1%.*}
wheels=$(mktemp -d)
trap 'rm -rf "$wheels"' EXIT
mkdir -p "$folder"
for package in nvidia-cuda-nvcc nvidia-nvvm nvidia-cuda-crt nvidia-cuda-runtime; do
  python3 -m pip download -q --no-deps -d "$wheels" "$package==$release.*"
done
# CCCL has had numbers of its own since 13.3: 13.3.5.0.6 is CCCL 3.5.0 for CUDA 13.
python3 -m pip download -q --no-deps -d "$wheels" "nvidia-cuda-cccl==$release.*" 2>/dev/null ||
  python3 -m pip download -q --no-deps -d "$wheels" nvidia-cuda-cccl
for wheel in "$wheels"/*.whl; do
  python3 -m zipfile -e "$wheel" "$folder"
done
root=$folder/nvidia/cu${version%%.*}
chmod +x "$root"/bin/* "$root"/nvvm/bin/*
"$root"/bin/nvcc --version | tail -n 2
echo "$root/bin/nvcc"
