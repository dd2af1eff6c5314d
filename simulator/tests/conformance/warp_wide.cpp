// Cases for the instructions in which the lanes of a warp exchange values.
#include "conformance/kernel.h"

namespace clcsim::conformance {
namespace {

using std::uint32_t;
using std::uint64_t;

/// How the lanes of a warp form groups: all 32, two halves, or two groups of 8 with the other lanes
/// elsewhere. `width` lanes follow one another.
struct Layout {
  uint32_t width, active;
};
constexpr Layout kLayouts[] = {
    {32, 0xffffffff}, {32, 0xffffffff}, {16, 0xffffffff}, {8, 0xff00ff00}};

const Layout& layout_of(uint32_t thread) {
  return kLayouts[thread / 32 % 4];
}

template <class F>
std::vector<uint64_t> for_threads(const Kernel& kernel, F&& value) {
  std::vector<uint64_t> values(kernel.count());
  for (uint32_t i = 0; i < kernel.count(); ++i) values[i] = value(i);
  return values;
}

/// The thread's member mask, as an operand. Sets which threads are active.
std::string add_members(Kernel& kernel) {
  kernel.set_active(
      for_threads(kernel, [](uint32_t i) { return layout_of(i).active >> (i % 32) & 1; }));
  return kernel.operand("b32", for_threads(kernel, [](uint32_t i) {
                          const uint32_t width = layout_of(i).width, first = i % 32 / width * width;
                          return width == 32 ? ~0u : ((1u << width) - 1) << first;
                        }));
}

void add_shuffle(std::vector<Case>& cases, const ptx::Form& form, bool with_predicate) {
  const std::string mode = parts_of(form.name)[2];
  Kernel kernel(cases, form, "warp", with_predicate ? "predicate" : "");
  kernel.details().grid[0] = 4;
  const std::string members = add_members(kernel);
  const std::string a = kernel.operand("b32");
  Random random(99);
  std::vector<uint64_t> b(kernel.count()), c(kernel.count());
  for (uint32_t i = 0; i < kernel.count(); ++i) {
    const uint32_t width = layout_of(i).width;
    b[i] = random.below(4) == 0 ? random.next() & 0xffffffff : random.below(40);
    c[i] = (32 - width) << 8 | (mode == "up" ? 0 : 31);
    if (width == 32) {
      if (i / 32 % 4 == 1) c[i] = random.next() & 0xffffffff;  // any segments, lane by lane
    } else if (mode == "bfly") {
      b[i] %= width;  // a lane outside of the group has no value to give
    }
  }
  const std::string distance = kernel.operand("b32", b), clamp = kernel.operand("b32", c);
  const std::string d = kernel.preset("b32");
  const std::string p = with_predicate ? kernel.preset("pred") : "";
  kernel.begin_active();
  kernel.line(form.name + " " + d + (with_predicate ? "|" + p : "") + ", " + a + ", " + distance +
              ", " + clamp + ", " + members);
  kernel.end_active();
  kernel.result("b32", d);
  if (with_predicate) kernel.result("pred", p);
}

void add_vote(std::vector<Case>& cases, const ptx::Form& form) {
  const bool ballot = form.name.find("ballot") != std::string::npos;
  for (const bool negated : {false, true}) {
    Kernel kernel(cases, form, "warp", negated ? "negated" : "");
    kernel.details().grid[0] = 4;
    const std::string members = add_members(kernel);
    // Mixed, all and none.
    Random random(5);
    const std::string a = kernel.operand("pred", for_threads(kernel, [&](uint32_t i) {
                                           const uint64_t mixed = random.below(2);
                                           const uint32_t warp = i / 32;
                                           return warp % 5 == 1 ? 1 : warp % 5 == 3 ? 0 : mixed;
                                         }));
    const std::string d = kernel.preset(ballot ? "b32" : "pred");
    kernel.begin_active();
    kernel.line(form.name + " " + d + ", " + (negated ? "!" : "") + a + ", " + members);
    kernel.end_active();
    kernel.result(ballot ? "b32" : "pred", d);
  }
}

void add_match(std::vector<Case>& cases, const ptx::Form& form) {
  const std::string type = parts_of(form.name).back();
  const bool all = parts_of(form.name)[1] == "all";
  for (const bool with_predicate : {false, true}) {
    if (with_predicate && !all) continue;
    Kernel kernel(cases, form, "warp", with_predicate ? "predicate" : "");
    kernel.details().grid[0] = 4;
    const std::string members = add_members(kernel);
    Random random(7);
    const std::string a =
        kernel.operand(type, for_threads(kernel, [&](uint32_t i) -> uint64_t {
                         const uint64_t few = random.below(3) << (type == "b64" ? 40 : 8);
                         return i / 32 % 2 ? few : 0x1234567890;  // the same everywhere, or not
                       }));
    const std::string d = kernel.preset("b32");
    const std::string p = with_predicate ? kernel.preset("pred") : "";
    kernel.begin_active();
    kernel.line(form.name + " " + d + (with_predicate ? "|" + p : "") + ", " + a + ", " + members);
    kernel.end_active();
    kernel.result("b32", d);
    if (with_predicate) kernel.result("pred", p);
  }
}

void add_warp_reduction(std::vector<Case>& cases, const ptx::Form& form) {
  Kernel kernel(cases, form, "warp");
  kernel.details().grid[0] = 4;
  const std::string members = add_members(kernel);
  const std::string a = kernel.operand("b32");
  const std::string d = kernel.preset("b32");
  kernel.begin_active();
  kernel.line(form.name + " " + d + ", " + a + ", " + members);
  kernel.end_active();
  kernel.result("b32", d);
}

void add_elect(std::vector<Case>& cases, const ptx::Form& form) {
  for (const bool sink : {false, true}) {
    Kernel kernel(cases, form, "warp", sink ? "sink" : "");
    const std::string members = add_members(kernel);
    const std::string d = kernel.preset("b32"), p = kernel.preset("pred");
    kernel.begin_active();
    kernel.line(form.name + " " + (sink ? "_" : d) + "|" + p + ", " + members);
    kernel.end_active();
    if (!sink) kernel.result("b32", d);
    kernel.result("pred", p);
  }
}

void add_active_mask(std::vector<Case>& cases, const ptx::Form& form) {
  Kernel kernel(cases, form, "warp");
  add_members(kernel);
  const std::string d = kernel.preset("b32");
  kernel.begin_active();
  kernel.line(form.name + " " + d);
  kernel.end_active();
  kernel.result("b32", d);
}

/// Each lane reads what another lane of its group has written to shared memory.
void add_warp_barrier(std::vector<Case>& cases, const ptx::Form& form) {
  Kernel kernel(cases, form, "warp");
  kernel.declare(".shared .align 4 .b8 words[512]");
  const std::string members = add_members(kernel);
  const std::string a = kernel.operand("b32"), d = kernel.preset("b32");
  const std::string own = kernel.fresh("b32"), other = kernel.fresh("b32");
  const std::string base = kernel.fresh("b32");
  kernel.begin_active();
  kernel.line("mov.u32 " + base + ", words");
  kernel.line("shl.b32 " + own + ", %thread, 2");
  kernel.line("add.u32 " + own + ", " + own + ", " + base);
  kernel.line("shl.b32 " + other + ", %thread, 2");
  kernel.line("xor.b32 " + other + ", " + other + ", 28");
  kernel.line("add.u32 " + other + ", " + other + ", " + base);
  kernel.line("st.shared.b32 [" + own + "], " + a);
  kernel.line(form.name + " " + members);
  kernel.line("ld.shared.b32 " + d + ", [" + other + "]");
  kernel.end_active();
  kernel.result("b32", d);
}

}  // namespace

void add_warp_cases(std::vector<Case>& cases, const ptx::Form& form) {
  const std::string op = parts_of(form.name).front();
  if (op == "shfl") {
    add_shuffle(cases, form, false);
    add_shuffle(cases, form, true);
  } else if (op == "vote") {
    add_vote(cases, form);
  } else if (op == "match") {
    add_match(cases, form);
  } else if (op == "redux") {
    add_warp_reduction(cases, form);
  } else if (op == "elect") {
    add_elect(cases, form);
  } else if (op == "activemask") {
    add_active_mask(cases, form);
  } else if (op == "bar") {
    add_warp_barrier(cases, form);
  }
}

}  // namespace clcsim::conformance
