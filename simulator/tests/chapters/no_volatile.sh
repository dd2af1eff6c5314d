#!/usr/bin/env bash
# What nvcc makes of chapter 05's wait in inline PTX: no_volatile.sh NVCC 05_ub_pitfalls
# As it should be, the wait and its loop are in the PTX. With BROKEN, the PTX is the one that README.md shows.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
  echo '#include <cstdint>'
  sed -n '/^__device__ inline bool phase_is_over/,/^}/p' "$2/waiting.cuh"
  echo '__global__ void wait(uint32_t parity) {
          __shared__ uint64_t barrier;
          while (!phase_is_over(&barrier, parity)) {
          }
          __syncthreads();
        }'
} >"$folder/wait.cu"
body() { sed -n '/^{/,/^}/p' "$1" | grep -v '^[{}]' | grep -v '^$'; }
"$1" -O3 -arch=compute_100a -ptx "$folder/wait.cu" -o "$folder/right.ptx"
"$1" -O3 -arch=compute_100a -ptx -DBROKEN "$folder/wait.cu" -o "$folder/broken.ptx"
body "$folder/right.ptx" >"$folder/right"
grep -q 'mbarrier.try_wait' "$folder/right" || { echo "no wait in the right form"; exit 1; }
grep -q 'bra' "$folder/right" || { echo "no loop in the right form"; exit 1; }
diff <(body "$folder/broken.ptx") <(sed -n '/^```ptx$/,/^```$/p' "$2/README.md" | grep -v '^```') ||
  { echo "README.md shows other PTX than nvcc makes"; exit 1; }
