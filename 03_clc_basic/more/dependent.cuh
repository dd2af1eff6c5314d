// A pair of kernels of which the second may start before the first has ended: --kernel dependent.
// The first kernel writes y = -x, and the second multiplies y by -alpha.

// [dependent]
// A block for each tile.
__global__ void negate(clc::Problem problem, const float* x, float* y) {
  // When each block has executed this or has ended, blocks of the second kernel may start.
  cudaTriggerProgrammaticLaunchCompletion();
  const int tile = blockIdx.x;
  const long long first = static_cast<long long>(tile) * problem.tile;
  const long long left = problem.elements - first;
  const int count = left < problem.tile ? static_cast<int>(left) : problem.tile;
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    y[first + i] = clc::uneven_work(problem, tile, -x[first + i]);  // only with --skew
}

__device__ inline void steal_dependent_tiles(const clc::Problem& problem, float* y,
                                             unsigned long long* counters) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  const auto request = [&] {  // by one thread
    ptx::fence_proxy_async(ptx::space_shared);
    ptx::clusterlaunchcontrol_try_cancel(&response, &barrier);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &barrier,
                                   sizeof response);
  };

  // The first kernel may still run. Nothing up to the wait touches what it writes.
  clc::count(counters, clc::kStarted);
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&barrier, 1);
    request();  // reads no memory of the first kernel, so it need not wait
  }
  const float alpha = -clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);
  __syncthreads();  // the mbarrier is initialised for all threads

  // The first kernel has ended, and its writes are visible. Each thread waits, since each reads y.
  cudaGridDependencySynchronize();

  int tile = blockIdx.x;
  for (uint32_t parity = 0;; parity ^= 1) {
    multiply_tile(problem, y, tile, alpha);
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &barrier, parity)) {
    }
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
    clc::count(counters, clc::kSteals);
    __syncthreads();  // all have read the response
    if (threadIdx.x == 0) request();
  }
}
CLC_KERNEL(multiply_dependent, steal_dependent_tiles)

// Launches both. Without the attribute the second kernel starts when the first one has ended.
inline void launch_pair(int grid, unsigned threads, const clc::Problem& problem, const float* x,
                        float* y, unsigned long long* counters) {
  negate<<<problem.tiles, threads>>>(problem, x, y);
  cudaLaunchAttribute early = {};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = threads;
  config.attrs = &early;
  config.numAttrs = 1;
  CUDA_CHECK(cudaLaunchKernelEx(&config, multiply_dependent, problem, y, counters));
}
// [/dependent]
