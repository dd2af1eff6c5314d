// Kernels of several streams that use the same memory: what orders them, and what doesn't.
//
//   grids right       runs all that is ordered; each checks its result
//   grids NAME...     runs these; the names that begin with "no-" are races
#include <atomic>
#include <cstring>
#include <thread>

#include "check.h"

namespace {

constexpr int kSize = 200, kBlock = 64, kBlocks = (kSize + kBlock - 1) / kBlock;

__global__ void fill(int* data, int first, int begin = 0, int end = kSize) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= begin && i < end) data[i] = first + i;
}

__global__ void add(int* to, const int* from, int begin = 0, int end = kSize) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= begin && i < end) to[i] = from[i] + 1;
}

__global__ void count(int* counter) {
  atomicAdd(counter, 1);
}

__global__ void read_counter(int* to, const int* counter) {
  *to = *counter;
}

__global__ void wait_for(long long nanoseconds) {
  linger(nanoseconds);
}

__global__ void tell(int* data, int* flag) {
  data[0] = 7;
  __threadfence();
  atomicExch(flag, 1);
}

__global__ void hear(int* to, const int* data, int* flag, bool fence) {
  while (atomicAdd(flag, 0) == 0) {
  }
  if (fence) __threadfence();
  to[0] = data[0];
}

__global__ void wait_for_the_host(int* to, const int* data, const int* word) {
  int seen = 0;
  while (seen == 0)
    asm volatile("ld.acquire.sys.s32 %0, [%1];" : "=r"(seen) : "l"(word) : "memory");
  to[0] = data[0];
}

// Arrays, streams and events.
struct Scene {
  explicit Scene(unsigned flags) {
    for (int** array : {&a, &b, &spare}) OK(cudaMalloc(array, kSize * sizeof(int)));
    for (cudaStream_t* stream : {&s1, &s2, &s3}) OK(cudaStreamCreateWithFlags(stream, flags));
    for (cudaEvent_t* event : {&e1, &e2}) OK(cudaEventCreate(event));
    for (int* array : {a, b, spare}) OK(cudaMemset(array, 0, kSize * sizeof(int)));
    OK(cudaDeviceSynchronize());
  }
  ~Scene() {
    for (int* array : {a, b, spare}) OK(cudaFree(array));
    for (cudaStream_t stream : {s1, s2, s3}) OK(cudaStreamDestroy(stream));
    for (cudaEvent_t event : {e1, e2}) OK(cudaEventDestroy(event));
  }
  int at(const int* array, int i) {
    int value = -1;
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(&value, array + i, sizeof(int), cudaMemcpyDeviceToHost));
    return value;
  }
  void write(cudaStream_t stream, int first = 100) {
    fill<<<kBlocks, kBlock, 0, stream>>>(a, first);
  }
  void read(cudaStream_t stream) { add<<<kBlocks, kBlock, 0, stream>>>(b, a); }
  // `to` goes on when `from` has come so far.
  void event(cudaStream_t from, cudaStream_t to) {
    OK(cudaEventRecord(e1, from));
    OK(cudaStreamWaitEvent(to, e1, 0));
  }
  // Until all that was launched has ended, without an order that the runtime guarantees.
  void outlast() {
    wait_for<<<1, 1, 0, s3>>>(200'000);
    OK(cudaStreamSynchronize(s3));
  }

  int *a = nullptr, *b = nullptr, *spare = nullptr, values[kSize];
  cudaStream_t legacy = nullptr, s1 = nullptr, s2 = nullptr, s3 = nullptr;
  cudaEvent_t e1 = nullptr, e2 = nullptr;
};

// ---- Ways of several kernels, of which some are wrong with another argument ----

void fork_and_join(Scene& s, int joined) {
  s.write(s.s1);
  OK(cudaEventRecord(s.e1, s.s1));
  cudaStream_t streams[] = {s.s2, s.s3};
  for (int i = 0; i < 2; ++i) {
    OK(cudaStreamWaitEvent(streams[i], s.e1, 0));
    add<<<kBlocks, kBlock, 0, streams[i]>>>(s.b, s.a, i * kSize / 2, (i + 1) * kSize / 2);
  }
  for (int i = 0; i < joined; ++i) {
    OK(cudaEventRecord(s.e2, streams[i]));
    OK(cudaStreamWaitEvent(s.s1, s.e2, 0));
  }
  add<<<kBlocks, kBlock, 0, s.s1>>>(s.a, s.b);
  EXPECT(s.at(s.a, 150) == 252);
}

