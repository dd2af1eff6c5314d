#!/usr/bin/env bash
# The PTX that nvcc makes of chapter 05's wait in inline PTX, as it is with BROKEN: no_volatile.sh NVCC
# As it should be, the wait and its loop are there; ends with 1 if they aren't.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
  echo '#include <cstdint>'
  sed -n '/^__device__ inline bool phase_is_over/,/^}/p' 05_ub_pitfalls/pitfalls/waiting.cuh
  echo '__global__ void wait(uint32_t parity) {
          __shared__ uint64_t barrier;
          while (!phase_is_over(&barrier, parity)) {
          }
          __syncthreads();
        }'
} >"$folder/wait.cu"
body() { "$1" -O3 -arch=compute_100a -ptx "${@:2}" "$folder/wait.cu" -o - | sed -n '/^{/,/^}/p' | grep -v '^[{}]' | grep -v '^$'; }
right=$(body "$1")
grep -q 'mbarrier.try_wait' <<<"$right" || { echo "no wait in the right form"; exit 1; }
grep -q 'bra' <<<"$right" || { echo "no loop in the right form"; exit 1; }
body "$1" -DBROKEN
