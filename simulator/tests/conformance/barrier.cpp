// Cases for the barriers of a block and of a cluster, and for mbarriers.
#include "conformance/kernel.h"

namespace clcsim::conformance {
namespace {

using std::uint32_t;
using std::uint64_t;

/// Shared words, one for each thread: the address of this thread's, and of another thread's.
struct Exchange {
  Exchange(Kernel& kernel) : kernel(kernel) {
    kernel.declare(".shared .align 8 .b8 words[1024]");
    base = kernel.fresh("b32");
    own = kernel.fresh("b32");
    other = kernel.fresh("b32");
    kernel.line("mov.u32 " + base + ", words");
    kernel.line("mad.lo.u32 " + own + ", %thread, 8, " + base);
  }
  /// The thread `distance` further on, among 2^bits.
  void look(uint32_t distance, uint32_t among) {
    kernel.line("add.u32 " + other + ", %thread, " + std::to_string(distance));
    kernel.line("and.b32 " + other + ", " + other + ", " + std::to_string(among - 1));
    kernel.line("mad.lo.u32 " + other + ", " + other + ", 8, " + base);
  }
  Kernel& kernel;
  std::string base, own, other;
};

void add_sync(std::vector<Case>& cases, const ptx::Form& form) {
  for (const char* operands : {"0", "3, 128", "%v0, 64"}) {
    Kernel kernel(cases, form, "barrier", operands);
    const bool halves = std::string(operands).ends_with("64");
    const std::string id = kernel.fresh("b32");  // 1 for the first two warps, 2 for the others
    kernel.line("shr.u32 " + id + ", %thread, 6");
    kernel.line("add.u32 " + id + ", " + id + ", 1");
    Exchange words(kernel);
    const std::string a = kernel.operand("b64"), d = kernel.preset("b64");
    kernel.line("st.shared.b64 [" + words.own + "], " + a);
    kernel.line(form.name + " " + operands);
    if (halves) {
      kernel.line("xor.b32 " + words.other + ", %thread, 37");
      kernel.line("mad.lo.u32 " + words.other + ", " + words.other + ", 8, " + words.base);
    } else {
      words.look(77, 128);
    }
    kernel.line("ld.shared.b64 " + d + ", [" + words.other + "]");
    kernel.result("b64", d);
  }
}

/// The upper two warps arrive only; the lower two read what those have written.
void add_arrive(std::vector<Case>& cases, const ptx::Form& form) {
  Kernel kernel(cases, form, "barrier");
  Exchange words(kernel);
  const std::string a = kernel.operand("b64"), d = kernel.preset("b64");
  const std::string upper = kernel.fresh("pred");
  kernel.line("setp.ge.u32 " + upper + ", %thread, 64");
  kernel.line("st.shared.b64 [" + words.own + "], " + a);
  kernel.line("@" + upper + " bra UPPER");
  kernel.line("bar.sync 1, 128");
  words.look(64, 128);
  kernel.line("ld.shared.b64 " + d + ", [" + words.other + "]");
  kernel.line("bra DONE");
  kernel.label("UPPER");
  kernel.line(form.name + " 1, 128");
  kernel.label("DONE");
  kernel.result("b64", d);
}

void add_barrier_reduction(std::vector<Case>& cases, const ptx::Form& form) {
  const bool popc = form.name.find("popc") != form.name.npos;
  for (const char* barrier : {"0", "2, 128"}) {
    for (const char* source : {"mixed", "all", "none", "negated"}) {
      Kernel kernel(cases, form, "barrier", std::string(barrier) + " " + source);
      const std::string which = source;
      std::vector<uint64_t> values = values_of("pred", Role::any, 8, kernel.count());
      if (which == "all") values.assign(values.size(), 1);
      if (which == "none") values.assign(values.size(), 0);
      const std::string a = kernel.operand("pred", values);
      const std::string d = kernel.preset(popc ? "b32" : "pred");
      kernel.line(form.name + " " + d + ", " + barrier + ", " + (which == "negated" ? "!" : "") +
                  a);
      kernel.result(popc ? "b32" : "pred", d);
    }
  }
}

void add_cluster_barrier(std::vector<Case>& cases, const ptx::Form& form) {
  Kernel kernel(cases, form, "cluster");
  kernel.details().cluster = 2;
  kernel.details().grid[0] = 4;
  Exchange words(kernel);
  const std::string a = kernel.operand("b64"), d = kernel.preset("b64");
  kernel.line("st.shared.b64 [" + words.own + "], " + a);
  words.look(5, 128);
  const std::string there = kernel.in_other_block("u32", words.other);
  const bool arrives = parts_of(form.name)[2] == "arrive";
  if (form.name.find("relaxed") != form.name.npos) kernel.line("fence.acq_rel.cluster");
  kernel.line(arrives ? form.name : "barrier.cluster.arrive");
  kernel.line(arrives ? "barrier.cluster.wait" : form.name);
  kernel.line("ld.shared::cluster.b64 " + d + ", [" + there + "]");
  kernel.line("barrier.cluster.arrive");
  kernel.line("barrier.cluster.wait");
  kernel.result("b64", d);
}

// ---- mbarriers: each thread plays with one of its own ----

class Mbarrier {
 public:
  Mbarrier(Kernel& kernel, const ptx::Form& form) : kernel_(kernel) {
    const std::vector<std::string> parts = parts_of(form.name);
    shared_ = false;
    for (const std::string& part : parts) {
      shared_ |= part == "shared";
      remote_ |= part == "shared::cluster";
    }
    if (remote_) kernel.details().cluster = 2;
    kernel.declare(".shared .align 8 .b8 barriers[1024]");
    own_ = kernel.fresh("b64");
    kernel.line("mov.u64 " + own_ + ", barriers");
    kernel.line("mad.wide.u32 " + own_ + ", %thread, 8, " + own_);
    count_ = kernel.operand("b32", counts());
  }

