// Clusters of two blocks: one thread asks, both blocks get the answer.
#ifdef CATALOGUE
add({"peer-not-started", "", "multicast-peer", "asks before its neighbour runs", kByLuck,
     PAIR(peer_not_started)});
add({"peer-left", "peer-not-started", "multicast-peer, request-in-flight-at-exit",
     "a block without a tile leaves early", kByLuck, PAIR(peer_left)});
add({"one-block-arms", "", "deadlock", "only block 0 of the cluster expects the bytes", kHangs,
     PAIR(one_block_arms)});
add({"all-blocks-ask", "", "response-overwritten, response-not-complete",
     "each block of the cluster asks", kWrongByRule, PAIR(all_blocks_ask)});
add({"block-hand-back", "no-barrier", "response-overwritten",
     "__syncthreads where the blocks of a cluster meet", kByLuck, PAIR(block_hand_back)});
add({"no-rank", "", "data-race", "each block does the cluster's first tile", kWrongByRule,
     PAIR(no_rank)});
add({"wrong-space", "no-fence", "missing-proxy-fence",
     "a proxy fence that leaves the other blocks out", kByLuck, PAIR(wrong_space)});
#else

// [peer-not-started]
__global__ void __cluster_dims__(2) peer_not_started(Work work) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  const cg::cluster_group cluster = cg::this_cluster();
  const int rank = static_cast<int>(cluster.block_rank());
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
#ifdef BROKEN
  __syncthreads();
#else
  cluster.sync();
#endif

  int tile = blockIdx.x;
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) REQUEST_FOR_ALL(response, barrier, rank);
    multiply_tile(work, tile);
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &barrier, parity)) {
    }
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer) + rank;
    ptx::fence_proxy_async(ptx::space_shared);
    cluster.sync();
  }
  cluster.sync();
}
// [/peer-not-started]

// [peer-left]
__global__ void __cluster_dims__(2) peer_left(Work work) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  const cg::cluster_group cluster = cg::this_cluster();
  const int rank = static_cast<int>(cluster.block_rank());
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  cluster.sync();

  int tile = blockIdx.x;
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) REQUEST_FOR_ALL(response, barrier, rank);
    multiply_tile(work, tile);
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &barrier, parity)) {
    }
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer) + rank;
#ifdef BROKEN
    if (tile >= work.tiles) return;  // nothing to do: the grid has one block more than tiles
#endif
    ptx::fence_proxy_async(ptx::space_shared);
    cluster.sync();
  }
  cluster.sync();
}
// [/peer-left]

// [one-block-arms]
__global__ void __cluster_dims__(2) one_block_arms(Work work) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  const cg::cluster_group cluster = cg::this_cluster();
  const int rank = static_cast<int>(cluster.block_rank());
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  cluster.sync();

  int tile = blockIdx.x;
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) {
#ifdef BROKEN
      if (rank == 0)
#endif
        ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster, ptx::space_shared,
                                       &barrier, sizeof response);
      if (rank == 0) TRY_CANCEL_MULTICAST(&response, &barrier);
    }
    multiply_tile(work, tile);
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &barrier, parity)) {
    }
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer) + rank;
    ptx::fence_proxy_async(ptx::space_shared);
    cluster.sync();
  }
  cluster.sync();
}
// [/one-block-arms]

// [all-blocks-ask]
__global__ void __cluster_dims__(2) all_blocks_ask(Work work) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  const cg::cluster_group cluster = cg::this_cluster();
  const int rank = static_cast<int>(cluster.block_rank());
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  cluster.sync();

  int tile = blockIdx.x;
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) {
      ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster, ptx::space_shared,
                                     &barrier, sizeof response);
#ifdef BROKEN
      TRY_CANCEL_MULTICAST(&response, &barrier);
#else
      if (rank == 0) TRY_CANCEL_MULTICAST(&response, &barrier);
#endif
    }
    multiply_tile(work, tile);
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &barrier, parity)) {
    }
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer) + rank;
    ptx::fence_proxy_async(ptx::space_shared);
    cluster.sync();
  }
  cluster.sync();
}
// [/all-blocks-ask]

// [block-hand-back]
__global__ void __cluster_dims__(2) block_hand_back(Work work) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  const cg::cluster_group cluster = cg::this_cluster();
  const int rank = static_cast<int>(cluster.block_rank());
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  cluster.sync();

  int tile = blockIdx.x;
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) REQUEST_FOR_ALL(response, barrier, rank);
    multiply_tile(work, tile);
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &barrier, parity)) {
    }
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer) + rank;
    ptx::fence_proxy_async(ptx::space_shared);
#ifdef BROKEN
    __syncthreads();
#else
    cluster.sync();
#endif
  }
  cluster.sync();
}
// [/block-hand-back]

// [no-rank]
__global__ void __cluster_dims__(2) no_rank(Work work) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  const cg::cluster_group cluster = cg::this_cluster();
  const int rank = static_cast<int>(cluster.block_rank());
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  cluster.sync();

  int tile = blockIdx.x;
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) REQUEST_FOR_ALL(response, barrier, rank);
    multiply_tile(work, tile);
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &barrier, parity)) {
    }
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
#ifdef BROKEN
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
#else
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer) + rank;
#endif
    ptx::fence_proxy_async(ptx::space_shared);
    cluster.sync();
  }
  cluster.sync();
}
// [/no-rank]

// [wrong-space]
__global__ void __cluster_dims__(2) wrong_space(Work work) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  const cg::cluster_group cluster = cg::this_cluster();
  const int rank = static_cast<int>(cluster.block_rank());
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  cluster.sync();

  int tile = blockIdx.x;
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) {
      ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed, ptx::scope_cluster, ptx::space_shared,
                                     &barrier, sizeof response);
      if (rank == 0) {
#ifdef BROKEN
        ptx::fence_proxy_async(ptx::space_shared);
#endif
        TRY_CANCEL_MULTICAST(&response, &barrier);
      }
    }
    multiply_tile(work, tile);
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &barrier, parity)) {
    }
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer) + rank;
#ifndef BROKEN
    ptx::fence_proxy_async(ptx::space_shared);
#endif
    cluster.sync();
  }
  cluster.sync();
}
// [/wrong-space]

#endif
