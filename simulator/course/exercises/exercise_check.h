// What the checks of the exercises are made of (NN_*/exercises/*/check.h).
//
// A check runs twice. In the student's program it *performs*: it calls the student's code, and the
// simulated GPU keeps an account of what happens (clcsim/cudart/account.h). In the program that
// gives the verdict, which has none of the student's code in it, the same check *judges* what the
// account holds: it prints yours beside what is expected. So each step of a check does one thing
// here and another there, and whatever a check wants to know of the student's code stands in one of
// the macros below.
#pragma once

#include "../../clcsim/cudart/work.h"
#include "exercise.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

namespace clc {

// ---- both ----

// A number from low to high that depends on clcsim's seed: no constant fits all seeds.
int draw(int low, int high);

// clcsim's seed: for what all seeds together are to cover. An exercise is tried under 0, 1, 2 ...
int seed();

// Numbers of tiles to try on a GPU that holds so many blocks: fewer than that, a multiple, and more
// than four times as many, odd; and more than a byte counts.
std::vector<int> tile_counts(int resident);

// More than a byte counts; and sometimes more than a block can have threads.
int many_tiles();

// So many tiles; `last` elements in the last one. 0: drawn, and sometimes all.
Problem make_tiles(int tiles, int tile, int last = 0, int prologue = 256);

// As the GPU says.
using clcsim::cudart::BlockWork;
using clcsim::cudart::Element;
using clcsim::cudart::kNobody;

struct Launched : clcsim::cudart::LaunchWork {
  std::vector<unsigned> runner;  // by block of the grid: who has done its work, itself or its thief
  std::vector<unsigned> drawer;  // blocks, in the order in which they drew from the queue
  std::vector<BlockWork> work;   // of those that started
};

// What the student's kernel has counted, and what has run. A real GPU keeps no account: then
// `known` is false, and there are neither launches nor stores.
struct Counted {
  long long started = 0, prologues = 0, steals = 0;
  bool known = false;
  Problem problem = {};
  std::vector<Launched> launches;
  long long copied = 0;  // bytes, by the host to the GPU
  std::vector<Element> y;