// Reader and writer take turns: each waits for the other's last one.
void turns(Scene& s, bool both_ways) {
  for (int round = 0; round < 6; ++round) {
    if (both_ways && round != 0) OK(cudaStreamWaitEvent(s.s1, s.e2, 0));
    s.write(s.s1, 100 * round);
    s.event(s.s1, s.s2);
    s.read(s.s2);
    OK(cudaEventRecord(s.e2, s.s2));
  }
  EXPECT(s.at(s.b, 150) == 651);
}

void halves(Scene& s, int overlap) {
  fill<<<kBlocks, kBlock, 0, s.s1>>>(s.a, 100, 0, kSize / 2 + overlap);
  fill<<<kBlocks, kBlock, 0, s.s2>>>(s.a, 200, kSize / 2, kSize);
  EXPECT(s.at(s.a, 150) == 350);
}

// A copy of the second half, behind a kernel that writes up to `end`.
void copied(Scene& s, int end, bool event) {
  fill<<<kBlocks, kBlock, 0, s.s1>>>(s.a, 100, 0, end);
  if (event) s.event(s.s1, s.s2);
  OK(cudaMemcpyAsync(s.b + kSize / 2, s.a + kSize / 2, kSize * 2, cudaMemcpyDefault, s.s2));
  EXPECT(s.at(s.b, 150) == (end == kSize ? 250 : 0));
}

void copied_by_the_default_stream(Scene& s, bool wait) {
  s.write(s.s1);
  if (wait) OK(cudaStreamSynchronize(s.s1));
  OK(cudaMemcpy(s.values, s.a, sizeof s.values, cudaMemcpyDeviceToHost));
  EXPECT(s.values[150] == 250);
}

