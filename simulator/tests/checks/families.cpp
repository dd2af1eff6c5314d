#include "tests/checks/families.h"

#include <sstream>
#include <utility>

namespace clcsim::test {
namespace {

using std::to_string;
using Values = std::vector<std::pair<std::string, std::string>>;

// A text with each $name replaced.
std::string put(std::string text, const Values& values) {
  for (const auto& [name, value] : values) {
    for (std::size_t at; (at = text.find("$" + name)) != text.npos;) {
      text.replace(at, name.size() + 1, value);
    }
  }
  return text;
}

// In a member's text a line `x_NAME| instruction` is a synchronisation, which is taken away unless
// a row behind it says what is left. A row, `-- change`, may stand anywhere; its head says why
// nothing breaks, and without one something does.
std::vector<Change> take_changes(std::string& text) {
  std::vector<Change> changes;
  bool gone = false;  // the line before, in the last change
  std::istringstream lines(std::exchange(text, {}));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("-- ")) {
      if (std::exchange(gone, false)) changes.pop_back();
      changes.push_back(read_change(line.substr(3)));
      continue;
    }
    gone = line.starts_with("x_");
    if (gone) changes.push_back({"", {{line.substr(0, line.find('|')), ""}}});
    text += line + "\n";
  }
  return changes;
}

// %n: threads of a block, %base: the block's first place in out and in, %s and %mine: the first
// word and the thread's own one in shared memory, %at: the thread's place in out, %from: in in.
const std::string kStart = R"(
.visible .entry kernel(.param .u64 out, .param .u64 in) {
.reg .pred %leader, %done, %warp_leader, %p<10>;
.reg .b32 %tid, %cta, %grid, %n, %lane, %warp, %s, %mine, %bar, %round, %parity, %sum, %i, %r<30>;
.reg .b64 %out, %in, %at, %from, %flags, %rd<20>;
.reg .b128 %answer;
.shared .align 128 .b8 data[16384];
.shared .align 8 .b64 bars[32];
ld.param.u64 %out, [out];
ld.param.u64 %in, [in];
cvta.to.global.u64 %out, %out;
cvta.to.global.u64 %in, %in;
add.u64 %flags, %out, 32768;
mov.u32 %tid, %tid.x;
mov.u32 %cta, %ctaid.x;
mov.u32 %grid, %nctaid.x;
mov.u32 %n, %ntid.x;
and.b32 %lane, %tid, 31;
shr.u32 %warp, %tid, 5;
setp.eq.u32 %leader, %tid, 0;
setp.eq.u32 %warp_leader, %lane, 0;
mov.u32 %s, data;
mov.u32 %bar, bars;
mad.lo.u32 %mine, %tid, 4, %s;
mad.lo.u32 %r0, %cta, %n, %tid;
mul.wide.u32 %rd0, %r0, 4;
add.u64 %at, %out, %rd0;
add.u64 %from, %in, %rd0;
mov.u32 %round, 0;
mov.u32 %parity, 0;
mov.u32 %sum, 0;
)";
const std::string kEnd = "DONE:\nret;\n}\n";

// Each stage has an mbarrier that counts $count arrivals.
const std::string kStages = R"(
@!%leader bra READY;
mov.u32 %r1, 0;
INIT:
mad.lo.u32 %r2, %r1, 8, %bar;
mbarrier.init.shared::cta.b64 [%r2], $count;
add.u32 %r1, %r1, 1;
setp.lt.u32 %p1, %r1, $stages;
@%p1 bra INIT;
READY:
x_init| bar.sync 0;
mov.u32 %i, 0;
)";

// A flag is set, and waited for at the label POLL: by fences, or by a release and an acquire.
std::string tell(bool fences, const std::string& flag) {
  return put(fences ? "x_tell| fence.acq_rel.gpu;\nst.relaxed.gpu.global.u32 $flag, 1;"
                    : "x_tell| st.release.gpu.global.u32 $flag, 1;\n"
                      "-- x_tell -> st.relaxed.gpu.global.u32 $flag, 1;",
             {{"flag", flag}});
}
std::string hear(bool fences, const std::string& flag) {
  const std::string again = "setp.eq.u32 %p9, %r9, 0;\n@%p9 bra POLL;\n";
  const std::string relaxed = "ld.relaxed.gpu.global.u32 %r9, " + flag + ";";
  return fences ? relaxed + "\n" + again + "x_hear| fence.acq_rel.gpu;"
                : "x_hear| ld.acquire.gpu.global.u32 %r9, " + flag + ";\n-- x_hear -> " + relaxed +
                      "\n" + again;
}

// What each thread adds up where it reads its neighbour's word in each round: in a pipeline, whose
// first warp only writes; and in a ring of stages.
auto in_pipeline(std::uint32_t threads) {
  return [=](std::uint32_t i) {
    const std::uint32_t tid = i % threads;
    std::uint32_t sum = 0;
    for (std::uint32_t round = 0; round < 7 && tid >= 32; ++round) {
      sum += input(round * 32 + (tid % 32 ^ 1));
    }
    return sum;
  };
}
auto in_ring(std::uint32_t threads) {
  return [=](std::uint32_t i) {
    std::uint32_t sum = 0;
    for (std::uint32_t round = 0; round < 6; ++round) {
      sum += input(round * threads + ((i % threads) ^ 1));
    }
    return sum;
  };
}

struct Families {
  std::vector<Member> members;

  void add(const std::string& family, const std::string& name, std::string text, LaunchShape shape,
           std::uint32_t words, std::function<std::uint32_t(std::uint32_t)> expected) {
    text = kStart + text + kEnd;
    std::vector<Change> changes = take_changes(text);
    members.push_back(
        {family, name, std::move(text), shape, std::move(changes), words, std::move(expected)});
  }

  void exchanges();
  void reductions();
  void scans();
  void named_barriers();
  void mbarrier_pipelines();
  void asynchronous_copies();
  void bulk_copies();
  void bulk_stores();
  void clusters();
  void messages();
  void last_blocks();
  void look_back();
  void locks();
  void queues();
  void grid_barriers();
  void stealing();
};