  // The launch of most blocks: another one may have set something back.
  const Launched& main() const;
};

using Launch = void (*)(const Problem& problem, float* y, unsigned long long* counters);

// Runs `launch` on a fresh y = x. Where a tile was not done exactly once by a kernel, the first is
// shown, and the check is over.
Counted each_tile_once(const Problem& problem, Launch launch);

// The same in steps: what is watched between watch() and watched(), and run meanwhile, is in what
// watched() gives.
void watch(float* y, long long elements, unsigned long long* counters);
Counted watched();

// Of these bytes of the GPU's memory, too, it is known which block uses them, until watched().
void watch_aside(const void* memory, std::size_t bytes);

// Blocks of a kernel that this GPU holds at a time, as told by the program.
int told_resident(const char* kernel);

// ---- judging ----

void print(const char* format, ...) __attribute__((format(printf, 1, 2)));

// A line of a table: yours beside what is expected.
void compare(const char* what, long long yours, long long expected);
void compare_claim(const char* what, bool yours, bool expected);

// The same for a prediction: a wrong one is marked, and the right one isn't shown.
void predicted(const char* what, long long yours, long long counted);
void predicted(const char* what, bool yours, bool right);
void predicted(const char* what, char yours, char right);

// Nothing is said if the exercise's launch has stayed as it must: so many threads in a block, and
// so many blocks in a cluster.
void threads_stay(const Counted& counted, int x, int y = 1);
void clusters_stay(const Counted& counted, int x, int y = 1);

// The same for the shared memory of a block: from `least` bytes to `most`.
void shared_memory_stays(const Counted& counted, int least, int most);

// All threads of a block share in each tile that is full: they multiply, and they store.
void threads_share(const Counted& counted);

// The threads work on their tile before they wait for the response.
void work_hides_requests(const Counted& counted);

// A warp asks while others work: mostly, a request is under way while a stolen tile is done.
void asked_ahead(const Counted& counted);

// So many blocks have started, and each was counted; and nothing else was launched.
void started(const Counted& counted, long long blocks, const char* what = "blocks started");

// The same, but another kernel may run, too.
void main_started(const Counted& counted, long long blocks);

// No block is idle while there are tiles enough, and none does more than its share.
void shared_evenly(const Counted& counted);

// Each tile was done by the block that it belongs to, in the grid's order. A stolen block's tile
// belongs to the thief; in a cluster, to the thief at the same place.
void done_by_their_blocks(const Counted& counted);

// Where a row of the grid has more blocks than a row of tiles: each tile was done by the cluster
// that its place belongs to, its own or the thief, and each block did one of a cluster's at most.
void done_in_columns(const Counted& counted, int columns);

// The prologue ran once in each block that started.
void prologues(const Counted& counted);

// Each tile was done by the block that drew its number, in the launch in which it was drawn.
void drew(const Counted& counted);

// Two launches alike: each tile was done by the same block in both.
void shared_out_beforehand(const Counted& once, const Counted& again);

// Each block drew a number, then each of them another one in the same order, and so on. Under seed
// 0 nothing disturbs the blocks, and they do so unasked: then false.
bool drawn_in_turns(const Counted& counted);

// Barriers of whole blocks, by all of them, or by each that started.
void barriers_at_least(const Counted& counted, long long all,
                       const char* what = "barriers, at least one for each tile");
void barriers_at_most(const Counted& counted, int each);

// Behind its last tile the whole block meets at a barrier.
void barriers_behind_tiles(const Counted& counted);

// Each block that started, or a block of each cluster, has asked until it was refused.
void asked_until_refused(const Counted& counted);

// Each response of a cluster was sent to each of its blocks, and each has read its own. (Whether it
// has waited for it, clcsim says.)
void each_gets_its_response(const Counted& counted);

// Most of the blocks that wait are cancelled, and few of them start.
void few_start(const Counted& counted);

// Each request of a block was under way together with another one of the block's.
void two_requests_stay(const Counted& counted);

// Each block has so few places for responses that they are used again and again.
void responses_are_reused(const Counted& counted);

// The warp that asks does no tile.
void askers_only_ask(const Counted& counted);

// The same, and so many warps have sent those.
void requesters_stay(const Counted& counted, unsigned warps);

// The blocks use no memory of the GPU but y and the counters: tiles are shared out beforehand, or
// told through shared memory.
void no_other_memory(const Counted& counted);

// A block that was refused waits for what the others of its cluster still have to say.
void clusters_meet_at_end(const Counted& counted);

// Each bulk copy to a block was under way together with others: so many in all. One from it, but
// for the first ones, began while others were under way: so many with it.
void loads_stay(const Counted& counted, unsigned loads);
void copies_out_stay(const Counted& counted, unsigned copies);

// So many bulk copies, by all blocks together.
void copies_stay(const Counted& counted, long long all);

// No thread reads y itself: the copies do.
void copies_read(const Counted& counted);

// No thread stores to y itself: the copies do.
void copies_store(const Counted& counted);

// The grid has so many blocks; all that were stolen were counted; and some were, if the GPU holds
// so few at a time that some must wait. Ends the check with 4 if none was.
void stole(const Counted& counted, long long blocks, int resident);

// Ends the check if nothing has run that should have.
void must_have_run(bool ran, const char* sentence);

// Ends the check here: with the sentence, and `what` failed.
void fail(ExitCode code, const char* what, const char* sentence);

// ---- performing ----

bool performing();
long long tell(long long value);  // to the account
long long told();                 // by it: the next value
std::vector<unsigned char> shown(const void* memory, std::size_t bytes);
void show_next(const char* variable);
void begin_run();                 // launches follow
std::vector<Launched> end_run();  // they have been waited for, and this is what has run

template <class T>
std::vector<T> gpu_memory(const void* memory, int count) {
  const std::vector<unsigned char> bytes = shown(memory, count * sizeof(T));
  const T* values = reinterpret_cast<const T*>(bytes.data());
  return std::vector<T>(values, values + count);
}

#ifdef __CUDACC__
// A value of the student's.
#define CLC_YOURS(...) \
  (clc::performing() ? clc::tell(static_cast<long long>(__VA_ARGS__)) : clc::told())
// A prediction: a constant, so that no program finds it.
#define CLC_PREDICTED(value)                                                           \
  (clc::performing() ? clc::tell(clc::Constant<static_cast<long long>(value)>::kValue) \
                     : clc::told())
// Done in the student's program alone.
#define CLC_DO(...)        \
  if (clc::performing()) { \
    __VA_ARGS__;           \
  }
// Launches: between begin_run() and end_run(), or watched().
#define CLC_RUN(...)    \
  {                     \
    clc::begin_run();   \
    CLC_DO(__VA_ARGS__) \
    clc::end_run();     \
  }
// A variable of the GPU: std::vector<type>, `count` long.
#define CLC_GPU(type, count, variable) \
  clc::gpu_memory<type>(clc::performing() ? clc::address_of(variable) : nullptr, count)

template <long long kNumber>
struct Constant {
  static constexpr long long kValue = kNumber;
};
template <class T>
void* address_of(const T& variable) {
  void* address = nullptr;
  CUDA_CHECK(cudaGetSymbolAddress(&address, variable));
  return address;
}
int on_this_gpu(const void* kernel, int threads);  // blocks that it holds at a time
template <class Kernel>
int resident_blocks(Kernel kernel, int threads) {
  if (!performing()) return told_resident("");
  return static_cast<int>(tell(on_this_gpu(reinterpret_cast<const void*>(kernel), threads)));
}
#else
#define CLC_YOURS(...) clc::told()
#define CLC_PREDICTED(value) clc::told()
#define CLC_DO(...)
#define CLC_RUN(...) clc::begin_run(), clc::end_run()
#define CLC_GPU(type, count, variable) \
  (clc::show_next(#variable), clc::gpu_memory<type>(nullptr, count))
#define resident_blocks(kernel, threads) told_resident(#kernel)
#endif

// An answer, and how it is checked. `name` is the file that the student edits; where a program
// holds several answers, as for tests, each has another name.
struct Answer {
  const char* name;
  bool ready;
  void (*check)();
};

// main() of an exercise: performs the check of the only answer, or of that which the first argument
// names. Where nobody else judges, it judges, too.
int exercise(std::initializer_list<Answer> answers, int argc, char** argv);

}  // namespace clc
