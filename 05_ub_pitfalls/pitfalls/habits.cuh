// On the host, and in the head: mistakes that break no rule of CLC, so that only a good test finds
// them.
#ifdef CATALOGUE
add({"swapped-launch", "index-overflow", "", "<<<threads, blocks>>>", kWrongResult,
     HOST(swapped_launch)});
add({"index-overflow", "", "data-race", "32-bit element indices", kWrongByRule,
     KERNEL(index_overflow)});
add({"nothing-to-steal", "", "", "a test whose grid fits on the GPU", kProvesNothing,
     HOST(nothing_to_steal)});
add({"hoarding", "", "", "16 requests in flight", kSlow, HOST(hoarding)});
#else

// A right kernel, or one that forgets the tiles that it has stolen.
template <bool kForgets>
__global__ void steal(Work work) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  if (threadIdx.x == 0) ptx::mbarrier_init(&barrier, 1);
  __syncthreads();

  int tile = blockIdx.x;
  for (uint32_t parity = 0;; parity ^= 1) {
    if (threadIdx.x == 0) REQUEST(response, barrier);
    if (!kForgets || tile == static_cast<int>(blockIdx.x)) multiply_tile(work, tile);
    while (!ptx::mbarrier_try_wait_parity(&barrier, parity)) {
    }
    const uint4 answer = response;
    if (!ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) break;
    tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
    __syncthreads();
  }
}

// [swapped-launch]
inline Outcome swapped_launch() {
  Bench bench(many_tiles());
  const int blocks = bench.work.tiles;
#ifdef BROKEN
  steal<false><<<kTile, blocks>>>(bench.work);
#else
  steal<false><<<blocks, kTile>>>(bench.work);
#endif
  return bench.outcome();
}
// [/swapped-launch]

// [index-overflow]
__global__ void index_overflow(Work work) {
  constexpr uint32_t kLongTile = 90'000'000;  // elements; this y holds 64 of each such tile
  for_each_canceled_block<1>([=](dim3 block) {
#ifdef BROKEN
    const uint32_t first = block.x * kLongTile;
#else
    const uint64_t first = uint64_t{block.x} * kLongTile;
#endif
    multiply_tile(work, static_cast<int>(first / kLongTile));
  });
}
// [/index-overflow]

// Whether a test can tell a right kernel from a wrong one.
template <class Test>
Outcome judge(Test test) {
  Outcome outcome;
  const bool passes_right = test(steal<false>), passes_wrong = test(steal<true>);
  outcome.right = passes_right && !passes_wrong;
  outcome.says = std::string("the test ") + (passes_right ? "passes" : "fails") +
                 " a right kernel and " + (passes_wrong ? "passes" : "fails") +
                 " one that forgets what it steals";
  return outcome;
}

// [nothing-to-steal]
inline Outcome nothing_to_steal() {
  return judge([](auto kernel) {
#ifdef BROKEN
    const int tiles = 4;
#else
    const int tiles = many_tiles();
#endif
    Bench bench(tiles);
    kernel<<<tiles, kTile>>>(bench.work);
    return bench.outcome().audit.exactly_once();
  });
}
// [/nothing-to-steal]

// [hoarding]
__global__ void hoard(Work work) {
#ifdef BROKEN
  constexpr int kInFlight = 16;
#else
  constexpr int kInFlight = 1;
#endif
  __shared__ uint4 response[kInFlight];
  __shared__ uint64_t barrier[kInFlight];
  const auto request = [&](int stage) { REQUEST(response[stage], barrier[stage]); };
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < kInFlight; ++stage) {
      ptx::mbarrier_init(&barrier[stage], 1);
      request(stage);
    }
  }
  __syncthreads();

  multiply_tile(work, blockIdx.x);
  int stage = 0, in_flight = kInFlight;
  uint32_t parity = 0;
  unsigned long long tiles = 1;
  for (bool more = true; in_flight > 0; --in_flight) {
    while (!ptx::mbarrier_try_wait_parity(&barrier[stage], parity)) {
    }
    const uint4 answer = response[stage];
    __syncthreads();  // all have read it, so it may be asked for again
    if (ptx::clusterlaunchcontrol_query_cancel_is_canceled(answer)) {
      if (more) {
        ++in_flight;
        if (threadIdx.x == 0) request(stage);
      }
      const int tile = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x<int>(answer);
      multiply_tile(work, tile);
      ++tiles;
    } else {
      more = false;
    }
    __syncthreads();  // nobody may see the next answer before that request has been sent
    if (++stage == kInFlight) stage = 0, parity ^= 1;
  }
  if (threadIdx.x == 0) atomicMax(&work.counters[kLargestShare], tiles);
}
// [/hoarding]

inline Outcome hoarding() {
  Bench bench(2 * many_tiles());
  hoard<<<bench.work.tiles, kTile>>>(bench.work);
  return bench.outcome();
}

#endif
