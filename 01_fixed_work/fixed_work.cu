// 01 - Fixed work: one block for each tile, so the number of blocks grows with the problem.
//
// Read first: README.md here, then main() at the bottom, then [kernel] and [tile].
// New here:   the problem y = alpha x with its three knobs; a tile; a prologue
// Needs:      any GPU that the toolkit can compile for
// Build:      nvcc -O3 -lineinfo -cudart shared -Icommon
//             01_fixed_work/fixed_work.cu common/program.cpp -o build/fixed_work

#include "report.h"
#include "tour.h"

// ---- CPU reference ----------------------------------------------------------------------------
//
// x_of(i) and compute_alpha(problem) of common/problem.h run on the host, too, and round there as
// they do on the GPU. So the host knows every y[i] bit for bit, and tells apart three mistakes: an
// element that was missed (still x), one that was done twice (alpha alpha x), and anything else.

// ---- The tile: the same in every chapter ------------------------------------------------------

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
  const clc::Problem problem = clc::make_problem(options);

  // Allocate: x, which stays as it is, and y, which becomes alpha x.
  std::vector<float> host = clc::make_x(problem);
  const std::size_t bytes = host.size() * sizeof(float);
  float *x, *y;
  CUDA_CHECK(cudaMalloc(&x, bytes));
  CUDA_CHECK(cudaMalloc(&y, bytes));
  CUDA_CHECK(cudaMemcpy(x, host.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(y, x, bytes, cudaMemcpyDeviceToDevice));
  clc::Run run{"fixed"};
  unsigned long long* counters;
  CUDA_CHECK(cudaMalloc(&counters, sizeof run.counts));
  CUDA_CHECK(cudaMemset(counters, 0, sizeof run.counts));

  // Launch once with counters, and check every element.
  // [launch]
  const int blocks = run.blocks = problem.tiles;  // one block for each tile
  multiply<<<blocks, options.threads>>>(problem, y, counters);
  CUDA_CHECK(cudaGetLastError());       // could it be launched?
  CUDA_CHECK(cudaDeviceSynchronize());  // did it run to its end?
  // [/launch]
  CUDA_CHECK(cudaMemcpy(run.counts, counters, sizeof run.counts, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaMemcpy(host.data(), y, bytes, cudaMemcpyDeviceToHost));
  run.audit.look(problem, host);

  // [time]
  // Time, without counters. The kernel works in place, so each launch gets a fresh y. That copy is
  // timed, too: nothing that reads and writes each float once is much faster.
  cudaEvent_t fresh, begin, end;
  for (cudaEvent_t* event : {&fresh, &begin, &end}) CUDA_CHECK(cudaEventCreate(event));
  for (long long i = 0; i < options.warmup + options.runs; ++i) {
    CUDA_CHECK(cudaEventRecord(fresh));
    CUDA_CHECK(cudaMemcpyAsync(y, x, bytes, cudaMemcpyDeviceToDevice));
    CUDA_CHECK(cudaEventRecord(begin));
    multiply<<<blocks, options.threads>>>(problem, y, nullptr);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaEventRecord(end));
    CUDA_CHECK(cudaDeviceSynchronize());
    if (i >= options.warmup) run.add_times(fresh, begin, end);
  }
  // [/time]
  if (options.urgent)  // an experiment of the tour
    clc::time_urgent(
        run, options.after, clc::urgent,
        [&] { CUDA_CHECK(cudaMemcpyAsync(y, x, bytes, cudaMemcpyDeviceToDevice)); },
        [&] { multiply<<<blocks, options.threads>>>(problem, y, nullptr); });
  CUDA_CHECK(cudaMemcpy(host.data(), y, bytes, cudaMemcpyDeviceToHost));
  run.audit.look(problem, host);
  for (cudaEvent_t event : {fresh, begin, end}) CUDA_CHECK(cudaEventDestroy(event));

  CUDA_CHECK(cudaFree(x));
  CUDA_CHECK(cudaFree(y));
  CUDA_CHECK(cudaFree(counters));
  return clc::report(options, gpu, problem, {run});
}