// A barrier of the whole block, in several spellings; `which` keeps labels apart. Of each, the
// text that stands once at the start, and that of the barrier itself.
struct BlockBarrier {
  const char* name;
  const char* start;
  const char* barrier;
};
const BlockBarrier kBlockBarriers[] = {
    {"bar.sync", "", "x_$w| bar.sync 0;\n"},
    {"bar.sync with a count", "", "x_$w| bar.sync 3, %n;\n"},
    {"barrier", "", "x_$w| barrier.cta.sync 1;\n"},
    {"bar.red", "", "x_$w| bar.red.popc.u32 %r29, 0, %leader;\n"},
    {"mbarrier", "@%leader mbarrier.init.shared::cta.b64 [%bar], %n;\nx_init| bar.sync 0;\n",
     "mbarrier.arrive.shared::cta.b64 %rd19, [%bar];\n"
     "WAIT_$w:\n"
     "x_$w| mbarrier.try_wait.shared::cta.b64 %done, [%bar], %rd19;\n"
     "-- x_$w -> setp.eq.u32 %done, %n, %n;\n"
     "@!%done bra WAIT_$w;\n"},
};
std::string barrier_of(const BlockBarrier& kind, const std::string& which) {
  return put(kind.barrier, {{"w", which}});
}

// Each thread writes a word and reads another one's, in several rounds.
void Families::exchanges() {
  for (const BlockBarrier& kind : kBlockBarriers) {
    for (const std::uint32_t threads : {64u, 96u, 256u}) {
      for (const std::uint32_t shift : {1u, 33u}) {
        const std::string text = put(std::string(kind.start) + R"(
ld.global.u32 %r1, [%from];
add.u32 %r2, %tid, $shift;
rem.u32 %r2, %r2, %n;
mad.lo.u32 %r2, %r2, 4, %s;
LOOP:
st.shared.u32 [%mine], %r1;
$full
ld.shared.u32 %r1, [%r2];
$empty
add.u32 %round, %round, 1;
setp.lt.u32 %p1, %round, 3;
@%p1 bra LOOP;
st.global.u32 [%at], %r1;
)",
                                     {{"shift", to_string(shift)},
                                      {"full", barrier_of(kind, "full")},
                                      {"empty", barrier_of(kind, "empty")}});
        add("exchange",
            std::string(kind.name) + ", " + to_string(threads) + ", " + to_string(shift), text,
            {.grid = {4, 1, 1}, .block = {threads, 1, 1}}, 4 * threads, [=](std::uint32_t i) {
              return input(i / threads * threads + (i % threads + 3 * shift) % threads);
            });
      }
    }
  }
}

// The sum of a block's words: a tree in shared memory, its end within one warp in three ways.
void Families::reductions() {
  const std::pair<const char*, const char*> tails[] = {{"all the way", "$tree"},
                                                       {"bar.warp.sync", R"(
setp.ge.u32 %p3, %tid, 32;
@%p3 bra JOIN;
mov.u32 %i, 16;
TAIL:
setp.ge.u32 %p4, %lane, %i;
mad.lo.u32 %r3, %i, 4, %mine;
@!%p4 ld.shared.u32 %r4, [%r3];
@!%p4 ld.shared.u32 %r5, [%mine];
add.u32 %r4, %r4, %r5;
@!%p4 st.shared.u32 [%mine], %r4;
x_warp| bar.warp.sync 0xffffffff;
shr.u32 %i, %i, 1;
setp.ne.u32 %p5, %i, 0;
@%p5 bra TAIL;
JOIN:
@%leader ld.shared.u32 %sum, [%s];
)"},
                                                       {"shfl", R"(
setp.ge.u32 %p3, %tid, 32;
@%p3 bra JOIN;
ld.shared.u32 %sum, [%mine];
mov.u32 %i, 16;
TAIL:
shfl.sync.down.b32 %r4, %sum, %i, 31, 0xffffffff;
add.u32 %sum, %sum, %r4;
shr.u32 %i, %i, 1;
setp.ne.u32 %p5, %i, 0;
@%p5 bra TAIL;
JOIN:
)"}};
  for (const BlockBarrier& kind : kBlockBarriers) {
    for (const std::uint32_t threads : {64u, 128u, 256u}) {
      for (const auto& [tail, code] : tails) {
        const bool whole = std::string(tail) == "all the way";
        const std::string text = std::string(kind.start) + R"(
ld.global.u32 %r1, [%from];
st.shared.u32 [%mine], %r1;
)" + barrier_of(kind, "filled") + R"(
shr.u32 %i, %n, 1;
TREE:
setp.ge.u32 %p1, %tid, %i;
@%p1 bra SKIP;
mad.lo.u32 %r3, %i, 4, %mine;
ld.shared.u32 %r4, [%r3];
ld.shared.u32 %r5, [%mine];
add.u32 %r4, %r4, %r5;
st.shared.u32 [%mine], %r4;
SKIP:
)" + barrier_of(kind, "step") + R"(
shr.u32 %i, %i, 1;
setp.ge.u32 %p2, %i, )" + (whole ? "1" : "32") +
                                 R"(;
@%p2 bra TREE;
)" + (whole ? "@%leader ld.shared.u32 %sum, [%s];\n" : code) +
                                 R"(
mul.wide.u32 %rd1, %cta, 4;
add.u64 %rd1, %out, %rd1;
@%leader st.global.u32 [%rd1], %sum;
)";
        add("reduction", std::string(kind.name) + ", " + to_string(threads) + ", " + tail, text,
            {.grid = {5, 1, 1}, .block = {threads, 1, 1}}, 5, [=](std::uint32_t block) {
              std::uint32_t sum = 0;
              for (std::uint32_t i = 0; i < threads; ++i) sum += input(block * threads + i);
              return sum;
            });
        // There is one step only, and each thread goes on with the sum that it wrote itself.
        if (threads == 64 && std::string(tail) == "shfl") {
          for (Change& change : members.back().changes) {
            if (change.edits[0].line == "x_step") {
              change.head = "after the only step each thread reads what it wrote itself";
            }
          }
        }
      }
    }
  }
}

