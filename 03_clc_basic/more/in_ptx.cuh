// The loop of clc_basic.cu, with each step as the PTX ISA spells it: --kernel ptx.

// [ptx]
// One 32-bit shared-memory address for each operand, and the steps as the PTX ISA spells them.
__device__ inline void steal_tiles_ptx(const clc::Problem& problem, float* y,
                                       unsigned long long* counters) {
  __shared__ uint4 response;
  __shared__ uint64_t barrier;
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(&response));
  const auto bar = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));

  clc::count(counters, clc::kStarted);
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
  const float alpha = clc::compute_alpha(problem);
  clc::count(counters, clc::kPrologues);
  __syncthreads();

  unsigned tile = blockIdx.x;
  for (unsigned parity = 0;; parity ^= 1) {
    if (threadIdx.x < 32) {
      asm volatile(
          "{ .reg .pred p;\n\t"
          "elect.sync _|p, 0xffffffff;\n\t"
          "@p fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;\n\t"
          "@p clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 "
          "[%0], [%1];\n\t"
          "@p mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%1], 16; }" ::"r"(to),
          "r"(bar)
          : "memory");
    }

    multiply_tile(problem, y, static_cast<int>(tile), alpha);

    unsigned done = 0, stolen;
    while (!done)
      asm volatile(
          "{ .reg .pred p;\n\t"
          "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%1], %2;\n\t"
          "selp.u32 %0, 1, 0, p; }"
          : "=r"(done)
          : "r"(bar), "r"(parity)
          : "memory");
    // The index is decoded under the predicate: that of a failed response is undefined.
    asm volatile(
        "{ .reg .pred p; .reg .b128 r; .reg .b64 low, high;\n\t"
        "ld.shared.v2.b64 {low, high}, [%2];\n\t"
        "mov.b128 r, {low, high};\n\t"
        "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, r;\n\t"
        "selp.u32 %0, 1, 0, p;\n\t"
        "@p clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %1, r; }"
        : "=r"(stolen), "+r"(tile)
        : "r"(to)
        : "memory");
    if (!stolen) break;
    clc::count(counters, clc::kSteals);

    asm volatile("fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;" ::
                     : "memory");
    __syncthreads();
  }
}
CLC_KERNEL(multiply_ptx, steal_tiles_ptx)
// [/ptx]
