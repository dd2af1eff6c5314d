// What goes wrong when a kernel that had one block for each tile gets a loop around its body.
// libcu++ writes the loop here, so that the mistakes are those of the body: blocks that are
// cancelled never run what stands outside of the function.
#ifdef CATALOGUE
add({"last-block", "", "", "counts blocks up to gridDim.x", kWrongResult,
     RUN(run_with_last_step, last_block)});
add({"grid-sync", "", "deadlock", "all blocks of the grid meet", kHangs, HOST(grid_sync)});
add({"look-back", "", "deadlock", "a tile waits for the tile before it", kHangs,
     RUN(run_few, look_back), 2});
add({"block-0", "", "", "block 0 does something before its loop", kWrongResult, HOST(run_block_0),
     3});
add({"early-return", "", "block-barrier-divergence",
     "leaves the kernel where a tile has no element for the thread", kByLuck,
     RUN(run_rows, early_return)});
add({"shared-reuse", "", "", "zeroes a sum once for each block", kWrongResult,
     HOST(run_shared_reuse)});
add({"same-priority", "", "", "an urgent kernel of no higher priority", kLate,
     HOST(same_priority)});
#else

// [last-block]
__global__ void last_block(Work work) {
  const auto arrive = [=] {  // whoever arrives last does the step that follows all tiles
    __threadfence();
    __syncthreads();
    if (threadIdx.x != 0) return;
    if (atomicAdd(&work.counters[kArrived], 1ull) == gridDim.x - 1) ++work.counters[kLastSteps];
  };
  for_each_canceled_block<1>([=](dim3 block) {
    multiply_tile(work, block.x);
#ifndef BROKEN
    arrive();
#endif
  });
#ifdef BROKEN
  arrive();
#endif
}
// [/last-block]

// What came of a kernel that has a last step: it must have run once.
inline Outcome with_last_step(Bench& bench) {
  Outcome outcome = bench.outcome();
  const unsigned long long times = outcome.counters[kLastSteps];
  outcome.right = times == 1;
  outcome.also = "the last step ran " + std::to_string(times) + " times";
  return outcome;
}

template <auto kernel>
Outcome run_with_last_step() {
  Bench bench(many_tiles());
  kernel<<<bench.work.tiles, kTile>>>(bench.work);
  return with_last_step(bench);
}

__global__ void last_step(Work work) {
  ++work.counters[kLastSteps];
}

// [grid-sync]
__global__ void two_steps(Work work) {
  for_each_canceled_block<1>([=](dim3 block) { multiply_tile(work, block.x); });
#ifdef BROKEN
  __syncthreads();
  if (threadIdx.x == 0) {  // all blocks of the grid meet
    cuda::atomic_ref<unsigned long long> arrived(work.counters[kArrived]);
    arrived.fetch_add(1);
    while (arrived.load() < gridDim.x) {
    }
    if (blockIdx.x == 0) ++work.counters[kLastSteps];
  }
#endif
}

inline Outcome grid_sync() {
  Bench bench(many_tiles());
  two_steps<<<bench.work.tiles, kTile>>>(bench.work);
#ifndef BROKEN
  last_step<<<1, 1>>>(bench.work);
#endif
  return with_last_step(bench);
}
// [/grid-sync]

// [look-back]
__global__ void look_back(Work work) {
  [[maybe_unused]] __shared__ int turn;
  for_each_canceled_block<1>([=](dim3 block) {
#ifdef BROKEN
    const int tile = block.x;
#else
    __syncthreads();
    if (threadIdx.x == 0) turn = atomicAdd(&work.counters[kArrived], 1ull);
    __syncthreads();
    const int tile = turn;  // the order in which blocks begin, not that in which they steal
#endif
    multiply_tile(work, tile, block.x != blockIdx.x);
    if (threadIdx.x == 0) {  // each tile waits for what the one before it has summed up
      cuda::atomic_ref<unsigned> before(work.done[max(tile - 1, 0)]), mine(work.done[tile]);
      while (tile > 0 && before.load() == 0) {
      }
      mine.store(1);
    }
  });
}
// [/look-back]

template <auto kernel>
Outcome run_few() {
  Bench bench(std::min(many_tiles(), 1001));
  kernel<<<bench.work.tiles, kTile, shared_memory_of<kernel>(2)>>>(bench.work);
  return bench.outcome();
}

// [block-0]
__global__ void block_0(Work work) {
#ifdef BROKEN
  if (blockIdx.x == 0 && threadIdx.x == 0) ++work.counters[kLastSteps];
#endif
  for_each_canceled_block<1>([=](dim3 block) {
#ifndef BROKEN
    if (block.x == 0 && threadIdx.x == 0) ++work.counters[kLastSteps];
#endif
    multiply_tile(work, block.x);
  });
}
// [/block-0]

