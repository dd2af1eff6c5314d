// The lab: all three kernels compute every row exactly once; the second is one wave, of no more
// blocks than tiles, the third steals where the GPU holds fewer blocks than there are tiles.

constexpr int kAllColumns = 1024, kAllRows = 639;  // the last tile is not full
constexpr int kMost = 100 * kAllRows;
constexpr int kFewTiles = 3, kHeldByMini = 32;

struct HostMatrix {
  int first[kAllRows + 1], column[kMost];
  float value[kMost], x[kAllColumns], y[kAllRows], expected[kAllRows];
};

// The matrix was assembled from pieces of 32 rows, and the first row of each is very long. Small
// whole numbers, so that every sum is exact. y is not zero at first and is added to, so that a row
// done twice shows.
inline void fill(HostMatrix& m) {
  int entries = 0;
  for (int i = 0; i < kAllColumns; ++i) m.x[i] = i % 7 - 3;
  for (int row = 0; row < kAllRows; ++row) {
    m.first[row] = entries;
    const int length = row % 32 == 0 ? 400 + row % 7 * 60 : 8 + row * 1103 % 23;
    float sum = 0;
    for (int i = 0; i < length; ++i, ++entries) {
      m.column[entries] = (row * 31 + i * 17) % kAllColumns;
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

const float* x_of(const HostMatrix& m) {
  static const float* const x = on_gpu(m.x, kColumns);
  return x;
}

void launch_named(char name, const HostMatrix& m, float* y, unsigned long long* counters) {
  const int entries = m.first[kAllRows];
  static const Matrix a = {kAllRows, on_gpu(m.first, kAllRows + 1), on_gpu(m.column, entries),
                           on_gpu(m.value, entries)};
  const float* const x = x_of(m);
  if (name == 'f') launch_fixed(a, x, y, counters);
  if (name == 'w') launch_stride(a, x, y, counters);
  if (name == 'm')
    launch_stride({std::min(kFewTiles * kRows, kAllRows), a.first, a.column, a.value}, x, y,
                  counters);
  if (name == 's') launch_steal(a, x, y, counters);
}

// Of the rows, so many are to be done.
void check_rows(const HostMatrix& m, const clc::Counted& counted, int rows, int to_do) {
  for (int row = 0; row < static_cast<int>(counted.y.size()); ++row) {
    const float yours = counted.y[row], expected = row < to_do ? m.expected[row] : m.y[row];
    if (yours == expected) continue;
    clc::note("  tile %d is the first that differs, in row %d: yours %g, expected %g%s\n",
              row / rows, row, yours, expected, yours == m.y[row] ? "   not done" : "");
    clc::fail(clc::kWrong, yours == m.y[row] ? "tiles not done" : "wrong values",
              "every row is to be done exactly once");
  }
}

void check_stride(const clc::Counted& counted) {
  if (!counted.known || counted.launches.empty()) return;
  const std::size_t apart = counted.problem.tile * counted.main().started;  // rows
  for (std::size_t row = 0; row + apart < counted.elements.size(); ++row)
    if (counted.elements[row].block != counted.elements[row + apart].block)
      return clc::compare_claim("a block's tiles are gridDim.x apart", false, true);
}

void check() {
  static HostMatrix m;
  fill(m);
  const int rows = kRows, tiles = (kAllRows + rows - 1) / rows;
  for (const char* const name : {"fixed", "wave", "steal", "matrix of few rows"}) {
    float* const y = on_gpu(m.y, kAllRows);
    unsigned long long none[32] = {}, *counters = on_gpu(none, 32);
    launch_named(0, m, y, counters);  // only the matrix is copied
    const bool is_few = *name == 'm', is_wave = *name == 'w', is_steal = *name == 's';
    const int resident = is_wave || is_few ? clc::resident_blocks(stride, kThreads)
                         : is_steal        ? clc::resident_blocks(steal, kThreads)
                                           : clc::resident_blocks(fixed, kThreads);
    clc::watch(y, kAllRows, counters);
    launch_named(*name, m, y, counters);
    clc::Counted counted = clc::watched();
    const std::vector<unsigned long long> counts = clc::from_gpu(counters, clc::kEvents);
    counted.started = counts[clc::kStarted], counted.prologues = counts[clc::kPrologues];
    counted.steals = counts[clc::kSteals];
    counted.problem = {kAllRows, rows, tiles, 0, 0};
    clc::note("  kernel %s\n", is_wave ? "stride" : is_few ? "stride, for 3 tiles" : name);
    if (is_few) {
      check_rows(m, counted, rows, kFewTiles * rows);
      clc::started(counted, std::min(std::min(resident, tiles), kFewTiles), "blocks of the wave");
      break;
    }
    if (tiles <= kHeldByMini)
      clc::fail(clc::kWrong, "tiles of the matrix",
                "mini holds as many blocks as there are tiles: nothing waits   <--");
    check_rows(m, counted, rows, kAllRows);
    if (is_steal) clc::stole(counted, tiles, resident);
    if (is_wave) clc::started(counted, resident < tiles ? resident : tiles, "blocks of the wave");
    if (!is_wave && !is_steal) clc::started(counted, tiles);
    if (is_steal) clc::asked_until_refused(counted);
    if (is_wave) clc::shared_evenly(counted);
    if (is_wave) check_stride(counted);
    if (!is_wave) clc::done_by_their_blocks(counted);
    clc::prologues(counted);
  }
  clc::takes(475'500);
}