// Inclusive sums within a block: one buffer and two barriers a step, or two buffers and one.
void Families::scans() {
  for (const BlockBarrier& kind : kBlockBarriers) {
    for (const std::uint32_t threads : {64u, 128u}) {
      for (const bool two : {false, true}) {
        const std::string text = std::string(kind.start) + R"(
ld.global.u32 %sum, [%from];
mov.u32 %i, 1;
STEP:
st.shared.u32 [%mine], %sum;
)" + barrier_of(kind, "written") +
                                 R"(
setp.lt.u32 %p1, %tid, %i;
@%p1 bra SKIP;
shl.b32 %r3, %i, 2;
sub.u32 %r3, %mine, %r3;
ld.shared.u32 %r4, [%r3];
add.u32 %sum, %sum, %r4;
SKIP:
)" + (two ? "xor.b32 %mine, %mine, 8192;\n" : barrier_of(kind, "read")) +
                                 R"(
shl.b32 %i, %i, 1;
setp.lt.u32 %p2, %i, %n;
@%p2 bra STEP;
st.global.u32 [%at], %sum;
)";
        add("scan",
            std::string(kind.name) + ", " + to_string(threads) + (two ? ", two buffers" : ""), text,
            {.grid = {3, 1, 1}, .block = {threads, 1, 1}}, 3 * threads, [=](std::uint32_t i) {
              std::uint32_t sum = 0;
              for (std::uint32_t k = i / threads * threads; k <= i; ++k) sum += input(k);
              return sum;
            });
      }
    }
  }
}

// The first warp fills slots, the others empty them: barriers with a count, in two phases.
void Families::named_barriers() {
  for (const std::uint32_t consumers : {1u, 2u, 3u}) {
    for (const std::uint32_t slots : {1u, 2u, 3u}) {
      const std::string text =
          put(R"(
setp.ge.u32 %p9, %tid, 32;
LOOP:
rem.u32 %r1, %round, $slots;
mad.lo.u32 %r2, %r1, 128, %s;
mad.lo.u32 %r2, %lane, 4, %r2;
add.u32 %r3, %r1, 1;
add.u32 %r4, %r1, 8;
@%p9 bra CONSUME;
setp.lt.u32 %p1, %round, $slots;
@%p1 bra FILL;
x_empty| bar.sync %r4, $threads;
FILL:
mad.lo.u32 %r5, %round, 32, %lane;
mul.wide.u32 %rd1, %r5, 4;
add.u64 %rd1, %in, %rd1;
ld.global.u32 %r6, [%rd1];
st.shared.u32 [%r2], %r6;
x_full_told| bar.arrive %r3, $threads;
bra NEXT;
CONSUME:
x_full| bar.sync %r3, $threads;
xor.b32 %r7, %r2, 4;
ld.shared.u32 %r6, [%r7];
add.u32 %sum, %sum, %r6;
add.u32 %r8, %round, $slots;
setp.ge.u32 %p2, %r8, 7;
@%p2 bra NEXT;
x_empty_told| bar.arrive %r4, $threads;
NEXT:
add.u32 %round, %round, 1;
setp.lt.u32 %p3, %round, 7;
@%p3 bra LOOP;
@%p9 st.global.u32 [%at], %sum;
)",
              {{"slots", to_string(slots)}, {"threads", to_string(32 + 32 * consumers)}});
      const std::uint32_t threads = 32 + 32 * consumers;
      add("named barriers", to_string(consumers) + " consumers, " + to_string(slots) + " slots",
          text, {.grid = {2, 1, 1}, .block = {threads, 1, 1}}, 2 * threads, in_pipeline(threads));
    }
  }
}

// The same through mbarriers: phases, parities, and who arrives.
void Families::mbarrier_pipelines() {
  for (const std::uint32_t consumers : {1u, 2u, 3u}) {
    for (const std::uint32_t slots : {1u, 2u, 3u}) {
      for (const bool try_wait : {false, true}) {
        for (const bool one_arrives : {false, true}) {
          const std::string wait = std::string("mbarrier.") + (try_wait ? "try" : "test") +
                                   "_wait.parity.shared::cta.b64 %done, ";
          const std::string relaxed = std::string("mbarrier.") + (try_wait ? "try" : "test") +
                                      "_wait.parity.relaxed.cta.shared::cta.b64 %done, ";
          // Where one lane arrives for its warp, the warp must have met.
          const std::string met = one_arrives ? "x_met$w| bar.warp.sync 0xffffffff;\n" : "";
          const std::string who = one_arrives ? "@%warp_leader " : "";
          const std::string text =
              put(R"(
setp.ge.u32 %p9, %tid, 32;
@!%leader bra READY;
mov.u32 %i, 0;
INIT:
mad.lo.u32 %r1, %i, 8, %bar;
mbarrier.init.shared::cta.b64 [%r1], $producers;
mbarrier.init.shared::cta.b64 [%r1+64], $consumers;
add.u32 %i, %i, 1;
setp.lt.u32 %p1, %i, $slots;
@%p1 bra INIT;
READY:
x_init| bar.sync 0;
LOOP:
rem.u32 %r1, %round, $slots;
div.u32 %r10, %round, $slots;
and.b32 %parity, %r10, 1;
mad.lo.u32 %r2, %r1, 128, %s;
mad.lo.u32 %r2, %lane, 4, %r2;
mad.lo.u32 %r3, %r1, 8, %bar;
@%p9 bra CONSUME;
xor.b32 %r11, %parity, 1;
EMPTY:
x_empty| $wait[%r3+64], %r11;
-- x_empty -> setp.eq.u32 %done, %r11, %r11;
@!%done bra EMPTY;
mad.lo.u32 %r5, %round, 32, %lane;
mul.wide.u32 %rd1, %r5, 4;
add.u64 %rd1, %in, %rd1;
ld.global.u32 %r6, [%rd1];
st.shared.u32 [%r2], %r6;
$metproducerx_full_told| $whombarrier.arrive.shared::cta.b64 _, [%r3];
-- x_full_told -> $whombarrier.arrive.relaxed.cta.shared::cta.b64 _, [%r3];
bra NEXT;
CONSUME:
x_full| $wait[%r3], %parity;
-- x_full -> setp.eq.u32 %done, %r1, %r1;
-- x_full -> $relaxed[%r3], %parity;
@!%done bra CONSUME;
xor.b32 %r7, %r2, 4;
ld.shared.u32 %r6, [%r7];
add.u32 %sum, %sum, %r6;
$metconsumerx_empty_told| $whombarrier.arrive.shared::cta.b64 _, [%r3+64];
-- x_empty_told -> $whombarrier.arrive.relaxed.cta.shared::cta.b64 _, [%r3+64];
NEXT:
add.u32 %round, %round, 1;
setp.lt.u32 %p3, %round, 7;
@%p3 bra LOOP;
@%p9 st.global.u32 [%at], %sum;
)",
                  {{"metproducer", put(met, {{"w", "_producer"}})},
                   {"metconsumer", put(met, {{"w", "_consumer"}})},
                   {"who", who},
                   {"wait", wait},
                   {"relaxed", relaxed},
                   {"slots", to_string(slots)},
                   {"producers", one_arrives ? "1" : "32"},
                   {"consumers", to_string(one_arrives ? consumers : 32 * consumers)}});
          const std::uint32_t threads = 32 + 32 * consumers;
          add("mbarrier pipeline",
              to_string(consumers) + " consumers, " + to_string(slots) + " slots, " +
                  (try_wait ? "try_wait" : "test_wait") + (one_arrives ? ", one arrives" : ""),
              text, {.grid = {2, 1, 1}, .block = {threads, 1, 1}}, 2 * threads,
              in_pipeline(threads));
        }
      }
    }
  }
}