  /// The count that the mbarrier starts with: 4 to 7.
  const std::string& count() const { return count_; }
  std::string own() const { return "[" + own_ + "]"; }
  /// What the form operates on: in the other block's memory, where it can.
  std::string place() const { return "[" + place_ + "]"; }
  bool remote() const { return remote_; }

  void initialise(const std::string& count = {}) {
    kernel_.line("mbarrier.init.shared.b64 " + own() + ", " + (count.empty() ? count_ : count));
    locate();
  }
  void locate() {
    place_ = own_;
    if (remote_) {
      place_ = kernel_.fresh("b64");
      const std::string rank = kernel_.fresh("b32");
      kernel_.line("mov.u32 " + rank + ", %cluster_ctarank");
      kernel_.line("xor.b32 " + rank + ", " + rank + ", 1");
      kernel_.line("mapa.shared::cluster.u64 " + place_ + ", " + own_ + ", " + rank);
    } else if (!shared_) {
      place_ = kernel_.fresh("b64");
      kernel_.line("cvta.shared.u64 " + place_ + ", " + own_);
    }
    synchronize();
  }
  void synchronize() {
    if (!remote_) return kernel_.line("bar.sync 0");
    kernel_.line("barrier.cluster.arrive");
    kernel_.line("barrier.cluster.wait");
  }
  /// Results: how many arrivals are missing, after one more; which phase is complete.
  void observe() {
    synchronize();
    const std::string state = kernel_.fresh("b64"), pending = kernel_.fresh("b32");
    kernel_.line("mbarrier.arrive.shared.b64 " + state + ", " + own());
    kernel_.line("mbarrier.pending_count.b64 " + pending + ", " + state);
    kernel_.result("b32", pending);
    parities();
  }
  void parities() {
    for (const char* parity : {"0", "1"}) {
      const std::string p = kernel_.fresh("pred");
      kernel_.line("mbarrier.test_wait.parity.shared.b64 " + p + ", " + own() + ", " + parity);
      kernel_.result("pred", p);
    }
  }
  void arrive(int times) {
    const std::string state = kernel_.fresh("b64");
    for (int k = 0; k < times; ++k) {
      kernel_.line("mbarrier.arrive.shared.b64 " + state + ", " + own());
    }
  }

