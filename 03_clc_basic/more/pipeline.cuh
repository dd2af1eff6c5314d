// Roles, as in the kernels of matrix products: --kernel pipeline. The scheduler warp requests the
// tiles. A tile passes through the other roles in chunks: the load warp copies a chunk into a ring
// of buffers, the compute warps multiply it there, and the store warp copies it back.
//
// Read first: scheduler_warp.cuh, where full[] and empty[] come from.

// [pipeline]
// Powers of two, so that the counters below may wrap around.
constexpr int kResponses = 2, kStages = 4, kChunk = 256;  // floats

__device__ inline void wait_for(uint64_t* barrier, unsigned parity) {
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, barrier, parity)) {
  }
}

__device__ inline void arrive(uint64_t* barrier) {
  ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier);
}

// Where a role is in a ring. A role has one for each ring, and it runs on from tile to tile.
template <unsigned kSize>
struct Position {
  unsigned n = 0;
  __device__ unsigned at() const { return n % kSize; }
  __device__ unsigned parity() const { return n / kSize % 2; }
};

__device__ inline void steal_tiles_by_roles(const clc::Problem& problem, float* y,
                                            unsigned long long* counters) {
  __shared__ alignas(16) float chunk[kStages][kChunk];
  __shared__ uint4 response[kResponses];
  __shared__ uint64_t full[kResponses], empty[kResponses];
  __shared__ uint64_t loaded[kStages], computed[kStages], stored[kStages];
  const int workers = blockDim.x - 96;  // the last three warps: scheduler, load, store
  enum Role { kCompute, kScheduler, kLoad, kStore, kNone };
  const int after = static_cast<int>(threadIdx.x) - workers;
  const int role = after < 0 ? kCompute : after % 32 == 0 ? kScheduler + after / 32 : kNone;

  clc::count(counters, clc::kStarted);
  if (threadIdx.x == 0) {
    for (int i = 0; i < kResponses; ++i) {
      ptx::mbarrier_init(&full[i], 1);             // the scheduler arms it
      ptx::mbarrier_init(&empty[i], workers + 3);  // each thread that reads the response
    }
    for (int i = 0; i < kStages; ++i) {
      ptx::mbarrier_init(&loaded[i], 1);          // the load warp arms it
      ptx::mbarrier_init(&computed[i], workers);  // each compute thread
      ptx::mbarrier_init(&stored[i], 1);          // the store warp
    }
  }
  __syncthreads();  // the only one

  // The next tile, or -1. Each role calls it with its own place.
  const auto take = [&](Position<kResponses>& place) {
    wait_for(&full[place.at()], place.parity());
    const uint4 answer = response[place.at()];
    ptx::fence_proxy_async(ptx::space_shared);  // form 3: each reader, before it gives back
    arrive(&empty[place.at()]);
    ++place.n;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) return -1;
    clc::count(counters, clc::kSteals);
    return ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
  };
  // Calls work(tile, where its chunk is in y, the chunk's length) for each chunk of each tile.
  const auto for_each_chunk = [&](auto work) {
    Position<kResponses> place;
    for (int tile = blockIdx.x; tile >= 0; tile = take(place)) {
      const long long first = static_cast<long long>(tile) * problem.tile;
      const long long left = problem.elements - first;
      const int length = left < problem.tile ? static_cast<int>(left) : problem.tile;
      for (int i = 0; i < length; i += kChunk)
        work(tile, y + first + i, length - i < kChunk ? length - i : kChunk);
    }
  };
  Position<kStages> stage;

  if (role == kScheduler) {
    for (Position<kResponses> ask, read;; ++ask.n) {
      wait_for(&empty[ask.at()], ask.parity() ^ 1);
      ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared,
                                     &full[ask.at()], sizeof response[0]);
      ptx::clusterlaunchcontrol_try_cancel(&response[ask.at()], &full[ask.at()]);
      if (take(read) < 0) break;  // seen before the next request could be sent
    }
  } else if (role == kLoad) {
    for_each_chunk([&](int, const float* from, int length) {
      wait_for(&stored[stage.at()], stage.parity() ^ 1);  // the chunk before has left the buffer
      const unsigned bytes = length / 4 * 16;             // a bulk copy takes multiples of 16 bytes
      ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared,
                                     &loaded[stage.at()], bytes);
      if (bytes > 0)
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, chunk[stage.at()], from, bytes,
                           &loaded[stage.at()]);
      ++stage.n;
    });
  } else if (role == kStore) {
    for_each_chunk([&](int, float* to, int length) {
      wait_for(&computed[stage.at()], stage.parity());
      if (length >= 4)
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, to, chunk[stage.at()],
                           length / 4 * 16);
      ptx::cp_async_bulk_commit_group();
      ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());  // the copy has read the buffer
      arrive(&stored[stage.at()]);
      ++stage.n;
    });
  } else if (role == kCompute) {
    const float alpha = clc::compute_alpha(problem);
    clc::count(counters, clc::kPrologues);
    for_each_chunk([&](int tile, float* of, int length) {
      const float factor = clc::uneven_work(problem, tile, alpha);
      wait_for(&loaded[stage.at()], stage.parity());
      const int whole = length / 4 * 4, tail = whole + threadIdx.x;
      for (int i = threadIdx.x; i < whole; i += workers) chunk[stage.at()][i] *= factor;
      if (tail < length) of[tail] *= factor;      // up to 3 elements, which no bulk copy takes
      ptx::fence_proxy_async(ptx::space_shared);  // the bulk store must see these writes
      arrive(&computed[stage.at()]);
      ++stage.n;
    });
  }
}
CLC_KERNEL(multiply_pipeline, steal_tiles_by_roles)
// [/pipeline]