// Blocks of another kernel, which hold all places but one: so few of the next one's start.
__global__ void neighbour() {
  volatile int rounds = 0;
  while (rounds < 1000) rounds = rounds + 1;
}

inline Outcome run_block_0() {
  Bench bench(many_tiles());
  cudaStream_t beside;
  CUDA_CHECK(cudaStreamCreateWithFlags(&beside, cudaStreamNonBlocking));
  neighbour<<<many_tiles() / 2 - 1, 32, 0, beside>>>();
  block_0<<<bench.work.tiles, kTile>>>(bench.work);
  const Outcome outcome = with_last_step(bench);
  cudaStreamDestroy(beside);
  return outcome;
}

constexpr int kColumns = 100;  // of a row, which is two tiles; so the second one is partial

// [early-return]
__global__ void early_return(Work work) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  __syncthreads();

  int tile = blockIdx.x;
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) REQUEST(response, barrier);
    const int column = tile % 2 * kTile + threadIdx.x;
    float* const y = work.y + tile / 2 * kColumns + column;
#ifdef BROKEN
    if (column >= kColumns) return;
    *y *= work.alpha;
#else
    if (column < kColumns) *y *= work.alpha;
#endif
    clc::count(work.counters, tile == static_cast<int>(blockIdx.x) ? clc::kStarted : clc::kSteals);
    while (!ptx::mbarrier_try_wait_parity(&barrier, parity)) {
    }
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
    __syncthreads();
  }
}
// [/early-return]

template <auto kernel>
Outcome run_rows() {
  const int tiles = many_tiles() + 1;
  Bench bench(tiles, static_cast<long long>(tiles) / 2 * kColumns);
  kernel<<<tiles, kTile>>>(bench.work);
  return bench.outcome();
}

// [shared-reuse]
__global__ void shared_reuse(Work work) {
  __shared__ unsigned sum;
#ifdef BROKEN
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
#endif
  for_each_canceled_block<1>([=](dim3 block) {
#ifndef BROKEN
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
#endif
    multiply_tile(work, block.x);
    atomicAdd(&sum, 1u);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(&work.counters[kElements], sum);
  });
}
// [/shared-reuse]

inline Outcome run_shared_reuse() {
  Bench bench(many_tiles());
  shared_reuse<<<bench.work.tiles, kTile>>>(bench.work);
  Outcome outcome = bench.outcome();
  const auto elements = static_cast<long long>(outcome.counters[kElements]);
  outcome.right = elements == bench.work.elements;
  outcome.also = "the tiles' sums come to " + std::to_string(elements) + " of " +
                 std::to_string(bench.work.elements);
  return outcome;
}

__global__ void look_who_is_done(Work work) {
  work.counters[kSeen] = atomicAdd(&work.counters[clc::kStarted], 0ull) +
                         atomicAdd(&work.counters[clc::kSteals], 0ull);
}

__global__ void long_tiles(Work work) {
  for_each_canceled_block<1>([=](dim3 block) {
    // Some microseconds on any GPU, and few instructions to simulate.
    for (int round = 0; round < 8; ++round) __nanosleep(500);
    multiply_tile(work, block.x);
  });
}

// [same-priority]
inline Outcome same_priority() {
  Bench bench(many_tiles());
  int least = 0, greatest = 0;
  cudaStream_t patient, urgent;
  CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  CUDA_CHECK(cudaStreamCreateWithPriority(&patient, cudaStreamNonBlocking, least));
#ifdef BROKEN
  CUDA_CHECK(cudaStreamCreateWithFlags(&urgent, cudaStreamNonBlocking));
#else
  CUDA_CHECK(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, greatest));
#endif
  long_tiles<<<bench.work.tiles, kTile, shared_memory_of<long_tiles>(1), patient>>>(bench.work);
  look_who_is_done<<<1, 1, shared_memory_of<look_who_is_done>(1), urgent>>>(bench.work);
  Outcome outcome = bench.outcome();
  cudaStreamDestroy(patient);
  cudaStreamDestroy(urgent);
  const auto seen = static_cast<int>(outcome.counters[kSeen]);
  outcome.right = seen < bench.work.tiles / 2;
  outcome.also = "the urgent kernel ran after " + std::to_string(seen) + " of " +
                 std::to_string(bench.work.tiles) + " tiles";
  return outcome;
}
// [/same-priority]

#endif
