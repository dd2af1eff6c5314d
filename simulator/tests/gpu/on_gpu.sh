#!/usr/bin/env bash
# Runs a program on this machine's GPU, with a limit:
#   on_gpu.sh NEEDS SECONDS COMMAND...         for instance: on_gpu.sh 10.0 60 build/bin/03_clc_basic
# NEEDS is a compute capability, or `danger`. Exit status: 77 (ctest says "Skipped") where there is no such
# GPU, or danger was not asked for; 124 after SECONDS; else the command's, with those of CLC_GPU_ACCEPTS as 0.
#   CLC_GPU_DANGER=1    runs what may hang the GPU or lose a context, too
#   CLC_GPU=b200        tries the tests themselves, with clcsim's GPU of that name in the GPU's place
set -uo pipefail
needs=$1 seconds=$2
shift 2
skip() { echo "not run: $1"; exit 77; }

if [ "$needs" = danger ]; then
  [ "${CLC_GPU_DANGER:-}" = 1 ] ||
    skip "this may hang the GPU or lose a context; CLC_GPU_DANGER=1 ctest -L gpu-danger runs it"
  needs=10.0
fi
if [ -n "${CLC_GPU:-}" ]; then
  capability=$("$CLC_CLCSIM" --show-gpu "$CLC_GPU" | grep -E '^(major|minor) ' | cut -d ' ' -f 2 | paste -sd .)
  export CLCSIM_GPU=$CLC_GPU LD_LIBRARY_PATH=$CLC_CLCSIM_LIBRARY
else
  capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1)
fi
[[ $capability =~ ^[0-9]+\.[0-9]+$ ]] || skip "there is no GPU here"
[ "${capability/./}" -ge "${needs/./}" ] ||
  skip "this GPU has compute capability $capability, and the test needs $needs"

timeout -k 5 "$seconds" "$@"
status=$?
for accepted in ${CLC_GPU_ACCEPTS:-}; do
  [ $status != "$accepted" ] || { echo "exit status $status, which is fine here"; exit 0; }
done
exit $status