 private:
  std::vector<uint64_t> counts() const {
    std::vector<uint64_t> values(kernel_.count());
    // The same in both blocks: one plays with the other's.
    for (uint32_t i = 0; i < kernel_.count(); ++i)
      values[i] = 4 + i % kernel_.details().threads() % 4;
    return values;
  }

  Kernel& kernel_;
  bool shared_ = false, remote_ = false;
  std::string own_, place_, count_;
};

void add_pending(Kernel& kernel, const std::string& state) {
  const std::string pending = kernel.fresh("b32");
  kernel.line("mbarrier.pending_count.b64 " + pending + ", " + state);
  kernel.result("b32", pending);
}

void add_mbarrier_arrival(std::vector<Case>& cases, const ptx::Form& form, const char* count) {
  Kernel kernel(cases, form, "mbarrier", count[0] ? std::string("count ") + count : "");
  Mbarrier barrier(kernel, form);
  barrier.initialise();
  const bool transactions = form.name.find("expect_tx") != form.name.npos;
  const bool drops = form.name.find("drop") != form.name.npos;
  const std::string state = barrier.remote() ? "_" : kernel.fresh("b64");
  kernel.line(form.name + " " + state + ", " + barrier.place() +
              (count[0]       ? std::string(", ") + count
               : transactions ? ", 24"
                              : ""));
  if (!barrier.remote()) add_pending(kernel, state);
  barrier.observe();
  if (transactions) {
    // Complete but for the bytes, then with them.
    for (const char* bytes : {"16", "8"}) {
      barrier.parities();
      kernel.line("mbarrier.complete_tx.shared.b64 " + barrier.own() + ", " + bytes);
    }
  }
  // As many arrivals as complete the phase of the thread with the fewest, and the next phase.
  const int given = count[0] ? std::stoi(count) : 1;
  barrier.arrive(4 - 1 - given);
  barrier.parities();
  if (drops) {
    // In the first threads the next phase waits for fewer.
    barrier.arrive(4 - given);
    barrier.parities();
  }
}

void add_mbarrier_transactions(std::vector<Case>& cases, const ptx::Form& form) {
  const bool expects = form.name.find("expect_tx") != form.name.npos;
  Kernel kernel(cases, form, "mbarrier");
  Mbarrier barrier(kernel, form);
  barrier.initialise();
  kernel.line((expects ? form.name : std::string("mbarrier.expect_tx.relaxed.cta.shared.b64")) +
              " " + (expects ? barrier.place() : barrier.own()) + ", 48");
  barrier.observe();
  barrier.arrive(3);
  barrier.parities();
  for (const char* bytes : {"32", "16"}) {
    barrier.synchronize();
    kernel.line((expects ? std::string("mbarrier.complete_tx.shared.b64") : form.name) + " " +
                (expects ? barrier.own() : barrier.place()) + ", " + bytes);
    barrier.synchronize();
    barrier.parities();
  }
}

/// The predicate that the form answers for a state or parity.
void ask(Kernel& kernel, const ptx::Form& form, const Mbarrier& barrier, const std::string& which) {
  const std::string p = kernel.preset("pred");
  kernel.line(form.name + " " + p + ", " + barrier.place() + ", " + which);
  kernel.result("pred", p);
}

void add_mbarrier_test(std::vector<Case>& cases, const ptx::Form& form) {
  const bool parity = form.name.find("parity") != form.name.npos;
  Kernel kernel(cases, form, "mbarrier");
  Mbarrier barrier(kernel, form);
  barrier.initialise();
  const std::string state = kernel.fresh("b64");
  kernel.line("mbarrier.arrive.shared.b64 " + state + ", " + barrier.own());
  ask(kernel, form, barrier, parity ? "0" : state);  // not yet
  if (parity) ask(kernel, form, barrier, "1");       // the phase before the first
  barrier.arrive(3);                                 // completes the phase of every fourth thread
  ask(kernel, form, barrier, parity ? "0" : state);
  if (parity) ask(kernel, form, barrier, "1");
}

/// try_wait may wait as long as it likes: it is asked about phases that are complete, or that
/// another thread will complete.
void add_mbarrier_try(std::vector<Case>& cases, const ptx::Form& form) {
  const bool parity = form.name.find("parity") != form.name.npos;
  for (const char* hint : {"", ", 100"}) {
    Kernel kernel(cases, form, "mbarrier", hint[0] ? "hint" : "");
    Mbarrier barrier(kernel, form);
    barrier.initialise("4");
    const std::string state = kernel.fresh("b64"), a = kernel.operand("b32");
    const std::string partner = kernel.fresh("b64"), done = kernel.fresh("pred");
    const std::string d = kernel.preset("b32");
    kernel.declare(".shared .align 4 .b8 words[512]");
    kernel.line("mbarrier.arrive.shared.b64 " + state + ", " + barrier.own());
    if (parity) ask(kernel, form, barrier, std::string("1") + hint);
    barrier.arrive(2);
    // The last arrival comes from a thread of another warp, after it has written a word.
    const std::string word = kernel.fresh("b64"), other = kernel.fresh("b32");
    kernel.line("xor.b32 " + other + ", %thread, 64");
    kernel.line("mov.u64 " + word + ", words");
    kernel.line("mad.wide.u32 " + word + ", " + other + ", 4, " + word);
    kernel.line("st.shared.b32 [" + word + "], " + a);
    kernel.line("mov.u64 " + partner + ", barriers");
    kernel.line("mad.wide.u32 " + partner + ", " + other + ", 8, " + partner);
    kernel.line("mbarrier.arrive.shared.b64 _, [" + partner + "]");
    kernel.label("WAIT");
    kernel.line(form.name + " " + done + ", " + barrier.place() + ", " + (parity ? "0" : state) +
                hint);
    kernel.line("@!" + done + " bra WAIT");
    kernel.line("mov.u64 " + word + ", words");
    kernel.line("mad.wide.u32 " + word + ", %thread, 4, " + word);
    kernel.line("ld.shared.b32 " + d + ", [" + word + "]");
    kernel.result("b32", d);
  }
}

}  // namespace

void add_barrier_cases(std::vector<Case>& cases, const ptx::Form& form) {
  if (form.name.find("cluster") != form.name.npos) return add_cluster_barrier(cases, form);
  if (form.name.find("sync") != form.name.npos) return add_sync(cases, form);
  if (form.name.find("arrive") != form.name.npos) return add_arrive(cases, form);
  add_barrier_reduction(cases, form);
}

void add_mbarrier_cases(std::vector<Case>& cases, const ptx::Form& form) {
  const std::string what = parts_of(form.name)[1];
  if (what == "arrive" || what == "arrive_drop") {
    const bool transactions = form.name.find("expect_tx") != form.name.npos;
    const bool incomplete = form.name.find("noComplete") != form.name.npos;
    if (!incomplete) add_mbarrier_arrival(cases, form, "");
    if (!transactions) add_mbarrier_arrival(cases, form, "2");
  } else if (what == "expect_tx" || what == "complete_tx") {
    add_mbarrier_transactions(cases, form);
  } else if (what == "test_wait") {
    add_mbarrier_test(cases, form);
  } else if (what == "try_wait") {
    add_mbarrier_try(cases, form);
  } else if (what == "pending_count") {
    Kernel kernel(cases, form, "mbarrier");
    Mbarrier barrier(kernel, form);
    barrier.initialise();
    for (int k = 0; k < 4; ++k) {
      const std::string state = kernel.fresh("b64"), d = kernel.fresh("b32");
      kernel.line("mbarrier.arrive.shared.b64 " + state + ", " + barrier.own());
      kernel.line(form.name + " " + d + ", " + state);
      kernel.result("b32", d);
    }
  } else if (what == "init" || what == "inval") {
    Kernel kernel(cases, form, "mbarrier");
    Mbarrier barrier(kernel, form);
    if (what == "init") {
      barrier.locate();
      kernel.line(form.name + " " + barrier.place() + ", " + barrier.count());
    } else {
      barrier.initialise();
      kernel.line(form.name + " " + barrier.place());
      barrier.synchronize();
      kernel.line("mbarrier.init.shared.b64 " + barrier.own() + ", 5");
    }
    barrier.observe();
    barrier.arrive(3);
    barrier.parities();
  }
}

}  // namespace clcsim::conformance
