// Cases for what a block does in the shared memory of another one, and for reductions by bulk
// copies: a warp in each block of a pair, a chunk of 32 bytes for each thread.
#include <algorithm>

#include "conformance/kernel.h"

namespace clcsim::conformance {
namespace {

constexpr std::uint32_t kChunk = 32;  // bytes

/// "add.noftz.f16" in the name of a reduction; "" in that of another operation.
std::string type_of(const std::vector<std::string>& parts) {
  const bool reduces = parts[0] == "red" || parts[1] == "reduce";
  return reduces || parts[0] == "st" ? parts.back() : "";
}

/// Writes operands of the type all over a chunk.
void fill(Kernel& kernel, const std::string& type, const std::string& space,
          const std::string& chunk) {
  const bool half = type.find("16") != type.npos, wide = type.find("64") != type.npos;
  const std::uint32_t size = half ? 2 : wide || type.empty() ? 8 : 4;
  for (std::uint32_t at = 0; at < kChunk; at += size) {
    const std::string number = kernel.operand(type.empty() ? "b64" : type);
    kernel.line("st." + space + ".b" + std::to_string(8 * size) + " [" + chunk + "+" +
                std::to_string(at) + "], " + number);
  }
}

/// What all of these kernels begin with.
struct Pair {
  Pair(Kernel& kernel) : kernel(kernel) {
    kernel.details().block = {32, 1, 1};
    kernel.details().cluster = 2;
    kernel.declare(".shared .align 128 .b8 sources[1024]");
    kernel.declare(".shared .align 128 .b8 targets[1024]");
    kernel.declare(".shared .align 8 .b64 barrier");
    kernel.declare(".reg .pred %leader, %done");
    for (std::string* address : {&source, &target, &barrier}) *address = kernel.fresh("b32");
    kernel.line("mov.u32 " + source + ", sources");
    kernel.line("mov.u32 " + target + ", targets");
    kernel.line("mov.u32 " + barrier + ", barrier");
    kernel.line("mad.lo.u32 " + source + ", %lane, 32, " + source);
    kernel.line("mad.lo.u32 " + target + ", %lane, 32, " + target);
    kernel.line("setp.eq.u32 %leader, %lane, 0");
  }
  /// The chunks are filled; so many bytes will come.
  void begin(std::uint32_t bytes) {
    kernel.line("@%leader mbarrier.init.shared.b64 [" + barrier + "], 1");
    kernel.line("fence.mbarrier_init.release.cluster");
    kernel.line("fence.proxy.async");
    kernel.line("bar.sync 0");
    kernel.line("@%leader mbarrier.arrive.expect_tx.shared.b64 _, [" + barrier + "], " +
                std::to_string(bytes));
    meet();
  }
  void meet() {
    kernel.line("barrier.cluster.arrive");
    kernel.line("barrier.cluster.wait");
  }
  void end() {
    kernel.label("WAIT");
    kernel.line("mbarrier.try_wait.parity.acquire.cluster.shared.b64 %done, [" + barrier + "], 0");
    kernel.line("@!%done bra WAIT");
    for (std::uint32_t at = 0; at < kChunk; at += 8) {
      const std::string word = kernel.fresh("b64");
      kernel.line("ld.shared.b64 " + word + ", [" + target + "+" + std::to_string(at) + "]");
      kernel.result("b64", word);
    }
    meet();
  }
  Kernel& kernel;
  std::string source, target, barrier;
};

/// st.async and red.async: each thread into a chunk of its own, or all reduce one word.
void add_thread_case(std::vector<Case>& cases, const ptx::Form& form, bool common) {
  const std::vector<std::string> parts = parts_of(form.name);
  const std::string type = type_of(parts), &vector = parts[parts.size() - 2];
  const std::uint32_t count = vector == "v2" ? 2 : vector == "v4" ? 4 : 1;
  const std::uint32_t bytes = count * (type.find("64") != type.npos ? 8 : 4);
  Kernel kernel(cases, form, "peer", common ? "one word" : "own words");
  Pair pair(kernel);
  fill(kernel, type, "shared", pair.target);
  std::string values;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::vector<std::uint64_t> same(kernel.count(), 41);  // inc and dec in any order
    const std::string value = common && (vector == "inc" || vector == "dec")
                                  ? kernel.operand(type, same)
                                  : kernel.operand(type);
    values += (values.empty() ? "" : ", ") + value;
  }
  pair.begin(32 * bytes);
  std::string to = pair.target;
  if (common) {
    to = kernel.fresh("b32");
    kernel.line("mov.u32 " + to + ", targets");
  }
  std::string name = form.name;
  if (parts[0] == "red") name.insert(name.find(".shared"), ".relaxed.cluster");
  // One after the other: an expression would leave the order to the compiler.
  const std::string barrier = kernel.in_other_block("u32", pair.barrier);
  const std::string there = kernel.in_other_block("u32", to);
  kernel.line(name + " [" + there + "], " + (count == 1 ? values : "{" + values + "}") + ", [" +
              barrier + "]");
  pair.end();
}

/// cp.async.bulk and cp.reduce.async.bulk from a chunk to that of the other block.
void add_copy_case(std::vector<Case>& cases, const ptx::Form& form, std::uint32_t bytes) {
  Kernel kernel(cases, form, "peer", std::to_string(bytes) + " bytes");
  const std::string type = type_of(parts_of(form.name));
  Pair pair(kernel);
  fill(kernel, type, "shared", pair.source);
  fill(kernel, type, "shared", pair.target);
  pair.begin(32 * bytes);
  std::string name = form.name;
  name.replace(name.find(".shared."), 8, ".shared::cta.");
  const std::string barrier = kernel.in_other_block("u32", pair.barrier);
  const std::string target = kernel.in_other_block("u32", pair.target);
  kernel.line(name + " [" + target + "], [" + pair.source + "], " + std::to_string(bytes) + ", [" +
              barrier + "]");
  pair.end();
}

/// cp.reduce.async.bulk to global memory.
void add_global_case(std::vector<Case>& cases, const ptx::Form& form, std::uint32_t bytes) {
  Kernel kernel(cases, form, "peer", std::to_string(bytes) + " bytes");
  const std::string type = type_of(parts_of(form.name));
  Pair pair(kernel);
  const std::string to = kernel.fresh("b64");
  kernel.line("add.u64 " + to + ", %outputs, " + std::to_string(kernel.memory_results(kChunk / 8)));
  kernel.line("mad.wide.u32 " + to + ", %index, 32, " + to);
  fill(kernel, type, "shared", pair.source);
  fill(kernel, type, "global", to);
  kernel.line("fence.proxy.async");
  std::string name = form.name;
  name.replace(name.find(".shared."), 8, ".shared::cta.");
  kernel.line(name + " [" + to + "], [" + pair.source + "], " + std::to_string(bytes));
  kernel.line("cp.async.bulk.commit_group");
  kernel.line("cp.async.bulk.wait_group 0");
}

}  // namespace

void add_peer_cases(std::vector<Case>& cases, const ptx::Form& form) {
  if (form.name.starts_with("st.async") || form.name.starts_with("red.async")) {
    add_thread_case(cases, form, false);
    if (form.name.starts_with("red")) add_thread_case(cases, form, true);
    return;
  }
  const bool global = form.name.find("bulk_group") != form.name.npos;
  for (const std::uint32_t bytes : {16, 32}) {
    (global ? add_global_case : add_copy_case)(cases, form, bytes);
  }
}

}  // namespace clcsim::conformance
