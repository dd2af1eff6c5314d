// A warp that requests for a cluster: --kernel scheduler, clusters of 2 blocks, and
// scheduler-quads, of 4. This is the shape of CUTLASS's kernels with clusters: the last warp of the
// first block requests, the other warps of all blocks work, and they meet through mbarriers alone.
//
// Read first: [steal] in clc_cluster.cu, and chapter 03's scheduler_warp.cuh, the same in one
// block.

// [scheduler]
#if CLC_HAS_MULTICAST
constexpr int kStages = 3;  // responses that may be on their way, or not yet read by all

// Which response comes next, and where it lies. Each role counts for itself.
struct Turn {
  unsigned n = 0;
  __device__ unsigned stage() const { return n % kStages; }
  __device__ unsigned parity() const { return n / kStages % 2; }
};

__device__ inline void wait_for(uint64_t* barrier, unsigned parity) {
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, barrier, parity)) {
  }
}

template <int kBlocks>
__device__ inline void steal_by_one_warp(const clc::Problem& problem, float* y,
                                         unsigned long long* counters) {
  __shared__ uint4 response[kStages];  // in each block, and filled in each block
  __shared__ uint64_t full[kStages];   // likewise: a phase ends when the response has arrived
  __shared__ uint64_t empty[kStages];  // block 0's: a phase ends when all blocks have read
  const cg::cluster_group cluster = cg::this_cluster();
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const bool first_block = cluster.block_rank() == 0;
  const int workers = blockDim.x - 32;  // of each block

  clc::count(counters, clc::kStarted);
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      ptx::mbarrier_init(&full[i], 1);                        // the scheduler arms it
      ptx::mbarrier_init(&empty[i], kBlocks * workers + 32);  // all workers, and the scheduler
    }
    // Without this: the relaxed arrival below doesn't show the mbarriers to the other blocks.
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  ptx::barrier_cluster_arrive(ptx::sem_relaxed);
  float alpha = 0;
  if (static_cast<int>(threadIdx.x) < workers) {  // meanwhile, in each block
    alpha = clc::compute_alpha(problem);
    clc::count(counters, clc::kPrologues);
  }
  ptx::barrier_cluster_wait();  // all blocks have started, and their mbarriers are initialised

  // The next tile, or -1. All workers of all blocks take each response, and so does the scheduler.
  const auto take = [&](Turn& turn) {
    wait_for(&full[turn.stage()], turn.parity());
    const uint4 answer = response[turn.stage()];
    ptx::fence_proxy_async(ptx::space_shared);  // form 3: each reader, before it gives back
    // Gives back to block 0, at cluster scope: block 0's request overwrites the response here.
    ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster,
                         cluster.map_shared_rank(&empty[turn.stage()], 0));
    ++turn.n;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) return -1;
    clc::count(counters, clc::kSteals);
    return ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer) +
           static_cast<int>(cluster.block_index().x);
  };

  if (static_cast<int>(threadIdx.x) < workers) {
    Turn read;
    for (int tile = blockIdx.x; tile >= 0; tile = take(read))
      if (tile < problem.tiles) multiply_tile(problem, y, tile, alpha, workers);
  } else if (first_block) {
    Turn ask, read;
    const auto wait_until_free = [&] {  // in the first round all stages are
      wait_for(&empty[ask.stage()], ask.parity() ^ 1);
    };
    do {
      wait_until_free();
      if (warp.thread_rank() < kBlocks)  // each lane arms the mbarrier of one block
        ptx::mbarrier_arrive_expect_tx(
            ptx::sem_relaxed, ptx::scope_cluster, ptx::space_cluster,
            cluster.map_shared_rank(&full[ask.stage()], warp.thread_rank()), sizeof response[0]);
      cg::invoke_one(warp,
                     [&] { try_cancel_multicast(&response[ask.stage()], &full[ask.stage()]); });
      ++ask.n;
    } while (take(read) >= 0);  // seen before the next request could be sent
    // The tail. Without this: block 0 may have left while another block still gives back to it.
    for (int i = 0; i < kStages; ++i, ++ask.n) wait_until_free();
  }
}
#endif

template <int kBlocks>
__global__ void __cluster_dims__(kBlocks) __launch_bounds__(1024)
    multiply_scheduler(clc::Problem problem, float* y, unsigned long long* counters) {
#if CLC_HAS_MULTICAST
  steal_by_one_warp<kBlocks>(problem, y, counters);
#else
  __trap();
#endif
}
// [/scheduler]