// cp.async into a ring of stages; each thread reads its neighbour's word of the oldest stage.
void Families::asynchronous_copies() {
  for (const std::uint32_t threads : {32u, 64u, 128u}) {
    for (const std::uint32_t stages : {1u, 2u, 3u, 4u}) {
      const LaunchShape shape{.grid = {2, 1, 1}, .block = {threads, 1, 1}};
      const Values values = {{"stages", to_string(stages)},
                             {"ahead", to_string(stages - 1)},
                             {"threads", to_string(threads)}};
      // %i: the round that is copied, %round: the one that is read.
      const std::string copy = R"(
setp.ge.u32 %p1, %i, 6;
@%p1 bra COPIED$w;
rem.u32 %r1, %i, $stages;
mad.lo.u32 %r2, %r1, 1024, %mine;
mad.lo.u32 %r3, %i, %n, %tid;
mul.wide.u32 %rd1, %r3, 4;
add.u64 %rd1, %in, %rd1;
cp.async.ca.shared.global [%r2], [%rd1], 4;
$track
COPIED$w:
$commit
add.u32 %i, %i, 1;
)";
      const std::string read = R"(
rem.u32 %r1, %round, $stages;
mad.lo.u32 %r2, %r1, 1024, %mine;
xor.b32 %r2, %r2, 4;
ld.shared.u32 %r4, [%r2];
add.u32 %sum, %sum, %r4;
)";
      const std::string one_less = "-- x_wait -> cp.async.wait_group $stages;\n";
      const std::string groups = (stages > 1 ? one_less : "") + R"(
mov.u32 %i, 0;
FIRST:
setp.ge.u32 %p2, %i, $ahead;
@%p2 bra LOOP;
)" + put(copy, {{"w", "1"}}) + R"(
bra FIRST;
LOOP:
)" + put(copy, {{"w", "2"}}) + R"(
x_wait| cp.async.wait_group $ahead;
x_full| bar.sync 0;
)" + read + R"(
x_empty| bar.sync 0;
add.u32 %round, %round, 1;
setp.lt.u32 %p3, %round, 6;
@%p3 bra LOOP;
st.global.u32 [%at], %sum;
)";
      add("cp.async groups", to_string(threads) + ", " + to_string(stages) + " stages",
          put(put(groups, {{"track", ""}, {"commit", "cp.async.commit_group;"}}), values), shape,
          2 * threads, in_ring(threads));
      const std::string tracked = kStages + R"(
FIRST:
setp.ge.u32 %p2, %i, $ahead;
@%p2 bra LOOP;
)" + put(copy, {{"w", "1"}}) + R"(
bra FIRST;
LOOP:
)" + put(copy, {{"w", "2"}}) + R"(
rem.u32 %r1, %round, $stages;
div.u32 %r5, %round, $stages;
and.b32 %r5, %r5, 1;
mad.lo.u32 %r6, %r1, 8, %bar;
WAIT:
x_wait| mbarrier.try_wait.parity.shared::cta.b64 %done, [%r6], %r5;
-- x_wait -> setp.eq.u32 %done, %n, %n;
-- x_wait -> mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 %done, [%r6], %r5;
@!%done bra WAIT;
)" + read + R"(
x_empty| bar.sync 0;
add.u32 %round, %round, 1;
setp.lt.u32 %p3, %round, 6;
@%p3 bra LOOP;
st.global.u32 [%at], %sum;
)";
      add("cp.async and mbarriers", to_string(threads) + ", " + to_string(stages) + " stages",
          put(put(tracked, {{"count", "$threads"},
                            {"track",
                             "mad.lo.u32 %r4, %r1, 8, %bar;\n"
                             "cp.async.mbarrier.arrive.noinc.shared.b64 [%r4];"},
                            {"commit", ""}}),
              values),
          shape, 2 * threads, in_ring(threads));
    }
  }
}

