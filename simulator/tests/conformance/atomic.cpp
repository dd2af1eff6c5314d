// Cases for atom, red and the fences.
#include <algorithm>
#include <bit>

#include "conformance/kernel.h"

namespace clcsim::conformance {
namespace {

using std::uint32_t;
using std::uint64_t;

/// The form's name in parts, without the one that says that f16 and bf16 have subnormal numbers.
std::vector<std::string> parts_of_atomic(const ptx::Form& form) {
  std::vector<std::string> parts = parts_of(form.name);
  std::erase(parts, "noftz");
  return parts;
}

/// Where the cells are that the operation works on.
enum class Sharing {
  own,     ///< each thread has one
  common,  ///< all threads of a block share one: only its last value is known
};

bool order_matters(const std::string& operation) {
  return operation == "exch" || operation == "cas";
}

void synchronize_sharers(Kernel& kernel, bool cluster) {
  kernel.line(cluster ? "barrier.cluster.arrive.aligned" : "bar.sync 0");
  if (cluster) kernel.line("barrier.cluster.wait.aligned");
}

void add_case(std::vector<Case>& cases, const ptx::Form& form, Sharing sharing, bool in_shared) {
  const std::vector<std::string> parts = parts_of_atomic(form);
  const std::string type = parts.back(), operation = parts[parts.size() - 2];
  const std::string space = parts.size() == 4 ? parts[1] : "";
  const bool returns = parts[0] == "atom", cluster = space == "shared::cluster";
  const bool common = sharing == Sharing::common;
  const std::string variant = std::string(common ? "common cell" : "own cells") +
                              (space.empty() ? in_shared ? ", shared" : ", global" : "");
  Kernel kernel(cases, form, "atomic", variant);
  if (cluster) kernel.details().cluster = 2;

  // Small integers can be added in any order, as floating-point numbers too.
  const auto values = [&](uint32_t seed) {
    std::vector<uint64_t> result = values_of(type, Role::any, seed, kernel.count());
    const bool half = is_half(type);
    if (!common || (type[0] != 'f' && !half)) return result;
    for (uint64_t& value : result) {
      if (half) {
        value = value & 1 ? type[0] == 'f' ? 0x3c00 : 0x3f80 : 0;  // 1 or 0
        continue;
      }
      const double small = static_cast<double>(value % 100);
      value = type == "f64" ? std::bit_cast<uint64_t>(small)
                            : std::bit_cast<uint32_t>(static_cast<float>(small));
    }
    return result;
  };
  std::vector<uint64_t> start = values(11);
  if (common) std::fill(start.begin(), start.end(), start[0]);
  const std::string initial = kernel.operand(type, start);
  std::vector<uint64_t> operand = values(12);
  if (operation == "inc" || operation == "dec") {
    for (std::size_t i = 0; i < operand.size(); i += 3)
      operand[i] = (start[i] + i % 7 - 3) & 0xffffffff;
    if (common) std::fill(operand.begin(), operand.end(), 41);
  }
  if (operation == "cas") {
    for (std::size_t i = 0; i < operand.size(); i += 2) operand[i] = start[i];
  }
  const std::string b = kernel.operand(type, operand);
  const std::string c = operation == "cas" ? kernel.operand(type) : "";

  // The cells take 8 bytes each.
  const std::string word = (type[0] == 'f' && !is_half(type)) || type == "b16"
                               ? type
                               : "b" + std::to_string(bits_of_type(type));
  const std::string cell = kernel.fresh("b64"), base = kernel.fresh("b64");
  const std::string access = space.empty() ? in_shared ? "shared" : "global" : space;
  const bool global = access == "global";
  if (global) {
    kernel.line("add.u64 " + base + ", %outputs, " + std::to_string(kernel.memory_results(1)));
    kernel.line("mul.wide.u32 " + cell + ", " + (common ? "%block" : "%index") + ", 8");
  } else {
    kernel.declare(".shared .align 8 .b8 cells[" + std::to_string(8 * kernel.details().threads()) +
                   "]");
    kernel.line("mov.u64 " + base + ", cells");
    kernel.line("mul.wide.u32 " + cell + ", " + (common ? "%zero" : "%thread") + ", 8");
  }
  kernel.line("add.u64 " + cell + ", " + cell + ", " + base);
  const std::string plain = global ? "global" : "shared";
  kernel.line("st." + plain + "." + word + " [" + cell + "], " + initial);
  synchronize_sharers(kernel, cluster);
  std::string there = cell;
  if (cluster) {
    there = kernel.in_other_block("u64", cell);
  } else if (space.empty()) {
    there = kernel.fresh("b64");
    kernel.line("cvta." + plain + ".u64 " + there + ", " + cell);
  }
  const std::string d = returns ? kernel.preset(type) : "";
  kernel.begin_active();
  kernel.line(form.name + " " + (returns ? d + ", " : "") + "[" + there + "], " + b +
              (c.empty() ? "" : ", " + c));
  kernel.end_active();
  synchronize_sharers(kernel, cluster);
  if (returns && !common) kernel.result(type, d);
  if (!global) {
    const std::string last = kernel.fresh(type);
    kernel.line("ld.shared." + word + " " + last + ", [" + cell + "]");
    kernel.result(type, last);
  }
}

/// Each thread has a vector of cells, or all of a block share one. `count` is twice the form's
/// where the decoder makes two of one.
void add_vector_case(std::vector<Case>& cases, const ptx::Form& form, Sharing sharing,
                     uint32_t count) {
  const std::vector<std::string> parts = parts_of_atomic(form);
  const std::string type = parts.back(), word = "b" + std::to_string(bits_of_type(type));
  const bool returns = parts[0] == "atom", common = sharing == Sharing::common;
  const bool doubled = parts[parts.size() - 2] != "v" + std::to_string(count);
  const std::string variant = common ? "common cells" : "own cells";
  Kernel kernel(cases, form, "atomic", variant + (doubled ? ", v8" : ""));
  const auto values = [&](uint32_t seed, bool alike) {
    std::vector<uint64_t> result = values_of(type, Role::any, seed, kernel.count());
    if (!common) return result;
    for (uint64_t& value : result) {  // sums of small integers are exact in any order
      if (alike) value = 0;
      if (type == "f32") value = std::bit_cast<uint32_t>(static_cast<float>(value % 100));
      if (type != "f32") value = value & 1 ? type[0] == 'f' ? 0x3c00 : 0x3f80 : 0;
    }
    return result;
  };
  const auto bytes = count * static_cast<uint32_t>(bits_of_type(type)) / 8;
  const std::string base = kernel.fresh("b64"), cell = kernel.fresh("b64");
  kernel.line("add.u64 " + base + ", %outputs, " + std::to_string(kernel.memory_results(2)));
  kernel.line("mul.wide.u32 " + cell + ", " + (common ? "%block" : "%index") + ", " +
              std::to_string(bytes));
  kernel.line("add.u64 " + cell + ", " + cell + ", " + base);
  std::string added, old;
  std::vector<std::string> returned;
  for (uint32_t k = 0; k < count; ++k) {
    const std::string comma = k ? ", " : "{";
    const std::string at = "[" + cell + "+" + std::to_string(k * bytes / count) + "]";
    const std::string start = kernel.operand(type, values(2 * k + 1, true));
    kernel.line("st.global." + (type == "f32" ? type : word) + " " + at + ", " + start);
    added += comma + kernel.operand(type, values(2 * k + 2, false));
    if (returns) returned.push_back(kernel.preset(type)), old += comma + returned.back();
  }
  synchronize_sharers(kernel, false);
  std::string name = form.name;
  if (doubled) name.replace(name.find(".v4.") + 2, 1, "8");
  kernel.begin_active();
  kernel.line(name + " " + (returns ? old + "}, " : "") + "[" + cell + "], " + added + "}");
  kernel.end_active();
  for (const std::string& reg : returned) {
    if (!common) kernel.result(type, reg);
  }
}

}  // namespace

void add_atomic_cases(std::vector<Case>& cases, const ptx::Form& form) {
  const std::vector<std::string> parts = parts_of_atomic(form);
  const std::string& vector = parts[parts.size() - 2];
  if (vector[0] == 'v') {
    const uint32_t count = static_cast<uint32_t>(vector[1] - '0');
    const bool doubled = count == 4 && parts[0] == "atom" && bits_of_type(parts.back()) == 16;
    for (const Sharing sharing : {Sharing::own, Sharing::common}) {
      add_vector_case(cases, form, sharing, count);
      if (doubled) add_vector_case(cases, form, sharing, 8);
    }
    return;
  }
  for (const Sharing sharing : {Sharing::own, Sharing::common}) {
    const std::string operation = parts[parts.size() - 2];
    if (sharing == Sharing::common && order_matters(operation)) continue;
    // For sm_90, ptxas 13.0 makes a load and a store of these where the memory is another block's.
    if (sharing == Sharing::common && parts[1] == "shared::cluster" &&
        bits_of_type(parts.back()) == 64 && operation != "add") {
      continue;
    }
    add_case(cases, form, sharing, false);
    if (parts.size() == 3) add_case(cases, form, sharing, true);
  }
}

/// What a thread has written before the fence it reads after it, and its neighbour too.
void add_fence_cases(std::vector<Case>& cases, const ptx::Form& form) {
  Kernel kernel(cases, form, "memory");
  const bool cluster = form.name.find("cluster") != form.name.npos;
  if (cluster) kernel.details().cluster = 2;
  kernel.declare(".shared .align 8 .b8 words[1024]");
  const std::string a = kernel.operand("b64"), own = kernel.preset("b64"), d = kernel.preset("b64");
  const std::string base = kernel.fresh("b32"), mine = kernel.fresh("b32");
  kernel.line("mov.u32 " + base + ", words");
  kernel.line("mad.lo.u32 " + mine + ", %thread, 8, " + base);
  kernel.line("st.shared.b64 [" + mine + "], " + a);
  kernel.begin_active();
  kernel.line(form.name);
  kernel.line("ld.shared.b64 " + own + ", [" + mine + "]");
  kernel.end_active();
  kernel.line("bar.sync 0");
  kernel.line("xor.b32 " + mine + ", " + mine + ", 8");
  kernel.line("ld.shared.b64 " + d + ", [" + mine + "]");
  kernel.result("b64", own);
  kernel.result("b64", d);
}

}  // namespace clcsim::conformance
