// Hosts that do more than call and wait: threads, functions in streams, children, other ends. The
// argument says which of them.
#include <dlfcn.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "check.h"

namespace {

__global__ void fill(int* values, int n, int value) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) values[i] = value;
}
__global__ void store(int* where, int index) {
  where[index] = 1;
}
// Ends when somebody has stored `value` or more; answers by storing 1 more.
__global__ void answer(volatile int* flag, int value) {
  while (*flag < value) {
  }
  *flag = value + 1;
}
__global__ void count(unsigned long long* counter) {
  for (;;) atomicAdd(counter, 1);
}

using Flag = std::atomic<int>;

Flag* make_flag() {
  void* memory = nullptr;
  OK(cudaMallocManaged(&memory, sizeof(Flag)));
  return new (memory) Flag(0);
}
int* number(Flag* flag) {
  return reinterpret_cast<int*>(flag);
}

void sleep_ms(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

void set_flag(void* flag) {
  static_cast<std::atomic<bool>*>(flag)->store(true);
}

// A kernel polls what another thread of the host stores, again and again.
void another_thread_stores() {
  Flag* const flag = make_flag();
  std::thread other([&] {
    for (int round = 0; round < 5; ++round) {
      while (flag->load() != 2 * round) std::this_thread::yield();
      sleep_ms(20);
      flag->store(2 * round + 1);
    }
  });
  for (int round = 0; round < 5; ++round) {
    answer<<<1, 1>>>(number(flag), 2 * round + 1);
    OK(cudaDeviceSynchronize());
  }
  other.join();
  EXPECT(flag->load() == 10);
}

// Nobody is left who could store: the main thread waits for the end of the one that waits.
void all_threads_wait() {
  Flag* const flag = make_flag();
  cudaError_t error = cudaSuccess;
  std::thread([&] {
    answer<<<1, 1>>>(number(flag), 1);
    error = cudaDeviceSynchronize();
  }).join();
  EXPECT(error == cudaErrorLaunchTimeout);
}

// The kernel polls, and the host waits for its answer without a call.
void no_call() {
  Flag* const flag = make_flag();
  for (int round = 0; round < 3; ++round) {
    answer<<<1, 1>>>(number(flag), 2 * round);
    while (flag->load() != 2 * round + 1) std::this_thread::yield();
    flag->store(2 * round + 2);
  }
  answer<<<1, 1>>>(number(flag), 7);  // only the store behind lets it end
  sleep_ms(50);
  flag->store(7);
  while (flag->load() != 8) std::this_thread::yield();
  OK(cudaDeviceSynchronize());
}

// A function in a stream waits for a thread that calls the runtime.
void function_waits_for_a_thread() {
  static std::atomic<bool> called{false}, allocated{false};
  const auto wait = [](void*) {
    called = true;
    while (!allocated) sleep_ms(1);
  };
  int* before = nullptr;
  OK(cudaMalloc(&before, 64));
  std::thread other([] {
    while (!called) sleep_ms(1);
    int* memory = nullptr;
    OK(cudaMalloc(&memory, 64));
    fill<<<1, 32>>>(memory, 16, 7);
    OK(cudaGetLastError());
    allocated = true;
  });
  OK(cudaLaunchHostFunc(nullptr, wait, nullptr));
  OK(cudaDeviceSynchronize());
  EXPECT(allocated);
  other.join();
  OK(cudaDeviceSynchronize());
}

// A function in a stream waits for the thread that launched it, which asks and doesn't wait.
void function_waits_for_its_launcher() {
  static std::atomic<bool> told{false};
  OK(cudaLaunchHostFunc(
      nullptr,
      [](void*) {
        while (!told) sleep_ms(1);
      },
      nullptr));
  int asked = 0;
  while (cudaStreamQuery(nullptr) == cudaErrorNotReady) {
    if (++asked == 100) told = true;
  }
  OK(cudaStreamQuery(nullptr));
  EXPECT(told);
}

// A function in a stream allocates on the host, and is waited for without a call.
void function_without_a_call() {
  for (int round = 0; round < 20; ++round) {
    std::atomic<bool> done{false};
    fill<<<1, 32>>>(number(make_flag()), 1, 5);
    OK(cudaLaunchHostFunc(nullptr, set_flag, &done));
    while (!done) std::this_thread::yield();
  }
  std::vector<int> seen;
  OK(cudaStreamAddCallback(
      nullptr,
      [](cudaStream_t, cudaError_t error, void* data) {
        OK(error);
        void* memory = nullptr;
        EXPECT(cudaMalloc(&memory, 4) == cudaErrorNotPermitted);
        static_cast<std::vector<int>*>(data)->assign(1000, 3);
      },
      &seen, 0));
  OK(cudaDeviceSynchronize());
  EXPECT(seen.size() == 1000);
}

// A child of a process that has used the GPU can't use it, and ends with its own status.
void child(int status_of_child) {
  int* memory = nullptr;
  OK(cudaMalloc(&memory, 64));
  store<<<1, 1>>>(memory, 3);
  OK(cudaDeviceSynchronize());
  std::fflush(stdout);
  const pid_t process = fork();
  if (process == 0) {
    const bool refused = cudaMalloc(&memory, 64) == cudaErrorInitializationError;
    std::exit(refused ? status_of_child : 99);
  }
  int status = 0;
  waitpid(process, &status, 0);
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == status_of_child);
}

