// Which file has the cases of which forms, and which forms can't be recorded.

#include <fstream>
#include <sstream>

#include "conformance/case.h"

namespace clcsim::conformance {
namespace {

// With values, which a test must compare by PTX's text.
constexpr const char* kNewer = "needs compute capability 10.0";
constexpr const char* kLosesHalf = "ptxas 13.0 loses the upper half of such a parameter";
constexpr const char* kAddsIntegers =
    "ptxas 13.0 adds them as integers where the memory is another block's";

// Without, or compared elsewhere.
constexpr const char* kEnds = "ends the kernel: nothing can be read back";
constexpr const char* kProgram = "compared as a whole program: tests/teaching/objects.cu";
constexpr const char* kSpeed = "changes how fast a kernel is: nothing to read back";
constexpr const char* kOrders = "nothing to read back: tests/checks/kernels/tensor.txt";
constexpr const char* kPrints = "writes to the host's output, not to memory";
constexpr const char* kRefused = "not an instruction";
constexpr const char* kDiscards =
    "leaves values that PTX doesn't determine: tests/machine/newer_test.cpp";

constexpr const char* kArithmeticTest = "isa/arithmetic_test.cpp";
constexpr const char* kMemoryTest = "machine/memory_test.cpp";
constexpr const char* kNewerTest = "machine/newer_test.cpp";

/// Patterns of a name, and of a signature where that matters. `*` stands at the start or the end.
struct Rule {
  const char *name, *signature, *reason;
  const char* test = nullptr;  ///< the file of tests/ that compares the values, and names the rule
};
constexpr Rule kExempt[] = {
    {"clusterlaunchcontrol.*", "*", kNewer, kNewerTest},
    {"*.f32x2", "*", kNewer, kArithmeticTest},
    {"*.f32.f16", "=f r f", kNewer, kArithmeticTest},
    {"*.f32.f16", "=f r r f", kNewer, kArithmeticTest},
    {"*.f32.bf16", "=f r f", kNewer, kArithmeticTest},
    {"*.f32.bf16", "=f r r f", kNewer, kArithmeticTest},
    {"cp.async.bulk.global.shared.bulk_group.cp_mask", "*", kNewer, kMemoryTest},
    {"redux.sync.min*", "=f f r", kNewer, kNewerTest},
    {"redux.sync.max*", "=f f r", kNewer, kNewerTest},
    {"min.*", "=f f f f", kNewer, kArithmeticTest},
    {"max.*", "=f f f f", kNewer, kArithmeticTest},
    {"ld.global.v8.*", "*", kNewer, kNewerTest},
    {"st.global.v8.*", "*", kNewer, kNewerTest},
    {"ld.global.v4.b64", "*", kNewer, kNewerTest},
    {"ld.global.v4.u64", "*", kNewer, kNewerTest},
    {"ld.global.v4.s64", "*", kNewer, kNewerTest},
    {"ld.global.v4.f64", "*", kNewer, kNewerTest},
    {"st.global.v4.b64", "*", kNewer, kNewerTest},
    {"st.global.v4.u64", "*", kNewer, kNewerTest},
    {"st.global.v4.s64", "*", kNewer, kNewerTest},
    {"st.global.v4.f64", "*", kNewer, kNewerTest},
    {"ld.param::func.b128", "*", kLosesHalf, kNewerTest},
    {"st.param::func.b128", "*", kLosesHalf, kNewerTest},
    {"atom.shared::cluster.add.noftz.f16x2", "*", kAddsIntegers, kNewerTest},
    {"atom.shared::cluster.add.noftz.bf16x2", "*", kAddsIntegers, kNewerTest},
    {"red.shared::cluster.add.noftz.f16x2", "*", kAddsIntegers, kNewerTest},
    {"red.shared::cluster.add.noftz.bf16x2", "*", kAddsIntegers, kNewerTest},
    {"st.bulk", "*", kNewer, kNewerTest},
    {"st.bulk.shared", "*", kNewer, kNewerTest},
    {"tcgen05.*", "*", kNewer, "machine/tensor_memory_test.cpp"},
    {"*.cta_group::2", "*", kNewer, "machine/tensor_memory_test.cpp"},
    {"cp.async.bulk.prefetch.tensor.*", "*", kSpeed},
    {"prefetch.tensormap", "*", kSpeed},
    {"prefetch.param.tensormap", "*", kSpeed},
    {"fence.proxy.tensormap::generic.*", "*", kOrders},
    {"trap", "*", kEnds},
    {"brkpt", "*", kEnds},
    {"call __assertfail", "*", kEnds},
    {"call vprintf", "*", kPrints},
    {"setmaxnreg.*", "*", kSpeed},
    {"griddepcontrol.*", "*", kSpeed},
    {"createpolicy.*", "*", kSpeed},
    {"call malloc", "*", kProgram},
    {"call free", "*", kProgram},
    {"call pointer", "*", kProgram},
    {"call returned", "*", kProgram},
    {"refused", "*", kRefused},
    {"discard.*", "*", kDiscards},
    {"prefetch.global.L2::*", "*", kSpeed},
};

bool matches(const std::string& text, const std::string& pattern) {
  if (pattern.starts_with('*')) return text.ends_with(pattern.substr(1));
  if (pattern.ends_with('*')) return text.starts_with(pattern.substr(0, pattern.size() - 1));
  return text == pattern;
}

using Adder = void (*)(std::vector<Case>&, const ptx::Form&);

Adder adder_for(const std::string& form) {
  struct Entry {
    const char* operation;
    Adder add;
  };
  static constexpr Entry kEntries[] = {
      {"shfl", add_warp_cases},         {"vote", add_warp_cases},
      {"match", add_warp_cases},        {"redux", add_warp_cases},
      {"elect", add_warp_cases},        {"activemask", add_warp_cases},
      {"ld", add_load_cases},           {"st", add_store_cases},
      {"cvta", add_address_cases},      {"isspacep", add_address_cases},
      {"mapa", add_address_cases},      {"getctarank", add_address_cases},
      {"prefetch", add_address_cases},  {"prefetchu", add_address_cases},
      {"atom", add_atomic_cases},       {"red", add_atomic_cases},
      {"fence", add_fence_cases},       {"membar", add_fence_cases},
      {"bar", add_barrier_cases},       {"barrier", add_barrier_cases},
      {"mbarrier", add_mbarrier_cases}, {"cp", add_async_cases},
      {"bra", add_control_cases},       {"brx", add_control_cases},
      {"call", add_control_cases},      {"ret", add_control_cases},
      {"exit", add_control_cases},      {"pmevent", add_control_cases},
      {"nanosleep", add_control_cases}, {"ldmatrix", add_matrix_cases},
      {"stmatrix", add_matrix_cases},   {"mma", add_product_cases},
      {"wmma", add_product_cases},      {"wgmma", add_warpgroup_cases},
  };
  if (form.starts_with('%')) return add_register_cases;
  if (form == "bar.warp.sync") return add_warp_cases;
  if (form.starts_with("cp.async.bulk.tensor.") || form.ends_with("multicast::cluster")) {
    return add_tensor_cases;
  }
  const std::string operation = parts_of(form).front();
  if (form.starts_with("st.async.") || form.starts_with("red.async.") ||
      form.starts_with("cp.reduce.") || form.starts_with("cp.async.bulk.shared::cluster.shared.")) {
    return add_peer_cases;
  }
  for (const Entry& entry : kEntries) {
    if (operation == entry.operation) return entry.add;
  }
  return add_arithmetic_cases;
}

}  // namespace

std::vector<std::string> parts_of(const std::string& form) {
  std::vector<std::string> parts(1);
  for (const char c : form) {
    if (c == '.') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

const char* exemption(const ptx::Form& form) {
  for (const Rule& rule : kExempt) {
    if (matches(form.name, rule.name) && matches(form.signature, rule.signature)) {
      return rule.reason;
    }
  }
  return nullptr;
}

std::vector<std::string> untested_exemptions(const std::string& tests) {
  std::vector<std::string> untested;
  for (const Rule& rule : kExempt) {
    const std::string reason = rule.reason;
    if (reason != kNewer && reason != kLosesHalf && reason != kAddsIntegers) continue;
    std::stringstream text;
    if (rule.test != nullptr) text << std::ifstream(tests + "/" + rule.test).rdbuf();
    if (text.str().find(rule.name) == std::string::npos) untested.emplace_back(rule.name);
  }
  return untested;
}

std::vector<Case> all_cases(const ptx::FormTable& table) {
  std::vector<Case> cases;
  for (const ptx::Form* form : table.all()) {
    if (exemption(*form) == nullptr) adder_for(form->name)(cases, *form);
  }
  return cases;
}

}  // namespace clcsim::conformance
