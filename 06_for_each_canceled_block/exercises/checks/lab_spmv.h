// The lab: all three kernels compute every row exactly once; the second is one wave, the third
// steals.
//
// Hint: what of `fixed` is done once for each tile, and what is needed only once for each block
// that starts?

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
    kernel.launch(a, x, y, counters);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(yours, y, sizeof yours, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(counts, counters, sizeof counts, cudaMemcpyDeviceToHost));
    std::printf("  kernel %s: %llu blocks started, %llu prologues, %llu stolen\n", kernel.name,
                counts[clc::kStarted], counts[clc::kPrologues], counts[clc::kSteals]);
    for (int row = 0; row < kAllRows; ++row) {
      if (yours[row] == m.expected[row]) continue;
      std::printf("  tile %d is the first that differs, in row %d: yours %g, expected %g%s\n",
                  row / kRows, row, yours[row], m.expected[row],
                  yours[row] == m.y[row] ? "   not done" : "");
      std::exit(clc::kWrong);
    }
    const bool is_fixed = kernel.launch == launch_fixed, is_wave = kernel.launch == launch_stride;
    const long long started = counts[clc::kStarted];
    if (is_wave) clc::compare("stride: blocks", started, clc::resident_blocks(stride, kThreads));
    if (!is_fixed) clc::compare("prologues", counts[clc::kPrologues], started);
    if (is_fixed || is_wave) continue;
    clc::must_steal({started, 0, static_cast<long long>(counts[clc::kSteals])});
    clc::compare("steal: started or stolen", started + counts[clc::kSteals], tiles);
  }
}