// cp.async.bulk from global memory into a ring of stages.
void Families::bulk_copies() {
  for (const std::uint32_t threads : {32u, 64u, 128u}) {
    for (const std::uint32_t stages : {1u, 2u, 3u}) {
      for (const bool overwrites : {false, true}) {
        const std::string text = put(kStages + R"(
LOOP:
@!%leader bra WAIT_FIRST;
MORE:
add.u32 %r3, %round, $ahead;
setp.gt.u32 %p2, %i, %r3;
setp.ge.u32 %p3, %i, 6;
or.pred %p2, %p2, %p3;
@%p2 bra WAIT_FIRST;
rem.u32 %r1, %i, $stages;
mad.lo.u32 %r2, %r1, 8, %bar;
mad.lo.u32 %r4, %r1, 1024, %s;
mul.lo.u32 %r5, %i, $bytes;
cvt.u64.u32 %rd1, %r5;
add.u64 %rd1, %in, %rd1;
x_proxy| fence.proxy.async.shared::cta;
x_arm| mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%r2], $bytes;
-- x_arm -> mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%r2];
cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r4], [%rd1], $bytes, [%r2];
add.u32 %i, %i, 1;
bra MORE;
WAIT_FIRST:
rem.u32 %r1, %round, $stages;
div.u32 %r5, %round, $stages;
and.b32 %r5, %r5, 1;
mad.lo.u32 %r2, %r1, 8, %bar;
mad.lo.u32 %r4, %r1, 1024, %mine;
xor.b32 %r4, %r4, 4;
WAIT:
x_wait| mbarrier.try_wait.parity.shared::cta.b64 %done, [%r2], %r5;
-- x_wait -> setp.eq.u32 %done, %n, %n;
-- x_wait -> mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 %done, [%r2], %r5;
@!%done bra WAIT;
ld.shared.u32 %r6, [%r4];
add.u32 %sum, %sum, %r6;
$write
x_empty| bar.sync 0;
add.u32 %round, %round, 1;
setp.lt.u32 %p4, %round, 6;
@%p4 bra LOOP;
st.global.u32 [%at], %sum;
)",
                                     {{"count", "1"},
                                      {"stages", to_string(stages)},
                                      {"ahead", to_string(stages - 1)},
                                      {"bytes", to_string(4 * threads)},
                                      {"write", overwrites ? "st.shared.u32 [%r4], %sum;" : ""}});
        add("bulk copies",
            to_string(threads) + ", " + to_string(stages) + " stages" +
                (overwrites ? ", written over" : ""),
            text, {.grid = {2, 1, 1}, .block = {threads, 1, 1}}, 2 * threads, in_ring(threads));
      }
    }
  }
}

// cp.async.bulk from shared to global memory: what it reads belongs to it until it has been read.
void Families::bulk_stores() {
  for (const std::uint32_t threads : {32u, 64u, 128u, 256u}) {
    for (const bool writers_fence : {false, true}) {
      const std::string fence = "x_proxy| fence.proxy.async.shared::cta;\n";
      const std::string text = put(R"(
LOOP:
mad.lo.u32 %r1, %round, %n, %tid;
mul.wide.u32 %rd1, %r1, 4;
add.u64 %rd1, %in, %rd1;
ld.global.u32 %r2, [%rd1];
add.u32 %r2, %r2, %cta;
st.shared.u32 [%mine], %r2;
$writer
x_filled| bar.sync 0;
@!%leader bra STORED;
$reader
mad.lo.u32 %r3, %cta, 4, %round;
mul.lo.u32 %r3, %r3, $bytes;
cvt.u64.u32 %rd2, %r3;
add.u64 %rd2, %out, %rd2;
cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%s], $bytes;
cp.async.bulk.commit_group;
x_read| cp.async.bulk.wait_group.read 0;
STORED:
x_free| bar.sync 0;
add.u32 %round, %round, 1;
setp.lt.u32 %p1, %round, 4;
@%p1 bra LOOP;
)",
                                   {{"writer", writers_fence ? fence : ""},
                                    {"reader", writers_fence ? "" : fence},
                                    {"bytes", to_string(4 * threads)}});
      add("bulk stores",
          to_string(threads) + (writers_fence ? ", the writers fence" : ", the issuer fences"),
          text, {.grid = {2, 1, 1}, .block = {threads, 1, 1}}, 8 * threads,
          [=](std::uint32_t i) { return input(i % (4 * threads)) + i / (4 * threads); });
    }
  }
}

// Blocks of a cluster read each other's shared memory, round by round.
void Families::clusters() {
  const std::pair<const char*, const char*> kinds[] = {
      {"arrive and wait", "x_$w| barrier.cluster.arrive; barrier.cluster.wait;\n"},
      {"aligned", "x_$w| barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"},
      {"release and acquire",
       "x_$w_release| barrier.cluster.arrive.release;\n"
       "-- x_$w_release -> barrier.cluster.arrive.relaxed;\n"
       "barrier.cluster.wait.acquire;\n"},
      {"relaxed behind a fence",
       "x_$w_fence| fence.acq_rel.cluster;\nbarrier.cluster.arrive.relaxed;\n"
       "barrier.cluster.wait.acquire;\n"},
      {"work between arrive and wait",
       "barrier.cluster.arrive;\nadd.u32 %r9, %r9, 1;\nbar.warp.sync 0xffffffff;\n"
       "barrier.cluster.wait;\n"}};
  for (const auto& [name, barrier] : kinds) {
    for (const std::uint32_t size : {2u, 4u}) {
      for (const std::uint32_t threads : {32u, 64u}) {
        for (const bool stores : {false, true}) {
          const std::string access = stores ? R"(
st.shared::cluster.u32 [%r3], %r1;
$full
ld.shared.u32 %r1, [%mine];
)"
                                            : R"(
st.shared.u32 [%mine], %r1;
$full
ld.shared::cluster.u32 %r1, [%r3];
)";
          const std::string text =
              put(R"(
mov.u32 %r9, 0;
ld.global.u32 %r1, [%from];
mov.u32 %r2, %cluster_ctarank;
add.u32 %r2, %r2, 1;
rem.u32 %r2, %r2, $size;
mapa.shared::cluster.u32 %r3, %mine, %r2;
$started
LOOP:
$access
$empty
add.u32 %round, %round, 1;
setp.lt.u32 %p1, %round, 3;
@%p1 bra LOOP;
st.global.u32 [%at], %r1;
)",
                  {{"access", access},
                   {"started",
                    stores ? "x_started| barrier.cluster.arrive; barrier.cluster.wait;" : ""},
                   {"full", put(barrier, {{"w", "full"}})},
                   {"empty", put(barrier, {{"w", "empty"}})},
                   {"size", to_string(size)}});
          add("cluster",
              std::string(name) + ", " + to_string(size) + " of " + to_string(threads) +
                  (stores ? ", stores" : ", loads"),
              text, {.grid = {8, 1, 1}, .block = {threads, 1, 1}, .cluster = {size, 1, 1}},
              8 * threads, [=](std::uint32_t i) {
                const std::uint32_t block = i / threads, first = block / size * size;
                const std::uint32_t step = stores ? size - 3 % size : 3;
                return input((first + (block - first + step) % size) * threads + i % threads);
              });
        }
      }
    }
  }
}

