// Exercise 02.3: the numbers are counted in a run.

#ifdef __CUDACC__
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

void launch_stride(const clc::Problem& problem, float* y, unsigned long long* counters) {
  stride<<<16, 32>>>(problem, y, counters);
}
void launch_queue(const clc::Problem& problem, float* y, unsigned long long* counters) {
  queue<<<16, 32>>>(problem, y, counters);
}
#endif

void check() {
  const long long prologues = CLC_PREDICTED(kPrologues), owner = CLC_PREDICTED(kOwner),
                  most = CLC_PREDICTED(kMost), drawn = CLC_PREDICTED(kDrawn);
  const bool repeatable = CLC_PREDICTED(kQueueRepeatable);
  const clc::Problem problem = clc::make_tiles(1000, 16);
  const clc::Counted counted = clc::each_tile_once(problem, launch_stride);
  const int owner_counted = CLC_GPU(int, 1, owner_of_37)[0];
  const int most_counted = CLC_GPU(int, 1, done_by_0)[0];
  clc::each_tile_once(problem, launch_queue);
  const unsigned drawn_counted = CLC_GPU(unsigned, 1, drawn_by_all)[0];
  clc::predicted("prologues", prologues, counted.prologues);
  clc::predicted("the block that does tile 37 (stride)", owner, owner_counted);
  clc::predicted("tiles that block 0 does (stride)", most, most_counted);
  clc::predicted("numbers drawn (queue)", drawn, drawn_counted);
  clc::predicted("the same block for a tile, always (queue)", repeatable, false);
}
