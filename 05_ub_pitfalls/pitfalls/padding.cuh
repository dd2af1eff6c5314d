// A grid larger than its work: what a failure doesn't say of the blocks that wait.
#ifdef CATALOGUE
add({"empty-by-failure", "", "", "blocks leave at once after a failure of another", kWrongResult,
     RUN(run_padded, empty_by_failure), 1});
#else

constexpr int kPadding = 4;  // blocks for each tile

template <auto kernel>
Outcome run_padded() {
  Bench bench(4 * many_tiles());  // so that tiles still wait when a request is refused
  kernel<<<kPadding * bench.work.tiles, kTile>>>(bench.work);
  return bench.outcome();
}

// [empty-by-failure]
__global__ void empty_by_failure(Work work) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  [[maybe_unused]] __shared__ bool empty;
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
#ifdef BROKEN
  if (threadIdx.x == 0) empty = atomicAdd(&work.counters[kSeen], 0ull) != 0;
#endif
  __syncthreads();
#ifdef BROKEN
  if (empty) return;  // the tiles are done
#endif

  int tile = blockIdx.x;
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) REQUEST(response, barrier);
    multiply_tile(work, tile);
    while (!ptx::mbarrier_try_wait_parity(&barrier, parity)) {
    }
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
    __syncthreads();
  }
#ifdef BROKEN
  if (threadIdx.x == 0) atomicExch(&work.counters[kSeen], 1ull);
#endif
}
// [/empty-by-failure]

#endif