// The child of one that has not may use it.
void first_the_child() {
  const pid_t process = fork();
  if (process == 0) {
    int* memory = nullptr;
    OK(cudaMalloc(&memory, 64));
    store<<<1, 1>>>(memory, 3);
    OK(cudaDeviceSynchronize());
    std::exit(failures() == 0 ? 5 : 99);
  }
  int status = 0;
  waitpid(process, &status, 0);
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 5);
}

void many_allocations() {
  for (int i = 0; i < 100'000; ++i) {
    void* memory = nullptr;
    OK(cudaMalloc(&memory, 256));
    OK(cudaFree(memory));
  }
  std::FILE* const status = std::fopen("/proc/self/statm", "r");
  long size = 0, resident = 0;
  EXPECT(std::fscanf(status, "%ld %ld", &size, &resident) == 2);
  std::fclose(status);
  std::fprintf(stdout, "%ld\n", resident * sysconf(_SC_PAGESIZE) / (1 << 20));
  EXPECT(resident * sysconf(_SC_PAGESIZE) < 40 << 20);
}

__device__ int registered = 3;

void reset() {
  std::size_t first = 0, then = 0;
  OK(cudaDeviceGetLimit(&first, cudaLimitMallocHeapSize));
  OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 2 * first));
  void* address = nullptr;
  OK(cudaGetSymbolAddress(&address, registered));
  OK(cudaDeviceReset());
  OK(cudaDeviceGetLimit(&then, cudaLimitMallocHeapSize));
  EXPECT(then == first);
  EXPECT(cudaMemset(address, 0, 4) == cudaErrorInvalidValue);
}

void out_of_bounds() {
  int* memory = nullptr;
  OK(cudaMalloc(&memory, 64));
  store<<<1, 1>>>(memory, 16);
  cudaDeviceSynchronize();
}

void endless(int blocks) {
  unsigned long long* counter = nullptr;
  OK(cudaMalloc(&counter, sizeof *counter));
  OK(cudaMemset(counter, 0, sizeof *counter));
  std::printf("started\n");
  count<<<blocks, 64>>>(counter);
  cudaDeviceSynchronize();
}

__global__ void much_local_memory(int* out, int index) {
  char local[1 << 30];
  local[index] = 3;
  for (int i = 0; i < (1 << 30); i += 4096) local[i] += static_cast<char>(index);
  *out = local[index / 2];
}

void local_memory() {
  int* memory = nullptr;
  OK(cudaMalloc(&memory, 64));
  much_local_memory<<<1, 32>>>(memory, 77);
  cudaDeviceSynchronize();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string way = argc > 1 ? argv[1] : "";
  const int argument = argc > 2 ? std::atoi(argv[2]) : 0;
  if (way == "another-thread-stores") another_thread_stores();
  if (way == "all-threads-wait") all_threads_wait();
  if (way == "no-call") no_call();
  if (way == "function-waits-for-a-thread") function_waits_for_a_thread();
  if (way == "function-waits-for-its-launcher") function_waits_for_its_launcher();
  if (way == "function-without-a-call") function_without_a_call();
  if (way == "child") child(argument);
  if (way == "first-the-child") first_the_child();
  if (way == "many-allocations") many_allocations();
  if (way == "reset") reset();
  if (way == "endless") endless(argument);
  if (way == "local-memory") local_memory();
  if (way == "input") {
    char line[80] = "";
    while (std::fgets(line, sizeof line, stdin) != nullptr) std::printf("[%s]", line);
    return std::getenv("CLCSIM_SEED")[0] == '2' ? 9 : 0;
  }
  if (way == "first-thread-ends") {
    out_of_bounds();
    std::thread([] {
      sleep_ms(200);
      std::printf("the other thread\n");
    }).detach();
    pthread_exit(nullptr);
  }
  if (way == "child-finds" && fork() != 0) {  // the child finds, the parent is right
    wait(nullptr);
    store<<<1, 1>>>(number(make_flag()), 0);
    OK(cudaDeviceSynchronize());
    return 0;
  }
  if (way == "child-finds" || way == "raw-exit" || way == "chdir" || way == "asleep" ||
      way == "becomes") {
    if (way == "chdir" && chdir("/") != 0) return 1;
    store<<<1, 1>>>(number(make_flag()), 1 << 20);
    cudaDeviceSynchronize();
    if (way == "raw-exit") syscall(SYS_exit_group, 0);
    if (way == "asleep") sleep(100);  // a signal ends it early
    if (way == "becomes") execvp(argv[2], argv + 2);
    return 0;
  }
  if (way == "driver") {
    void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
    std::printf("%d\n", reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"))(0));
  }
  if (way == "library") {
    void* const library = dlopen(argv[2], RTLD_NOW);
    void* handle = nullptr;
    std::printf("%d\n", reinterpret_cast<int (*)(void*)>(dlsym(library, argv[3]))(&handle));
  }
  if (way == "_exit" || way == "quick_exit") {
    out_of_bounds();
    if (way == "_exit") _exit(argument);
    std::at_quick_exit([] { std::fprintf(stderr, "the program's own handler\n"); });
    std::quick_exit(argument);
  }
  return failures() != 0;
}
