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

__global__ void linger(long long nanoseconds) {
  long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < nanoseconds);
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

// Two arrays, three streams, two events.
struct Scene {
  explicit Scene(unsigned flags = cudaStreamNonBlocking) {
    for (int** array : {&a, &b}) OK(cudaMalloc(array, kSize * sizeof(int)));
    for (cudaStream_t* stream : {&s1, &s2, &s3}) OK(cudaStreamCreateWithFlags(stream, flags));
    for (cudaEvent_t* event : {&e1, &e2}) OK(cudaEventCreate(event));
    OK(cudaMemset(a, 0, kSize * sizeof(int)));
    OK(cudaMemset(b, 0, kSize * sizeof(int)));
    OK(cudaDeviceSynchronize());
  }
  ~Scene() {
    for (int* array : {a, b}) OK(cudaFree(array));
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
  void done() { EXPECT(at(b, 150) == 251); }

  int *a = nullptr, *b = nullptr;
  cudaStream_t s1 = nullptr, s2 = nullptr, s3 = nullptr;
  cudaEvent_t e1 = nullptr, e2 = nullptr;
};

// ---- right ----

void one_stream(Scene& s) {
  s.write(s.s1);
  s.read(s.s1);
  s.done();
}

void default_stream(Scene& s) {
  s.write(nullptr);
  s.read(nullptr);
  s.done();
}

void event(Scene& s) {
  s.write(s.s1);
  OK(cudaEventRecord(s.e1, s.s1));
  OK(cudaStreamWaitEvent(s.s2, s.e1, 0));
  s.read(s.s2);
  s.done();
}

void event_of_the_past(Scene& s) {
  s.write(s.s1);
  OK(cudaEventRecord(s.e1, s.s1));
  linger<<<1, 1, 0, s.s3>>>(200'000);
  OK(cudaStreamSynchronize(s.s3));
  OK(cudaStreamWaitEvent(s.s2, s.e1, 0));
  s.read(s.s2);
  s.done();
}

void event_recorded_again(Scene& s) {
  OK(cudaEventRecord(s.e1, s.s1));
  s.write(s.s1);
  OK(cudaEventRecord(s.e1, s.s1));
  OK(cudaStreamWaitEvent(s.s2, s.e1, 0));
  s.read(s.s2);
  s.done();
}

void event_for_the_default_stream(Scene& s) {
  s.write(s.s1);
  OK(cudaEventRecord(s.e1, s.s1));
  OK(cudaStreamWaitEvent(nullptr, s.e1, 0));
  s.read(nullptr);
  s.done();
}

void two_events_in_a_row(Scene& s) {
  s.write(s.s1);
  OK(cudaEventRecord(s.e1, s.s1));
  OK(cudaStreamWaitEvent(s.s3, s.e1, 0));
  OK(cudaEventRecord(s.e2, s.s3));
  OK(cudaStreamWaitEvent(s.s2, s.e2, 0));
  s.read(s.s2);
  s.done();
}

void stream_synchronized(Scene& s) {
  s.write(s.s1);
  OK(cudaStreamSynchronize(s.s1));
  s.read(s.s2);
  s.done();
}

void device_synchronized(Scene& s) {
  s.write(s.s1);
  OK(cudaDeviceSynchronize());
  s.read(s.s2);
  s.done();
}

void event_synchronized(Scene& s) {
  s.write(s.s1);
  OK(cudaEventRecord(s.e1, s.s1));
  OK(cudaEventSynchronize(s.e1));
  s.read(s.s2);
  s.done();
}

void event_queried(Scene& s) {
  s.write(s.s1);
  OK(cudaEventRecord(s.e1, s.s1));
  while (cudaEventQuery(s.e1) == cudaErrorNotReady) {
  }
  s.read(s.s2);
  s.done();
}

void stream_queried(Scene& s) {
  s.write(s.s1);
  while (cudaStreamQuery(s.s1) == cudaErrorNotReady) {
  }
  s.read(s.s2);
  s.done();
}

void default_stream_between(Scene&) {
  Scene s(cudaStreamDefault);
  s.write(s.s1);
  linger<<<1, 1>>>(0);
  s.read(s.s2);
  s.done();
}

void per_thread_and_legacy(Scene& s) {
  s.write(cudaStreamPerThread);
  s.read(cudaStreamLegacy);
  s.write(cudaStreamPerThread, 900);
  s.done();
}

void host_function(Scene& s) {
  static std::atomic<bool> called;
  called = false;
  s.write(s.s1);
  OK(cudaLaunchHostFunc(
      s.s1, [](void*) { called = true; }, nullptr));
  while (!called) cudaStreamQuery(s.s1);
  s.read(s.s2);
  s.done();
}

void callback(Scene& s) {
  static std::atomic<bool> called;
  called = false;
  s.write(s.s1);
  OK(cudaStreamAddCallback(
      s.s1, [](cudaStream_t, cudaError_t, void*) { called = true; }, nullptr, 0));
  OK(cudaEventRecord(s.e2, s.s2));
  while (!called) cudaStreamQuery(s.s1);
  s.read(s.s2);
  s.done();
}

void fork_and_join(Scene& s, int joined = 2) {
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
void turns(Scene& s, bool both_ways = true) {
  for (int round = 0; round < 6; ++round) {
    if (both_ways && round != 0) OK(cudaStreamWaitEvent(s.s1, s.e2, 0));
    s.write(s.s1, 100 * round);
    OK(cudaEventRecord(s.e1, s.s1));
    OK(cudaStreamWaitEvent(s.s2, s.e1, 0));
    s.read(s.s2);
    OK(cudaEventRecord(s.e2, s.s2));
  }
  EXPECT(s.at(s.b, 150) == 651);
}

void halves(Scene& s, int overlap = 0) {
  fill<<<kBlocks, kBlock, 0, s.s1>>>(s.a, 100, 0, kSize / 2 + overlap);
  fill<<<kBlocks, kBlock, 0, s.s2>>>(s.a, 200, kSize / 2, kSize);
  EXPECT(s.at(s.a, 150) == 350);
}

void both_read(Scene& s) {
  s.write(s.s1);
  OK(cudaStreamSynchronize(s.s1));
  add<<<kBlocks, kBlock, 0, s.s2>>>(s.b, s.a, 0, 100);
  add<<<kBlocks, kBlock, 0, s.s3>>>(s.b, s.a, 100);
  s.done();
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
  OK(cudaDeviceSynchronize());
}

void pool_handed_on(Scene& s, bool waits = true) {
  int* memory = nullptr;
  OK(cudaMallocAsync(&memory, kSize * sizeof(int), s.s1));
  fill<<<kBlocks, kBlock, 0, s.s1>>>(memory, 100);
  OK(cudaEventRecord(s.e1, s.s1));
  if (waits) OK(cudaStreamWaitEvent(s.s2, s.e1, 0));
  add<<<kBlocks, kBlock, 0, s.s2>>>(s.b, memory);
  OK(cudaEventRecord(s.e2, s.s2));
  OK(cudaStreamWaitEvent(s.s1, s.e2, 0));
  OK(cudaFreeAsync(memory, s.s1));
  OK(cudaDeviceSynchronize());
}

void flag(Scene& s, bool fence = true) {
  hear<<<1, 1, 0, s.s1>>>(s.b, s.a, s.a + 1, fence);
  tell<<<1, 1, 0, s.s2>>>(s.a, s.a + 1);
  EXPECT(s.at(s.b, 0) == 7);
}

void flag_of_the_past(Scene& s) {
  tell<<<1, 1, 0, s.s2>>>(s.a, s.a + 1);
  linger<<<1, 1, 0, s.s3>>>(200'000);
  OK(cudaStreamSynchronize(s.s3));
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

void freed_between(Scene& s) {
  int* other = nullptr;
  OK(cudaMalloc(&other, 64));
  s.write(s.s1);
  OK(cudaFree(other));
  s.read(s.s2);
  s.done();
}

void allocated_between(Scene& s) {
  int* other = nullptr;
  s.write(s.s1);
  OK(cudaMalloc(&other, 64));
  linger<<<1, 1, 0, s.s2>>>(
      200'000);  // the document says: not at the same time; clcsim runs them so
  s.read(s.s2);
  OK(cudaFree(other));
}

void copied_between(Scene& s) {
  int values[kSize];
  s.write(s.s1);
  OK(cudaMemcpyAsync(values, s.a, sizeof values, cudaMemcpyDeviceToHost, s.s1));
  s.read(s.s2);
  s.done();
}

void copied_by_the_default_stream(Scene&) {
  Scene s(cudaStreamDefault);
  int values[kSize];
  s.write(s.s1);
  OK(cudaMemcpy(values, s.a, sizeof values, cudaMemcpyDeviceToHost));
  s.read(s.s2);
  s.done();
}

void stream_destroyed(Scene& s) {
  cudaStream_t stream = nullptr;
  OK(cudaStreamCreate(&stream));
  s.write(stream);
  OK(cudaStreamDestroy(stream));
  s.read(nullptr);
  s.done();
}

void threads_that_wait(Scene& s, bool waits = true) {
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
  OK(cudaDeviceSynchronize());
}

void priorities(Scene& s) {
  cudaStream_t urgent = nullptr;
  OK(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, -5));
  s.write(s.s1);
  fill<<<kBlocks, kBlock, 0, urgent>>>(s.b, 1);
  OK(cudaEventRecord(s.e1, s.s1));
  OK(cudaStreamWaitEvent(urgent, s.e1, 0));
  s.read(urgent);
  s.done();
  OK(cudaStreamDestroy(urgent));
}

// ---- races ----

void no_event(Scene& s) {
  s.write(s.s1);
  s.read(s.s2);
}

void no_event_and_both_write(Scene& s) {
  s.write(s.s1);
  s.write(s.s2, 500);
}

void no_event_and_the_reader_first(Scene& s) {
  s.read(s.s1);
  s.write(s.s2);
}

void no_overlap_in_this_run(Scene& s) {
  s.write(s.s1);
  linger<<<1, 1, 0, s.s3>>>(200'000);
  OK(cudaStreamSynchronize(s.s3));
  s.read(s.s2);
}

void no_event_so_late(Scene& s) {
  OK(cudaEventRecord(s.e1, s.s1));
  s.write(s.s1);
  OK(cudaStreamWaitEvent(s.s2, s.e1, 0));
  s.read(s.s2);
}

void no_event_of_that_stream(Scene& s) {
  s.write(s.s1);
  OK(cudaEventRecord(s.e1, s.s3));
  OK(cudaStreamWaitEvent(s.s2, s.e1, 0));
  s.read(s.s2);
}

void no_wait_in_that_stream(Scene& s) {
  s.write(s.s1);
  OK(cudaEventRecord(s.e1, s.s1));
  OK(cudaStreamWaitEvent(s.s3, s.e1, 0));
  s.read(s.s2);
}

void no_wait_so_early(Scene& s) {
  s.write(s.s1);
  OK(cudaEventRecord(s.e1, s.s1));
  s.read(s.s2);
  OK(cudaStreamWaitEvent(s.s2, s.e1, 0));
}

void no_record_before_the_wait(Scene& s) {
  OK(cudaStreamWaitEvent(s.s2, s.e1, 0));
  s.write(s.s1);
  OK(cudaEventRecord(s.e1, s.s1));
  s.read(s.s2);
}

void no_synchronisation_of_that_stream(Scene& s) {
  s.write(s.s1);
  OK(cudaStreamSynchronize(s.s3));
  s.read(s.s2);
}

void no_order_with_the_default_stream(Scene& s) {
  s.write(nullptr);
  s.read(s.s1);
}

void no_wait_by_the_default_stream(Scene& s) {
  s.write(s.s1);
  s.read(nullptr);
}

void no_wait_for_a_destroyed_stream(Scene& s) {
  cudaStream_t stream = nullptr;
  OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  s.write(stream);
  OK(cudaStreamDestroy(stream));
  s.read(nullptr);
}

void no_order_of_blocking_streams(Scene&) {
  Scene s(cudaStreamDefault);
  s.write(s.s1);
  s.read(s.s2);
  OK(cudaDeviceSynchronize());
}

void no_atomic_read(Scene& s) {
  count<<<1, 32, 0, s.s1>>>(s.a);
  read_counter<<<1, 1, 0, s.s2>>>(s.b, s.a);
}

void no_join_of_one(Scene& s) {
  fork_and_join(s, 1);
}
void no_event_back(Scene& s) {
  turns(s, false);
}
void no_border(Scene& s) {
  halves(s, 1);
}
void no_event_with_the_pool(Scene& s) {
  pool_handed_on(s, false);
}
void no_fence_at_the_flag(Scene& s) {
  flag(s, false);
}
void no_wait_of_the_thread(Scene& s) {
  threads_that_wait(s, false);
}

void no_wait_for_the_function(Scene& s) {
  s.write(s.s1);
  OK(cudaLaunchHostFunc(
      s.s1, [](void*) {}, nullptr));
  s.read(s.s2);
}

struct Way {
  const char* name;
  void (*run)(Scene&);
};

const Way kWays[] = {
    {"one-stream", one_stream},
    {"default-stream", default_stream},
    {"event", event},
    {"event-of-the-past", event_of_the_past},
    {"event-recorded-again", event_recorded_again},
    {"event-for-the-default-stream", event_for_the_default_stream},
    {"two-events-in-a-row", two_events_in_a_row},
    {"stream-synchronized", stream_synchronized},
    {"device-synchronized", device_synchronized},
    {"event-synchronized", event_synchronized},
    {"event-queried", event_queried},
    {"stream-queried", stream_queried},
    {"default-stream-between", default_stream_between},
    {"per-thread-and-legacy", per_thread_and_legacy},
    {"host-function", host_function},
    {"callback", callback},
    {"fork-and-join", [](Scene& s) { fork_and_join(s); }},
    {"turns", [](Scene& s) { turns(s); }},
    {"halves", [](Scene& s) { halves(s); }},
    {"both-read", both_read},
    {"both-count", both_count},
    {"both-store-the-same", both_store_the_same},
    {"pool-again", pool_again},
    {"pool-handed-on", [](Scene& s) { pool_handed_on(s); }},
    {"flag", [](Scene& s) { flag(s); }},
    {"flag-of-the-past", flag_of_the_past},
    {"word-of-the-host", word_of_the_host},
    {"freed-between", freed_between},
    {"allocated-between", allocated_between},
    {"copied-between", copied_between},
    {"copied-by-the-default-stream", copied_by_the_default_stream},
    {"stream-destroyed", stream_destroyed},
    {"threads-that-wait", [](Scene& s) { threads_that_wait(s); }},
    {"priorities", priorities},
    {"no-event", no_event},
    {"no-event-and-both-write", no_event_and_both_write},
    {"no-event-and-the-reader-first", no_event_and_the_reader_first},
    {"no-overlap-in-this-run", no_overlap_in_this_run},
    {"no-event-so-late", no_event_so_late},
    {"no-event-of-that-stream", no_event_of_that_stream},
    {"no-wait-in-that-stream", no_wait_in_that_stream},
    {"no-wait-so-early", no_wait_so_early},
    {"no-record-before-the-wait", no_record_before_the_wait},
    {"no-synchronisation-of-that-stream", no_synchronisation_of_that_stream},
    {"no-order-with-the-default-stream", no_order_with_the_default_stream},
    {"no-wait-by-the-default-stream", no_wait_by_the_default_stream},
    {"no-wait-for-a-destroyed-stream", no_wait_for_a_destroyed_stream},
    {"no-order-of-blocking-streams", no_order_of_blocking_streams},
    {"no-atomic-read", no_atomic_read},
    {"no-join-of-one", no_join_of_one},
    {"no-event-back", no_event_back},
    {"no-border", no_border},
    {"no-event-with-the-pool", no_event_with_the_pool},
    {"no-fence-at-the-flag", no_fence_at_the_flag},
    {"no-wait-of-the-thread", no_wait_of_the_thread},
    {"no-wait-for-the-function", no_wait_for_the_function},
};

}  // namespace

int main(int argc, char** argv) {
  int ran = 0;
  for (const Way& way : kWays) {
    const bool right = std::strncmp(way.name, "no-", 3) != 0;
    bool wanted = false;
    for (int i = 1; i < argc; ++i) {
      wanted |= std::strcmp(argv[i], "right") == 0 ? right : std::strcmp(argv[i], way.name) == 0;
    }
    if (!wanted) continue;
    Scene scene;
    way.run(scene);
    OK(cudaDeviceSynchronize());
    if (!right) failures() = 0;  // the result of a race may be anything
    ++ran;
  }
  std::printf("%d ways\n", ran);
  return failures() != 0 || ran == 0;
}
