// The lab: all three kernels compute every row exactly once; the second is one wave, the third
// steals where the GPU holds fewer blocks than there are tiles.

constexpr int kAllRows = 639;  // the last tile is not full
constexpr int kMost = 100 * kAllRows;

struct HostMatrix {
  int first[kAllRows + 1], column[kMost];
  float value[kMost], x[kColumns], y[kAllRows], expected[kAllRows];
};

// The matrix was assembled from pieces of 32 rows, and the first row of each is very long. Small
// whole numbers, so that every sum is exact. y is not zero at first and is added to, so that a row
// done twice shows.
inline void fill(HostMatrix& m) {
  int entries = 0;
  for (int i = 0; i < kColumns; ++i) m.x[i] = i % 7 - 3;
  for (int row = 0; row < kAllRows; ++row) {
    m.first[row] = entries;
    const int length = row % 32 == 0 ? 400 + row % 7 * 60 : 8 + row * 1103 % 23;
    float sum = 0;
    for (int i = 0; i < length; ++i, ++entries) {
      m.column[entries] = (row * 31 + i * 17) % kColumns;
      m.value[entries] = 1 + (row + i) % 5;
      sum += m.value[entries] * m.x[m.column[entries]];
    }
    m.y[row] = row % 11 + 1;
    m.expected[row] = m.y[row] + sum;
  }
  m.first[kAllRows] = entries;
}

template <class T>
T* on_gpu(const T* host, int count) {
  T* memory;
  CUDA_CHECK(cudaMalloc(&memory, count * sizeof(T)));
  CUDA_CHECK(cudaMemcpy(memory, host, count * sizeof(T), cudaMemcpyHostToDevice));
  return memory;
}

inline void check() {
  static HostMatrix m;
  fill(m);
  const int entries = m.first[kAllRows], tiles = (kAllRows + kRows - 1) / kRows;
  const Matrix a = {kAllRows, on_gpu(m.first, kAllRows + 1), on_gpu(m.column, entries),
                    on_gpu(m.value, entries)};
  const float* x = on_gpu(m.x, kColumns);
  const struct {
    const char* name;
    void (*launch)(Matrix, const float*, float*, unsigned long long*);
  } kernels[] = {{"fixed", launch_fixed}, {"stride", launch_stride}, {"steal", launch_steal}};
  for (const auto& kernel : kernels) {
    static float yours[kAllRows];
    unsigned long long counts[clc::kEvents] = {};
    float* y = on_gpu(m.y, kAllRows);
    unsigned long long* counters = on_gpu(counts, clc::kEvents);
    CUDA_CHECK(cudaDeviceSynchronize());
    clc::take_account();
    kernel.launch(a, x, y, counters);
    if (cudaGetLastError() != cudaSuccess)
      clc::fail(clc::kBadInput, "launch failed", "the launch failed");
    clc::wait_for_kernel();
    const clc::Ran ran = clc::take_account();
    CUDA_CHECK(cudaMemcpy(yours, y, sizeof yours, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(counts, counters, sizeof counts, cudaMemcpyDeviceToHost));
    const auto number = [&](clc::Event event) { return static_cast<long long>(counts[event]); };
    const clc::Counted counted = {number(clc::kStarted), number(clc::kPrologues),
                                  number(clc::kSteals), ran};
    std::printf("  kernel %s\n", kernel.name);
    for (int row = 0; row < kAllRows; ++row) {
      if (yours[row] == m.expected[row]) continue;
      std::printf("  tile %d is the first that differs, in row %d: yours %g, expected %g%s\n",
                  row / kRows, row, yours[row], m.expected[row],
                  yours[row] == m.y[row] ? "   not done" : "");
      clc::fail(clc::kWrong, yours[row] == m.y[row] ? "tiles not done" : "wrong values",
                "every row is to be done exactly once");
    }
    const bool is_wave = kernel.launch == launch_stride, is_steal = kernel.launch == launch_steal;
    const int resident = is_wave ? clc::resident_blocks(stride, kThreads)
                                 : clc::resident_blocks(is_steal ? steal : fixed, kThreads);
    if (is_wave)
      clc::compare("blocks of the wave", counted.started, resident < tiles ? resident : tiles);
    if (is_steal) clc::stole(counted, tiles, resident);
    if (is_steal && tiles <= resident)
      std::printf("  all blocks fit on this GPU at once: there is nothing to steal\n");
    clc::compare("prologues", counted.prologues, counted.started);
  }
}
