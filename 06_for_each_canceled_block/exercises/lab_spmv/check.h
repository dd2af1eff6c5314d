// The lab: all three kernels compute every row exactly once; the second is one wave, of no more
// blocks than tiles, the third steals where the GPU holds fewer blocks than there are tiles.

constexpr int kAllRows = 639;  // the last tile is not full
constexpr int kFewTiles = 3, kHeldByMini = 32;

struct HostMatrix {
  std::vector<int> first, column;
  std::vector<float> value, x, y, expected;
};

// The matrix was assembled from pieces of 32 rows, and the first row of each is very long. Small
// whole numbers, so that every sum is exact. y is not zero at first and is added to, so that a row
// done twice shows.
HostMatrix make_matrix() {
  HostMatrix m = {{0}, {}, {}, {}, {}, {}};
  for (int i = 0; i < kColumns; ++i) m.x.push_back(i % 7 - 3);
  for (int row = 0; row < kAllRows; ++row) {
    const int length = row % 32 == 0 ? 400 + row % 7 * 60 : 8 + row * 1103 % 23;
    m.y.push_back(row % 11 + 1);
    m.expected.push_back(m.y[row]);
    for (int i = 0; i < length; ++i) {
      m.column.push_back((row * 31 + i * 17) % kColumns);
      m.value.push_back(1 + (row + i) % 5);
      m.expected[row] += m.value.back() * m.x[m.column.back()];
    }
    m.first.push_back(m.column.size());
  }
  return m;
}

template <class T>
T* on_gpu(const std::vector<T>& host) {
  T* memory;
  CUDA_CHECK(cudaMalloc(&memory, host.size() * sizeof(T)));
  CUDA_CHECK(cudaMemcpy(memory, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  return memory;
}

// Of the rows, the first `to_do` are to be done.
void check_rows(const HostMatrix& m, const clc::Counted& counted, int to_do) {
  for (int row = 0; row < kAllRows; ++row) {
    const float yours = counted.y[row], expected = row < to_do ? m.expected[row] : m.y[row];
    if (yours == expected) continue;
    clc::note("  tile %d is the first that differs, in row %d: yours %g, expected %g%s\n",
              row / kRows, row, yours, expected, yours == m.y[row] ? "   not done" : "");
    clc::fail(clc::kWrong, yours == m.y[row] ? "tiles not done" : "wrong values",
              "every row is to be done exactly once");
  }
}

void check_stride(const clc::Counted& counted) {
  clc::shared_evenly(counted);
  if (!counted.known) return;
  const std::size_t apart = kRows * counted.main().started;
  for (std::size_t row = 0; row + apart < counted.stored_by.size(); ++row)
    if (counted.stored_by[row] != counted.stored_by[row + apart])
      return clc::compare_claim("a block's tiles are gridDim.x apart", false, true);
}

void check() {
  const HostMatrix m = make_matrix();
  const Matrix all = {kAllRows, on_gpu(m.first), on_gpu(m.column), on_gpu(m.value)};
  const float* const x = on_gpu(m.x);
  for (const char* const name : {"fixed", "stride", "steal", "stride, for 3 tiles"}) {
    const bool is_few = name[6] == ',', is_stride = name[2] == 'r', is_steal = name[2] == 'e';
    Matrix a = all;
    if (is_few) a.rows = std::min(kFewTiles * kRows, kAllRows);
    const int tiles = tiles_of(a);
    const int resident = is_stride  ? clc::resident_blocks(stride, kThreads)
                         : is_steal ? clc::resident_blocks(steal, kThreads)
                                    : tiles;
    float* const y = on_gpu(m.y);
    unsigned long long* const counters = on_gpu(std::vector<unsigned long long>(32));
    clc::watch(y, kAllRows, counters);
    (is_stride ? launch_stride : is_steal ? launch_steal : launch_fixed)(a, x, y, counters);
    clc::Counted counted = clc::watched();
    const std::vector<unsigned long long> counts = clc::from_gpu(counters, clc::kEvents);
    counted.started = counts[clc::kStarted], counted.prologues = counts[clc::kPrologues];
    counted.steals = counts[clc::kSteals];
    counted.problem = {kAllRows, kRows, tiles, 0, 0};
    clc::note("  kernel %s\n", name);
    if (!is_few && tiles <= kHeldByMini)
      clc::fail(clc::kWrong, "tiles of the matrix",
                "mini holds as many blocks as there are tiles: nothing waits   <--");
    check_rows(m, counted, a.rows);
    if (is_steal) {
      clc::stole(counted, tiles, resident);
      clc::asked_until_refused(counted);
    } else {
      clc::started(counted, std::min(resident, tiles), "blocks of the wave");
    }
    if (is_stride && !is_few) check_stride(counted);
    if (!is_stride) clc::done_by_their_blocks(counted);
    clc::prologues(counted);
  }
  clc::takes(475'500);
}