// One thread tells another by a flag that it has written: every way to release and to acquire, at
// every scope that holds both.
void Families::messages() {
  struct Way {
    const char* name;
    const char* code;
  };
  const Way tells[] = {
      {"st.release",
       "x_tell| st.release.$scope.global.u32 [%flags], 1;\n"
       "-- x_tell -> st.relaxed.$scope.global.u32 [%flags], 1;"},
      {"fence.acq_rel, st.relaxed",
       "x_tell| fence.acq_rel.$scope;\nst.relaxed.$scope.global.u32 [%flags], 1;"},
      {"fence.sc, st.relaxed",
       "x_tell| fence.sc.$scope;\nst.relaxed.$scope.global.u32 [%flags], 1;"},
      {"red.release",
       "x_tell| red.release.$scope.global.add.u32 [%flags], 1;\n"
       "-- x_tell -> red.relaxed.$scope.global.add.u32 [%flags], 1;"},
      {"atom.exch.acq_rel",
       "x_tell| atom.acq_rel.$scope.global.exch.b32 %r9, [%flags], 1;\n"
       "-- x_tell -> atom.relaxed.$scope.global.exch.b32 %r9, [%flags], 1;"},
      {"fence.acq_rel, red.relaxed",
       "x_tell| fence.acq_rel.$scope;\nred.relaxed.$scope.global.or.b32 [%flags], 1;"}};
  const Way hears[] = {{"ld.acquire",
                        "HEAR:\nx_hear| ld.acquire.$scope.global.u32 %r8, [%flags];\n"
                        "-- x_hear -> ld.relaxed.$scope.global.u32 %r8, [%flags];\n"
                        "setp.eq.u32 %p1, %r8, 0;\n@%p1 bra HEAR;"},
                       {"ld.relaxed, fence.acq_rel",
                        "HEAR:\nld.relaxed.$scope.global.u32 %r8, [%flags];\n"
                        "setp.eq.u32 %p1, %r8, 0;\n@%p1 bra HEAR;\nx_hear| fence.acq_rel.$scope;"},
                       {"atom.acquire",
                        "HEAR:\nx_hear| atom.acquire.$scope.global.or.b32 %r8, [%flags], 0;\n"
                        "-- x_hear -> atom.relaxed.$scope.global.or.b32 %r8, [%flags], 0;\n"
                        "setp.eq.u32 %p1, %r8, 0;\n@%p1 bra HEAR;"},
                       {"atom.cas, fence.sc",
                        "HEAR:\natom.relaxed.$scope.global.cas.b32 %r8, [%flags], 1, 2;\n"
                        "setp.eq.u32 %p1, %r8, 0;\n@%p1 bra HEAR;\nx_hear| fence.sc.$scope;"}};
  struct Distance {
    const char* scope;
    LaunchShape shape;
    const char* too_near;  // a scope that doesn't reach the other thread
  };
  const Distance distances[] = {
      {"cta", {.grid = {1, 1, 1}, .block = {64, 1, 1}}, nullptr},
      {"cluster", {.grid = {2, 1, 1}, .block = {32, 1, 1}, .cluster = {2, 1, 1}}, "cta"},
      {"gpu", {.grid = {2, 1, 1}, .block = {32, 1, 1}}, "cta"},
      {"sys", {.grid = {2, 1, 1}, .block = {32, 1, 1}}, "cluster"}};
  for (const Way& tell : tells) {
    for (const Way& hear : hears) {
      for (const Distance& distance : distances) {
        const Values scope = {{"scope", distance.scope}};
        std::string too_near;  // the same with a scope that doesn't hold both
        if (distance.too_near != nullptr) {
          const std::string code = put(tell.code, {{"scope", distance.too_near}});
          const std::size_t from = code.find("| ") + 2;
          too_near = "-- x_tell -> " + code.substr(from, code.find(';') + 1 - from) + "\n";
        }
        const std::string text = std::string(distance.shape.grid.x == 1 ? R"(
setp.ne.u32 %p2, %warp, 0;
)"
                                                                        : R"(
setp.ne.u32 %p2, %cta, 0;
)") + R"(
@!%warp_leader bra DONE;
@%p2 bra HEAR;
ld.global.u32 %r1, [%in];
st.global.u32 [%flags+64], %r1;
)" + put(tell.code, scope) + "\nbra DONE;\n" +
                                 put(hear.code, scope) + R"(
ld.global.u32 %r2, [%flags+64];
st.global.u32 [%out], %r2;
)" + too_near;
        add("message", std::string(tell.name) + " to " + hear.name + ", " + distance.scope, text,
            distance.shape, 1, [](std::uint32_t) { return input(0); });
      }
    }
  }
}

// Whoever draws the last ticket adds up what all blocks have written.
void Families::last_blocks() {
  for (const std::uint32_t blocks : {3u, 12u, 40u}) {
    for (const bool fences : {false, true}) {
      for (const bool wraps : {false, true}) {
        const std::string op = wraps ? "inc" : "add", operand = wraps ? "%r3" : "1";
        const std::string text = put(R"(
ld.global.u32 %r1, [%from];
mul.wide.u32 %rd1, %cta, 4;
add.u64 %rd2, %flags, %rd1;
sub.u32 %r3, %grid, 1;
@!%leader bra JOIN;
st.global.u32 [%rd2+256], %r1;
$ticket
st.shared.u32 [%s], %r2;
JOIN:
x_spread| bar.sync 0;
ld.shared.u32 %r2, [%s];
setp.ne.u32 %p1, %r2, %r3;
@%p1 bra DONE;
@!%leader bra DONE;
mov.u32 %i, 0;
SUM:
mul.wide.u32 %rd3, %i, 4;
add.u64 %rd3, %flags, %rd3;
ld.global.u32 %r4, [%rd3+256];
add.u32 %sum, %sum, %r4;
add.u32 %i, %i, 1;
setp.lt.u32 %p2, %i, %grid;
@%p2 bra SUM;
st.global.u32 [%out], %sum;
)",
                                     {{"ticket", fences ? R"(
x_release| fence.acq_rel.gpu;
atom.relaxed.gpu.global.$op.u32 %r2, [%flags], $operand;
x_acquire| fence.acq_rel.gpu;
-- what is read depends on the ticket, and the checks follow the pattern of NVIDIA's sample, which has no fence here | x_acquire ->
)"
                                                        : R"(
x_release| atom.acq_rel.gpu.global.$op.u32 %r2, [%flags], $operand;
-- x_release -> atom.acquire.gpu.global.$op.u32 %r2, [%flags], $operand;
)"},
                                      {"operand", operand},
                                      {"op", op}});
        add("last block", to_string(blocks) + ", " + op + (fences ? ", fences" : ", acq_rel"), text,
            {.grid = {blocks, 1, 1}, .block = {64, 1, 1}}, 1, [=](std::uint32_t) {
              std::uint32_t sum = 0;
              for (std::uint32_t i = 0; i < blocks; ++i) sum += input(64 * i);
              return sum;
            });
      }
    }
  }
}