// The kernel writes when the fill is done, and long before.
void filled(Scene& s, bool event) {
  OK(cudaMemsetAsync(s.a, 0, kSize * sizeof(int), s.s1));
  if (event) s.event(s.s1, s.s2);
  wait_for<<<1, 1, 0, s.s2>>>(200'000);
  s.write(s.s2);
  EXPECT(s.at(s.a, 150) == 250);
}

void filled_afterwards(Scene& s, bool wait) {
  s.write(s.s1);
  if (wait) s.event(s.s1, s.s2);
  s.outlast();
  OK(cudaMemsetAsync(s.a, 0, kSize * sizeof(int), s.s2));
  EXPECT(s.at(s.a, 150) == 0);
}

// Rows of 50: the fill is of the first 25 columns.
void columns(Scene& s, int first) {
  fill<<<kBlocks, kBlock, 0, s.s1>>>(s.a, 100, first, 50);
  OK(cudaMemset2DAsync(s.a, 200, 0, 100, 4, s.s2));
  EXPECT(s.at(s.a, 30) == 130);
}

// A volatile read reaches as far as a copy; an atomic operation, by itself, as far as the GPU.
__global__ void hear_of_a_copy(int* to, const int* data, int* flag, bool system) {
  while ((system ? *static_cast<volatile int*>(flag) : atomicAdd(flag, 0)) == 0) {
  }
  to[0] = data[0];
}

void flag_by_copy(Scene& s, bool system) {
  s.values[0] = 7;
  hear_of_a_copy<<<1, 1, 0, s.s1>>>(s.b, s.a, s.spare, system);
  for (int* to : {s.a, s.spare})
    OK(cudaMemcpyAsync(to, s.values, sizeof(int), cudaMemcpyHostToDevice, s.s2));
  EXPECT(s.at(s.b, 0) == 7);
}

void both_read(Scene& s) {
  s.write(s.s1);
  OK(cudaStreamSynchronize(s.s1));
  add<<<kBlocks, kBlock, 0, s.s2>>>(s.b, s.a, 0, 100);
  add<<<kBlocks, kBlock, 0, s.s3>>>(s.b, s.a, 100);
  EXPECT(s.at(s.b, 150) == 251);
}

void both_count(Scene& s) {
  count<<<3, 32, 0, s.s1>>>(s.a);
  count<<<4, 32, 0, s.s2>>>(s.a);
  EXPECT(s.at(s.a, 0) == 7 * 32);
}

void both_store_the_same(Scene& s) {
  s.write(s.s1);
  s.write(s.s2);
  EXPECT(s.at(s.a, 150) == 250);
}

void pool_again(Scene& s) {
  for (const cudaStream_t stream : {s.s1, s.s2, s.s3}) {
    int* memory = nullptr;
    OK(cudaMallocAsync(&memory, kSize * sizeof(int), stream));
    fill<<<kBlocks, kBlock, 0, stream>>>(memory, 1);
    OK(cudaFreeAsync(memory, stream));
  }
}

void pool_handed_on(Scene& s, bool waits) {
  int* memory = nullptr;
  OK(cudaMallocAsync(&memory, kSize * sizeof(int), s.s1));
  fill<<<kBlocks, kBlock, 0, s.s1>>>(memory, 100);
  if (waits) s.event(s.s1, s.s2);
  add<<<kBlocks, kBlock, 0, s.s2>>>(s.b, memory);
  s.event(s.s2, s.s1);
  OK(cudaFreeAsync(memory, s.s1));
}

void flag(Scene& s, bool fence) {
  hear<<<1, 1, 0, s.s1>>>(s.b, s.a, s.a + 1, fence);
  tell<<<1, 1, 0, s.s2>>>(s.a, s.a + 1);
  EXPECT(s.at(s.b, 0) == 7);
}

void flag_of_the_past(Scene& s) {
  tell<<<1, 1, 0, s.s2>>>(s.a, s.a + 1);
  s.outlast();
  hear<<<1, 1, 0, s.s1>>>(s.b, s.a, s.a + 1, true);
  EXPECT(s.at(s.b, 0) == 7);
}

void word_of_the_host(Scene& s) {
  int* word = nullptr;
  OK(cudaMallocHost(&word, sizeof(int)));
  *word = 0;
  wait_for_the_host<<<1, 1, 0, s.s2>>>(s.b, s.a, word);
  s.write(s.s1);
  OK(cudaStreamSynchronize(s.s1));
  __atomic_store_n(word, 1, __ATOMIC_RELEASE);
  EXPECT(s.at(s.b, 0) == 100);
  OK(cudaFreeHost(word));
}

void per_thread_and_legacy(Scene& s) {
  s.write(cudaStreamPerThread);
  s.read(cudaStreamLegacy);
  s.write(cudaStreamPerThread, 900);
  EXPECT(s.at(s.b, 150) == 251);
}

void stream_destroyed(Scene& s, unsigned flags) {
  cudaStream_t stream = nullptr;
  OK(cudaStreamCreateWithFlags(&stream, flags));
  s.write(stream);
  OK(cudaStreamDestroy(stream));
  s.read(nullptr);
  EXPECT(s.at(s.b, 150) == 251);
}

void threads_that_wait(Scene& s, bool waits) {
  std::thread first([&] {
    s.write(cudaStreamPerThread);
    if (waits) OK(cudaStreamSynchronize(cudaStreamPerThread));
  });
  first.join();
  std::thread second([&] {
    s.read(cudaStreamPerThread);
    OK(cudaStreamSynchronize(cudaStreamPerThread));
  });
  second.join();
}

void no_event_and_both_write(Scene& s) {
  s.write(s.s1);
  s.write(s.s2, 500);
}

void no_event_and_the_reader_first(Scene& s) {
  s.read(s.s1);
  s.write(s.s2);
}

void no_wait_so_early(Scene& s) {
  s.write(s.s1);
  OK(cudaEventRecord(s.e1, s.s1));
  s.read(s.s2);
  OK(cudaStreamWaitEvent(s.s2, s.e1, 0));
}

void event_recorded_again(Scene& s) {
  OK(cudaEventRecord(s.e1, s.s1));
  s.write(s.s1);
  s.event(s.s1, s.s2);
  s.read(s.s2);
  EXPECT(s.at(s.b, 150) == 251);
}

void no_event_so_late(Scene& s) {
  OK(cudaEventRecord(s.e1, s.s1));
  s.write(s.s1);
  OK(cudaStreamWaitEvent(s.s2, s.e1, 0));
  s.read(s.s2);
}

void no_record_before_the_wait(Scene& s) {
  OK(cudaStreamWaitEvent(s.s2, s.e1, 0));
  s.write(s.s1);
  OK(cudaEventRecord(s.e1, s.s1));
  s.read(s.s2);
}

void no_atomic_read(Scene& s) {
  count<<<1, 32, 0, s.s1>>>(s.a);
  read_counter<<<1, 1, 0, s.s2>>>(s.b, s.a);
}

struct Way {
  const char* name;
  void (*run)(Scene&);
};

const Way kWays[] = {
    {"fork-and-join", [](Scene& s) { fork_and_join(s, 2); }},
    {"no-join-of-one", [](Scene& s) { fork_and_join(s, 1); }},
    {"turns", [](Scene& s) { turns(s, true); }},
    {"no-event-back", [](Scene& s) { turns(s, false); }},
    {"halves", [](Scene& s) { halves(s, 0); }},
    {"no-border", [](Scene& s) { halves(s, 1); }},
    {"copy-after-an-event", [](Scene& s) { copied(s, kSize, true); }},
    {"copy-of-the-rest", [](Scene& s) { copied(s, kSize / 2, false); }},
    {"no-event-before-the-copy", [](Scene& s) { copied(s, kSize, false); }},
    {"copy-after-a-wait", [](Scene& s) { copied_by_the_default_stream(s, true); }},
    {"no-copy-by-the-default-stream", [](Scene& s) { copied_by_the_default_stream(s, false); }},
    {"fill-before-the-kernel", [](Scene& s) { filled(s, true); }},
    {"no-event-before-the-kernel", [](Scene& s) { filled(s, false); }},
    {"fill-after-an-event", [](Scene& s) { filled_afterwards(s, true); }},
    {"no-wait-for-the-fill", [](Scene& s) { filled_afterwards(s, false); }},
    {"columns", [](Scene& s) { columns(s, 25); }},
    {"no-column-to-itself", [](Scene& s) { columns(s, 24); }},
    {"flag-by-copy", [](Scene& s) { flag_by_copy(s, true); }},
    {"no-scope-of-the-flag", [](Scene& s) { flag_by_copy(s, false); }},
    {"both-read", both_read},
    {"both-count", both_count},
    {"both-store-the-same", both_store_the_same},
    {"pool-again", pool_again},
    {"pool-handed-on", [](Scene& s) { pool_handed_on(s, true); }},
    {"no-event-with-the-pool", [](Scene& s) { pool_handed_on(s, false); }},
    {"flag", [](Scene& s) { flag(s, true); }},
    {"no-fence-at-the-flag", [](Scene& s) { flag(s, false); }},
    {"flag-of-the-past", flag_of_the_past},
    {"word-of-the-host", word_of_the_host},
    {"per-thread-and-legacy", per_thread_and_legacy},
    {"stream-destroyed", [](Scene& s) { stream_destroyed(s, cudaStreamDefault); }},
    {"no-wait-for-a-destroyed-stream",
     [](Scene& s) { stream_destroyed(s, cudaStreamNonBlocking); }},
    {"threads-that-wait", [](Scene& s) { threads_that_wait(s, true); }},
    {"no-wait-of-the-thread", [](Scene& s) { threads_that_wait(s, false); }},
    {"no-event-and-both-write", no_event_and_both_write},
    {"no-event-and-the-reader-first", no_event_and_the_reader_first},
    {"no-wait-so-early", no_wait_so_early},
    {"event-recorded-again", event_recorded_again},
    {"no-event-so-late", no_event_so_late},
    {"no-record-before-the-wait", no_record_before_the_wait},
    {"no-atomic-read", no_atomic_read},
};

// ---- A kernel writes, and another one reads: what the host does between the two launches ----

std::atomic<bool> called;

const auto kDefault = &Scene::legacy, k1 = &Scene::s1, k2 = &Scene::s2;

struct Pair {
  const char* name;
  cudaStream_t Scene::*writer;
  void (*between)(Scene&);
  cudaStream_t Scene::*reader;
  unsigned flags = cudaStreamNonBlocking;  // of the streams
};

void nothing(Scene&) {}

const Pair kPairs[] = {
    {"one-stream", k1, nothing, k1},
    {"default-stream", kDefault, nothing, kDefault},
    {"event", k1, [](Scene& s) { s.event(s.s1, s.s2); }, k2},
    {"event-of-the-past", k1,
     [](Scene& s) {
       OK(cudaEventRecord(s.e1, s.s1));
       s.outlast();
       OK(cudaStreamWaitEvent(s.s2, s.e1, 0));
     },
     k2},
    {"event-for-the-default-stream", k1, [](Scene& s) { s.event(s.s1, nullptr); }, kDefault},
    {"two-events-in-a-row", k1,
     [](Scene& s) {
       s.event(s.s1, s.s3);
       OK(cudaEventRecord(s.e2, s.s3));
       OK(cudaStreamWaitEvent(s.s2, s.e2, 0));
     },
     k2},
    {"stream-synchronized", k1, [](Scene& s) { OK(cudaStreamSynchronize(s.s1)); }, k2},
    {"device-synchronized", k1, [](Scene&) { OK(cudaDeviceSynchronize()); }, k2},
    {"event-synchronized", k1,
     [](Scene& s) {
       OK(cudaEventRecord(s.e1, s.s1));
       OK(cudaEventSynchronize(s.e1));
     },
     k2},
    {"event-queried", k1,
     [](Scene& s) {
       OK(cudaEventRecord(s.e1, s.s1));
       while (cudaEventQuery(s.e1) == cudaErrorNotReady) {
       }
     },
     k2},
    {"stream-queried", k1,
     [](Scene& s) {
       while (cudaStreamQuery(s.s1) == cudaErrorNotReady) {
       }
     },
     k2},
    {"default-stream-between", k1, [](Scene&) { wait_for<<<1, 1>>>(0); }, k2, cudaStreamDefault},
    {"host-function", k1,
     [](Scene& s) {
       called = false;
       OK(cudaLaunchHostFunc(
           s.s1, [](void*) { called = true; }, nullptr));
       while (!called) cudaStreamQuery(s.s1);
     },
     k2},
    {"callback", k1,
     [](Scene& s) {
       called = false;
       OK(cudaStreamAddCallback(
           s.s1, [](cudaStream_t, cudaError_t, void*) { called = true; }, nullptr, 0));
       OK(cudaEventRecord(s.e2, s.s2));
       while (!called) cudaStreamQuery(s.s1);
     },
     k2},
    {"freed-between", k1,
     [](Scene& s) {
       OK(cudaFree(s.spare));
       s.spare = nullptr;
     },
     k2},
    {"allocated-between", k1,
     [](Scene& s) {
       int* other = nullptr;
       OK(cudaMalloc(&other, 64));
       // The document says: not at the same time; clcsim runs them so.
       wait_for<<<1, 1, 0, s.s2>>>(200'000);
     },
     k2},
    {"copied-between", k1,
     [](Scene& s) {
       OK(cudaMemcpyAsync(s.values, s.a, sizeof s.values, cudaMemcpyDeviceToHost, s.s1));
     },
     k2},
    {"copied-by-the-default-stream", k1,
     [](Scene& s) { OK(cudaMemcpy(s.values, s.a, sizeof s.values, cudaMemcpyDeviceToHost)); }, k2,
     cudaStreamDefault},
    {"no-event", k1, nothing, k2},
    {"no-overlap-in-this-run", k1, [](Scene& s) { s.outlast(); }, k2},
    {"no-event-of-that-stream", k1, [](Scene& s) { s.event(s.s3, s.s2); }, k2},
    {"no-wait-in-that-stream", k1, [](Scene& s) { s.event(s.s1, s.s3); }, k2},
    {"no-synchronisation-of-that-stream", k1, [](Scene& s) { OK(cudaStreamSynchronize(s.s3)); },
     k2},
    {"no-order-with-the-default-stream", kDefault, nothing, k1},
    {"no-wait-by-the-default-stream", k1, nothing, kDefault},
    {"no-order-of-blocking-streams", k1, nothing, k2, cudaStreamDefault},
    {"no-wait-for-the-function", k1,
     [](Scene& s) {
       OK(cudaLaunchHostFunc(
           s.s1, [](void*) {}, nullptr));
     },
     k2},
};

}  // namespace

int main(int argc, char** argv) {
  int ran = 0;
  const auto wanted = [&](const char* name) {
    const bool right = std::strncmp(name, "no-", 3) != 0;
    for (int i = 1; i < argc; ++i) {
      if (std::strcmp(argv[i], name) == 0 || (right && std::strcmp(argv[i], "right") == 0)) {
        return true;
      }
    }
    return false;
  };
  const auto run = [&](const char* name, unsigned flags, const auto& way) {
    if (!wanted(name)) return;
    Scene scene(flags);
    way(scene);
    OK(cudaDeviceSynchronize());
    if (std::strncmp(name, "no-", 3) == 0) failures() = 0;  // the result of a race may be anything
    ++ran;
  };
  for (const Way& way : kWays) run(way.name, cudaStreamNonBlocking, way.run);
  for (const Pair& pair : kPairs) {
    run(pair.name, pair.flags, [&](Scene& s) {
      s.write(s.*pair.writer);
      pair.between(s);
      s.read(s.*pair.reader);
      EXPECT(s.at(s.b, 150) == 251);
    });
  }
  std::printf("%d ways\n", ran);
  return failures() != 0 || ran == 0;
}
