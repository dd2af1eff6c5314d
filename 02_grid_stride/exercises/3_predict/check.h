// Exercise 02.3: the numbers are counted in a run.

__device__ int owner_of_37, done_by_0;
__device__ unsigned drawn_by_all;

__device__ void do_tile(const clc::Problem& problem, float* y, int tile, float alpha) {
  clc::multiply_tile(problem, y, tile, alpha);
  if (threadIdx.x == 0 && tile == 37) owner_of_37 = blockIdx.x;
  if (threadIdx.x == 0 && blockIdx.x == 0) ++done_by_0;
}

__global__ void stride(clc::Problem problem, float* y, unsigned long long* counters) {
  clc::count(counters, clc::kPrologues);
  for (int tile = blockIdx.x; tile < problem.tiles; tile += gridDim.x)
    do_tile(problem, y, tile, clc::compute_alpha(problem));
}

__global__ void queue(clc::Problem problem, float* y, unsigned long long* counters) {
  __shared__ unsigned tile;
  clc::count(counters, clc::kPrologues);
  while (true) {
    if (threadIdx.x == 0) tile = atomicAdd(&drawn_by_all, 1);
    __syncthreads();
    if (tile >= problem.tiles) break;
    do_tile(problem, y, tile, clc::compute_alpha(problem));
    __syncthreads();
  }
}

void check() {
  const clc::Problem problem = clc::make_tiles(1000, 16);
  int owner = 0, most = 0;
  unsigned drawn = 0;
  const clc::Counted counted = clc::each_tile_once(
      problem, [](auto& p, auto* y, auto* counters) { stride<<<16, 32>>>(p, y, counters); });
  CUDA_CHECK(cudaMemcpyFromSymbol(&owner, owner_of_37, sizeof owner));
  CUDA_CHECK(cudaMemcpyFromSymbol(&most, done_by_0, sizeof most));
  clc::each_tile_once(problem,
                      [](auto& p, auto* y, auto* counters) { queue<<<16, 32>>>(p, y, counters); });
  CUDA_CHECK(cudaMemcpyFromSymbol(&drawn, drawn_by_all, sizeof drawn));
  clc::predicted("prologues", kPrologues, counted.prologues);
  clc::predicted("the block that does tile 37 (stride)", kOwner, owner);
  clc::predicted("tiles that block 0 does (stride)", kMost, most);
  clc::predicted("numbers drawn (queue)", kDrawn, drawn);
  clc::predicted("the same block for a tile, always (queue)", kQueueRepeatable, false);
}