// Each block waits for its predecessor's sum: a chain through global memory.
void Families::look_back() {
  for (const std::uint32_t blocks : {2u, 9u, 30u}) {
    for (const bool fences : {false, true}) {
      const std::string text =
          put(R"(
@!%leader bra DONE;
ld.global.u32 %sum, [%from];
mul.wide.u32 %rd1, %cta, 8;
add.u64 %rd2, %flags, %rd1;
setp.eq.u32 %p1, %cta, 0;
@%p1 bra TELL;
POLL:
$poll
ld.global.u32 %r3, [%rd2-4];
add.u32 %sum, %sum, %r3;
TELL:
st.global.u32 [%rd2+4], %sum;
$tell
mul.wide.u32 %rd3, %cta, 4;
add.u64 %rd3, %out, %rd3;
st.global.u32 [%rd3], %sum;
)",
              {{"poll", hear(fences, "[%rd2-8]")}, {"tell", tell(fences, "[%rd2]")}});
      add("look-back", to_string(blocks) + (fences ? ", fences" : ", release and acquire"), text,
          {.grid = {blocks, 1, 1}, .block = {64, 1, 1}}, blocks, [](std::uint32_t block) {
            std::uint32_t sum = 0;
            for (std::uint32_t i = 0; i <= block; ++i) sum += input(64 * i);
            return sum;
          });
    }
  }
}

// A counter that is no atomic, behind a lock: between blocks, or between the warps of one.
void Families::locks() {
  struct Kind {
    const char *name, *take, *give;
  };
  const Kind kinds[] = {
      {"cas.acquire, st.release",
       "x_take| atom.acquire.$scope.global.cas.b32 %r1, [%flags], 0, 1;\n"
       "-- x_take -> atom.relaxed.$scope.global.cas.b32 %r1, [%flags], 0, 1;\n"
       "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra TAKE;",
       "x_give| st.release.$scope.global.u32 [%flags], 0;\n"
       "-- x_give -> st.relaxed.$scope.global.u32 [%flags], 0;"},
      {"exch.acquire, exch.release",
       "x_take| atom.acquire.$scope.global.exch.b32 %r1, [%flags], 1;\n"
       "-- x_take -> atom.relaxed.$scope.global.exch.b32 %r1, [%flags], 1;\n"
       "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra TAKE;",
       "x_give| atom.release.$scope.global.exch.b32 %r2, [%flags], 0;\n"
       "-- x_give -> atom.relaxed.$scope.global.exch.b32 %r2, [%flags], 0;"},
      {"fences",
       "atom.relaxed.$scope.global.cas.b32 %r1, [%flags], 0, 1;\n"
       "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra TAKE;\nx_take| fence.acq_rel.$scope;",
       "x_give| fence.acq_rel.$scope;\nst.relaxed.$scope.global.u32 [%flags], 0;"}};
  for (const Kind& kind : kinds) {
    for (const bool blocks : {false, true}) {
      for (const std::uint32_t takers : {2u, 5u, 8u}) {
        const std::string text = put(std::string(R"(
@!%warp_leader bra DONE;
LOOP:
TAKE:
)") + kind.take + R"(
ld.global.u32 %r3, [%out];
add.u32 %r3, %r3, 1;
st.global.u32 [%out], %r3;
)" + kind.give + R"(
add.u32 %round, %round, 1;
setp.lt.u32 %p2, %round, 3;
@%p2 bra LOOP;
)",
                                     {{"scope", blocks ? "gpu" : "cta"}});
        const LaunchShape shape =
            blocks ? LaunchShape{.grid = {takers, 1, 1}, .block = {32, 1, 1}}
                   : LaunchShape{.grid = {1, 1, 1}, .block = {32 * takers, 1, 1}};
        add("lock",
            std::string(kind.name) + ", " + to_string(takers) + (blocks ? " blocks" : " warps"),
            text, shape, 1, [=](std::uint32_t) { return 3 * takers; });
      }
    }
  }
}

// Producers draw a slot and fill it; consumers draw one and wait until it is full.
void Families::queues() {
  for (const std::uint32_t pairs : {1u, 3u, 6u}) {
    for (const bool fences : {false, true}) {
      const std::string text =
          put(R"(
@!%leader bra DONE;
and.b32 %r1, %cta, 1;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra CONSUME;
PRODUCE:
atom.relaxed.gpu.global.add.u32 %r2, [%flags], 1;
mul.wide.u32 %rd1, %r2, 8;
add.u64 %rd1, %flags, %rd1;
add.u32 %r3, %r2, 100;
st.global.u32 [%rd1+68], %r3;
$tell
add.u32 %round, %round, 1;
setp.lt.u32 %p2, %round, 4;
@%p2 bra PRODUCE;
bra DONE;
CONSUME:
atom.relaxed.gpu.global.add.u32 %r2, [%flags+4], 1;
mul.wide.u32 %rd1, %r2, 8;
add.u64 %rd1, %flags, %rd1;
POLL:
$poll
ld.global.u32 %r3, [%rd1+68];
mul.wide.u32 %rd2, %r2, 4;
add.u64 %rd2, %out, %rd2;
st.global.u32 [%rd2], %r3;
add.u32 %round, %round, 1;
setp.lt.u32 %p2, %round, 4;
@%p2 bra CONSUME;
)",
              {{"poll", hear(fences, "[%rd1+64]")}, {"tell", tell(fences, "[%rd1+64]")}});
      add("queue", to_string(pairs) + (fences ? ", fences" : ", release and acquire"), text,
          {.grid = {2 * pairs, 1, 1}, .block = {32, 1, 1}}, 4 * pairs,
          [](std::uint32_t i) { return 100 + i; });
    }
  }
}

