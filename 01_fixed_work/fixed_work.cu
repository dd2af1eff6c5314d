// 01 - Fixed work: one block for each tile, so the number of blocks grows with the problem.
//
// Read first: minimal.cu and README.md, then main() at the bottom, then [kernel] and [tile].
// New here:   the problem y = alpha x with its three knobs; a tile; a prologue
// Needs:      any GPU that the toolkit can compile for
// Build:      nvcc -O3 -lineinfo -cudart shared -Icommon
//             01_fixed_work/fixed_work.cu common/program.cpp -o build/fixed_work

#include "bench.h"
#include "uneven.h"

// ---- What is compared -------------------------------------------------------------------------
//
// x_of(i) and compute_alpha(problem) run on the host, too, and round there as they do on the GPU.
// So Audit::look() (common/problem.cpp) compares each y[i] bit for bit, and tells three mistakes
// apart: an element that was missed (still x), one that was done twice, and anything else.

// ---- The tile ---------------------------------------------------------------------------------

// [tile]
__device__ void multiply_tile(const clc::Problem& problem, float* y, int tile, float alpha) {
  alpha = clc::uneven_work(problem, tile, alpha);                       // only with --skew
  const long long first = static_cast<long long>(tile) * problem.tile;  // may be beyond 2^31
  const long long left = problem.elements - first;
  const int count = left < problem.tile ? static_cast<int>(left) : problem.tile;

  float4* quads = reinterpret_cast<float4*>(y + first);  // aligned: tiles are multiples of 4 long
  for (int i = threadIdx.x; i < count / 4; i += blockDim.x) {
    const float4 v = quads[i];
    quads[i] = {alpha * v.x, alpha * v.y, alpha * v.z, alpha * v.w};
  }
  const int tail = count / 4 * 4 + threadIdx.x;  // up to 3 elements, in the last tile only
  if (tail < count) y[first + tail] *= alpha;
}
// [/tile]

// ---- The kernel -------------------------------------------------------------------------------

// [kernel]
__global__ void __launch_bounds__(1024)
    multiply(clc::Problem problem, float* y, unsigned long long* counters) {
  clc::count(counters, clc::kStarted);
  const float alpha = clc::compute_alpha(problem);  // the prologue: once for each block
  clc::count(counters, clc::kPrologues);

  multiply_tile(problem, y, blockIdx.x, alpha);
}
// [/kernel]

// ---- Run it -----------------------------------------------------------------------------------

int main(int argc, char** argv) {
  clc::Options defaults;
  defaults.chapter = "01_fixed_work";
  defaults.kernels = {"fixed"};
  const clc::Options options = clc::read_options(defaults, argc, argv);
  const cudaDeviceProp gpu = clc::require_compute_capability(7, 5, argc, argv);
  clc::Bench bench(options, clc::make_problem(options), clc::urgent);

  const int blocks = bench.problem.tiles;  // one for each tile
  bench.measure({"fixed", blocks}, [&](auto counters) {
    multiply<<<blocks, options.threads>>>(bench.problem, bench.y, counters);
  });
  return clc::report(options, gpu, bench.problem, bench.runs);
}
