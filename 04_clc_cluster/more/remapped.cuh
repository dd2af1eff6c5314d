// The tiles in another order than their clusters: --kernel remapped-pairs, clusters of 2 x 1 on a
// wide matrix of tiles, and remapped-square, 2 x 2 on a high one.
//
// Read first: remap.h, and [steal] in clc_cluster.cu, whose loop this is. Here each block computes
// alpha for itself.

// [remapped]
constexpr int kGroup = 3;  // clusters; rarely a divisor, so that the last band is narrower

#if CLC_HAS_MULTICAST
template <int kX, int kY>
__device__ inline void steal_remapped(const clc::Problem& problem, Cell matrix, float* y,
                                      unsigned long long* counters) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  const cg::cluster_group cluster = cg::this_cluster();
  const dim3 place = cluster.block_index();
  const Cell grid = {static_cast<int>(gridDim.x) / kX, static_cast<int>(gridDim.y) / kY};

  clc::count(counters, clc::kStarted);
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);
  cluster.sync();

  // The cluster that this one stands for, in clusters: first itself, later what it has stolen.
  Cell taken = {static_cast<int>(blockIdx.x) / kX, static_cast<int>(blockIdx.y) / kY};
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) {
      ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster, ptx::space_shared,
                                     &barrier, sizeof response);
      if (cluster.block_rank() == 0) {
        ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_acquire, ptx::space_cluster,
                                                     ptx::scope_cluster);
        try_cancel_multicast(&response, &barrier);
      }
    }

    // Whole clusters are remapped, their own first one included. The place is added afterwards.
    const Cell to = remap(taken, grid, kGroup);
    const int column = to.x * kX + static_cast<int>(place.x);
    const int row = to.y * kY + static_cast<int>(place.y);
    const long long tile = 1LL * row * matrix.x + column;
    if (column < matrix.x && tile < problem.tiles)  // the matrix needn't be whole clusters
      multiply_tile(problem, y, static_cast<int>(tile), alpha);

    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &barrier, parity)) {
    }
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    taken = {ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer) / kX,
             ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_y<int>(answer) / kY};
    clc::count(counters, clc::kSteals);
    ptx::fence_proxy_async_generic_sync_restrict(ptx::sem_release, ptx::space_shared,
                                                 ptx::scope_cluster);
    cluster.sync();
  }
  cluster.sync();  // a response that is under way finds all blocks
}
#endif

template <int kX, int kY>
__global__ void __cluster_dims__(kX, kY) __launch_bounds__(1024)
    multiply_remapped(clc::Problem problem, float* y, unsigned long long* counters, Cell matrix) {
#if CLC_HAS_MULTICAST
  steal_remapped<kX, kY>(problem, matrix, y, counters);
#else
  __trap();
#endif
}
// [/remapped]

// About twice as wide as high, in tiles, and of an odd width: never a whole number of clusters.
inline Cell wide_matrix(int tiles) {
  const int width = 2 * static_cast<int>(std::sqrt(tiles / 2.0)) + 1;
  return {width, (tiles + width - 1) / width};
}

// Whole clusters, in each dimension.
inline dim3 grid_of(Cell matrix, dim3 cluster) {
  const auto up = [](unsigned n, unsigned size) { return (n + size - 1) / size * size; };
  return {up(matrix.x, cluster.x), up(matrix.y, cluster.y), 1};
}