// All blocks meet by a counter, as in a cooperative kernel; then each reads its neighbour's words.
void Families::grid_barriers() {
  for (const std::uint32_t blocks : {2u, 5u, 12u}) {
    for (const bool fences : {false, true}) {
      const std::string text = put(R"(
ld.global.u32 %sum, [%from];
add.u32 %r1, %cta, 1;
rem.u32 %r1, %r1, %grid;
mad.lo.u32 %r1, %r1, %n, %tid;
mul.wide.u32 %rd1, %r1, 4;
add.u64 %rd1, %out, %rd1;
mov.u32 %r5, 0;
LOOP:
mul.lo.u32 %r6, %round, 8192;
cvt.u64.u32 %rd3, %r6;
add.u64 %rd4, %at, %rd3;
add.u64 %rd5, %rd1, %rd3;
st.global.u32 [%rd4], %sum;
x_before| bar.sync 0;
@!%leader bra MET;
add.u32 %r5, %r5, %grid;
$meet
MET:
x_after| bar.sync 0;
ld.global.u32 %sum, [%rd5];
add.u32 %round, %round, 1;
setp.lt.u32 %p1, %round, 2;
@%p1 bra LOOP;
add.u64 %rd4, %at, 16384;
st.global.u32 [%rd4], %sum;
)",
                                   {{"meet", fences ? R"(
x_tell| fence.acq_rel.gpu;
red.relaxed.gpu.global.add.u32 [%flags], 1;
POLL:
ld.relaxed.gpu.global.u32 %r7, [%flags];
setp.lt.u32 %p2, %r7, %r5;
@%p2 bra POLL;
x_hear| fence.acq_rel.gpu;)"
                                                    : R"(
x_tell| red.release.gpu.global.add.u32 [%flags], 1;
-- x_tell -> red.relaxed.gpu.global.add.u32 [%flags], 1;
POLL:
x_hear| ld.acquire.gpu.global.u32 %r7, [%flags];
-- x_hear -> ld.relaxed.gpu.global.u32 %r7, [%flags];
setp.lt.u32 %p2, %r7, %r5;
@%p2 bra POLL;)"}});
      const std::uint32_t n = 64;
      add("grid barrier", to_string(blocks) + (fences ? ", fences" : ", release and acquire"), text,
          {.grid = {blocks, 1, 1}, .block = {n, 1, 1}}, 4096 + blocks * n, [=](std::uint32_t i) {
            const std::uint32_t round = i / 2048, at = i % 2048;
            if (at >= blocks * n) return 0u;
            return input((at / n + round) % blocks * n + at % n);
          });
    }
  }
}

// Blocks steal: out[block] counts how often its work was done.
void Families::stealing() {
  struct Kind {
    const char *name, *before_request, *after_read;
  };
  const Kind fences[] = {
      {"the requester fences", "x_proxy| fence.proxy.async.shared::cta;", ""},
      {"the readers fence", "", "x_proxy| fence.proxy.async.shared::cta;"},
      {"one-way fences",
       "x_acquire| fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;",
       "x_release| fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;"}};
  const Kind waits[] = {
      {"all wait",
       "WAIT:\nx_wait| mbarrier.try_wait.parity.shared::cta.b64 %done, [%bar], %parity;\n"
       "-- x_wait -> setp.eq.u32 %done, %n, %n;\n@!%done bra WAIT;",
       ""},
      {"one waits",
       "@!%leader bra TOLD;\n"
       "WAIT:\nx_wait| mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 %done, [%bar], "
       "%parity;\n-- x_wait -> setp.eq.u32 %done, %n, %n;\n@!%done bra WAIT;\nTOLD:\nx_told| "
       "bar.sync 0;",
       "\n-- only the thread that initialises the mbarrier uses it | x_init ->"}};
  for (const Kind& fence : fences) {
    for (const Kind& wait : waits) {
      for (const std::uint32_t threads : {32u, 64u, 128u}) {
        const std::string text = put(R"(
mov.u32 %i, %cta;
@%leader mbarrier.init.shared::cta.b64 [%bar], 1;
x_init| bar.sync 0;$init
LOOP:
@!%leader bra WORK;
$before
clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%s], [%bar];
x_arm| mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%bar], 16;
-- x_arm -> mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%bar];
WORK:
mul.wide.u32 %rd1, %i, 4;
add.u64 %rd1, %out, %rd1;
@%leader red.global.add.u32 [%rd1], 1;
$wait
xor.b32 %parity, %parity, 1;
ld.shared.v2.u64 {%rd3, %rd4}, [%s];
mov.b128 %answer, {%rd3, %rd4};
$after
clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p1, %answer;
@!%p1 bra DONE;
clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %i, %answer;
x_free| bar.sync 0;
bra LOOP;
)",
                                     {{"before", fence.before_request},
                                      {"after", fence.after_read},
                                      {"wait", wait.before_request},
                                      {"init", wait.after_read}});
        add("stealing", std::string(fence.name) + ", " + wait.name + ", " + to_string(threads),
            text, {.grid = {90, 1, 1}, .block = {threads, 1, 1}}, 90,
            [](std::uint32_t) { return 1u; });
      }
    }
  }
}

}  // namespace

std::vector<Member> all_members() {
  Families families;
  families.exchanges();
  families.reductions();
  families.scans();
  families.named_barriers();
  families.mbarrier_pipelines();
  families.asynchronous_copies();
  families.bulk_copies();
  families.bulk_stores();
  families.clusters();
  families.messages();
  families.last_blocks();
  families.look_back();
  families.locks();
  families.queues();
  families.grid_barriers();
  families.stealing();
  return families.members;
}

}  // namespace clcsim::test
