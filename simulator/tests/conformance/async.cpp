// Cases for the asynchronous copies. A copy is seen through what it has copied, after the wait that
// makes it visible.
#include "conformance/kernel.h"

namespace clcsim::conformance {
namespace {

using std::uint32_t;

constexpr uint32_t kCopied = 32;  ///< bytes of global and of shared memory for each thread

/// Addresses of the thread's chunks: read from the operands, and the chunk in shared memory.
struct Chunks {
  Chunks(Kernel& kernel) : kernel(kernel) {
    kernel.declare(".shared .align 128 .b8 chunks[4096]");
    kernel.declare(".shared .align 8 .b8 barriers[1024]");
    global = kernel.fresh("b64");
    shared = kernel.fresh("b64");
    barrier = kernel.fresh("b64");
    kernel.line("add.u64 " + global + ", %inputs, " +
                std::to_string(kernel.memory_operands(kCopied / 8)));
    kernel.line("mad.wide.u32 " + global + ", %index, 32, " + global);
    kernel.line("mov.u64 " + shared + ", chunks");
    kernel.line("mad.wide.u32 " + shared + ", %thread, 32, " + shared);
    kernel.line("mov.u64 " + barrier + ", barriers");
    kernel.line("mad.wide.u32 " + barrier + ", %thread, 8, " + barrier);
    const std::string pattern = kernel.preset("b64");
    for (int at = 0; at < 32; at += 8) {
      kernel.line("st.shared.b64 [" + shared + "+" + std::to_string(at) + "], " + pattern);
    }
    kernel.line("mbarrier.init.shared.b64 [" + barrier + "], 1");
    kernel.line("fence.mbarrier_init.release.cluster");
    kernel.line("fence.proxy.async");
    kernel.line("bar.sync 0");
  }
  void results() {
    for (int at = 0; at < 32; at += 8) {
      const std::string word = kernel.fresh("b64");
      kernel.line("ld.shared.b64 " + word + ", [" + shared + "+" + std::to_string(at) + "]");
      kernel.result("b64", word);
    }
  }
  void wait() {
    const std::string done = kernel.fresh("pred");
    kernel.label("WAIT");
    kernel.line("mbarrier.try_wait.parity.shared.b64 " + done + ", [" + barrier + "], 0");
    kernel.line("@!" + done + " bra WAIT");
  }
  Kernel& kernel;
  std::string global, shared, barrier;
};

void add_small_copy(std::vector<Case>& cases, const ptx::Form& form) {
  struct Size {
    const char *modifier, *operands;
  };
  for (const Size size : {Size{"ca", "4"}, Size{"ca", "8"}, Size{"ca", "16"}, Size{"cg", "16"},
                          Size{"ca", "16, 5"}, Size{"ca", "8, 0"}, Size{"cg", "16, 16"}}) {
    Kernel kernel(cases, form, "async", std::string(size.modifier) + " " + size.operands);
    Chunks chunks(kernel);
    kernel.begin_active();
    kernel.line("cp.async." + std::string(size.modifier) + ".shared.global [" + chunks.shared +
                "], [" + chunks.global + "], " + size.operands);
    kernel.end_active();
    kernel.line("cp.async.wait_all");
    chunks.results();
  }
}

/// Two groups of copies; the form is one of the ways to wait for them.
void add_groups(std::vector<Case>& cases, const ptx::Form& form) {
  Kernel kernel(cases, form, "async");
  Chunks chunks(kernel);
  const auto copy = [&](int at) {
    const std::string place = "+" + std::to_string(at) + "]";
    kernel.line("cp.async.ca.shared.global [" + chunks.shared + place + ", [" + chunks.global +
                place + ", 8");
  };
  copy(0);
  copy(8);
  kernel.line("cp.async.commit_group");
  copy(24);
  if (form.name == "cp.async.wait_group") {
    kernel.line("cp.async.commit_group");
    kernel.line("cp.async.wait_group 1");
    const std::string early = kernel.fresh("b64");
    kernel.line("ld.shared.b64 " + early + ", [" + chunks.shared + "+8]");
    kernel.result("b64", early);
    kernel.line("cp.async.wait_group 0");
  } else if (form.name == "cp.async.commit_group") {
    kernel.line(form.name);
    kernel.line("cp.async.wait_group 0");
  } else {
    kernel.line(form.name);
  }
  chunks.results();
}

/// The mbarrier's phase completes when the copies are done: with .noinc its own arrival was counted
/// in, without it the arrival is an extra one.
void add_arrival(std::vector<Case>& cases, const ptx::Form& form) {
  Kernel kernel(cases, form, "async");
  Chunks chunks(kernel);
  kernel.line("cp.async.ca.shared.global [" + chunks.shared + "], [" + chunks.global + "], 16");
  std::string place = chunks.barrier;
  if (form.name.find("shared") == form.name.npos) {
    place = kernel.fresh("b64");
    kernel.line("cvta.shared.u64 " + place + ", " + chunks.barrier);
  }
  kernel.line(form.name + " [" + place + "]");
  if (form.name.find("noinc") == form.name.npos) {
    const std::string state = kernel.fresh("b64");
    kernel.line("mbarrier.arrive.shared.b64 " + state + ", [" + chunks.barrier + "]");
  }
  chunks.wait();
  chunks.results();
}

void add_bulk_to_shared(std::vector<Case>& cases, const ptx::Form& form) {
  for (const char* bytes : {"16", "32"}) {
    Kernel kernel(cases, form, "async", std::string(bytes) + " bytes");
    Chunks chunks(kernel);
    const std::string state = kernel.fresh("b64");
    kernel.line("mbarrier.arrive.expect_tx.shared.b64 " + state + ", [" + chunks.barrier + "], " +
                bytes);
    std::string name = form.name;
    const std::size_t at = name.find(".shared.");
    if (at != name.npos) name.replace(at, 8, ".shared::cta.");
    kernel.line(name + " [" + chunks.shared + "], [" + chunks.global + "], " + bytes + ", [" +
                chunks.barrier + "]");
    chunks.wait();
    chunks.results();
  }
}

void add_bulk_to_global(std::vector<Case>& cases, const ptx::Form& form) {
  const bool copy = form.name.find("global.shared") != form.name.npos;
  for (const char* bytes : {"16", "32"}) {
    Kernel kernel(cases, form, "async", std::string(bytes) + " bytes");
    Chunks chunks(kernel);
    const std::string to = kernel.fresh("b64");
    kernel.line("add.u64 " + to + ", %outputs, " + std::to_string(kernel.memory_results(4)));
    kernel.line("mad.wide.u32 " + to + ", %index, 32, " + to);
    for (int at = 0; at < 32; at += 8) {
      kernel.line("st.shared.b64 [" + chunks.shared + "+" + std::to_string(at) + "], " +
                  kernel.operand("b64"));
    }
    kernel.line("fence.proxy.async.shared::cta");
    kernel.line("cp.async.bulk.global.shared::cta.bulk_group [" + to + "], [" + chunks.shared +
                "], " + bytes);
    kernel.line("cp.async.bulk.commit_group");
    if (form.name == "cp.async.bulk.wait_group.read") kernel.line(form.name + " 0");
    kernel.line("cp.async.bulk.wait_group 0");
    if (!copy) break;
  }
}

}  // namespace

void add_async_cases(std::vector<Case>& cases, const ptx::Form& form) {
  const std::vector<std::string> parts = parts_of(form.name);
  const bool bulk = parts[2] == "bulk";
  if (bulk && form.name.find("complete_tx") != form.name.npos) {
    add_bulk_to_shared(cases, form);
  } else if (bulk) {
    add_bulk_to_global(cases, form);
  } else if (parts[2] == "shared") {
    add_small_copy(cases, form);
  } else if (parts[2] == "mbarrier") {
    add_arrival(cases, form);
  } else {
    add_groups(cases, form);
  }
}

}  // namespace clcsim::conformance
