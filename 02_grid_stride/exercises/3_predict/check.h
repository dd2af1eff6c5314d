// Exercise 02.3: the numbers are counted in a run. The queue's ticket is a counter of the check.

#ifdef __CUDACC__
enum { kOwnerOf37 = clc::kEvents, kDoneBy0, kTicket };

__device__ void do_tile(const clc::Problem& problem, float* y, int tile,
                        unsigned long long* counters) {
  clc::multiply_tile(problem, y, tile, clc::compute_alpha(problem));
  if (threadIdx.x == 0 && tile == 37) counters[kOwnerOf37] = blockIdx.x;
  if (threadIdx.x == 0 && blockIdx.x == 0) ++counters[kDoneBy0];
}

__global__ void stride(clc::Problem problem, float* y, unsigned long long* counters) {
  clc::count(counters, clc::kPrologues);
  for (int tile = blockIdx.x; tile < problem.tiles; tile += gridDim.x)
    do_tile(problem, y, tile, counters);
}

__global__ void queue(clc::Problem problem, float* y, unsigned long long* counters) {
  __shared__ int tile;
  clc::count(counters, clc::kPrologues);
  while (true) {
    if (threadIdx.x == 0) tile = static_cast<int>(atomicAdd(counters + kTicket, 1ull));
    __syncthreads();
    if (tile >= problem.tiles) break;
    do_tile(problem, y, tile, counters);
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
  const clc::Problem problem = clc::make_tiles(1000, 16);
  const clc::Counted by_stride = clc::each_tile_once(problem, launch_stride);
  const clc::Counted by_queue = clc::each_tile_once(problem, launch_queue);
  clc::predicted("prologues", kPrologues, by_stride.prologues);
  clc::predicted("the block that does tile 37 (stride)", kOwner, by_stride.own[0]);
  clc::predicted("tiles that block 0 does (stride)", kMost, by_stride.own[1]);
  clc::predicted("numbers drawn (queue)", kDrawn, by_queue.own[2]);
  clc::predicted("the same block for a tile, always (queue)", kQueueRepeatable, false);
}
