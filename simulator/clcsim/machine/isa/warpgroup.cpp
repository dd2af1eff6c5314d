// Products of a warpgroup: wgmma of f16 and bf16. PTX ISA 9.1, 9.7.15.
//
// Each warp makes the 16 rows of D whose registers it has. They are made as late as PTX allows, in
// the order of their issue, when the warp waits for their group: what shared memory and the
// registers hold then is what counts.
#include <algorithm>
#include <bit>
#include <string>

#include "machine/isa/tensor_access.h"
#include "machine/isa/watch.h"
#include "machine/isa/whole_warp.h"
#include "machine/tensor_core/gather.h"
#include "machine/tensor_core/loops.h"

namespace clcsim::machine::isa {
namespace {

using tensor_core::kDepth;
using tensor_core::kStrip;
using tensor_core::Operand;

constexpr std::uint32_t kWarps = 4, kRows = 16;  // of a warpgroup; of a warp
// 2,048 dense multiply-adds of f16 a cycle and SM: an H100's 989 TFLOPS by 132 SMs and 1.83 GHz
// (https://glennklockwood.com/garden/processors/h100). A column of a warp's rows takes 16 * 16 of
// them.
constexpr Time kColumnsInACycle = 8;

// The form's constant: N, and
enum : std::uint32_t { kN = 0x1ff, kBf16 = 0x200, kHalfD = 0x400, kRegistersOfA = 0x800 };

/// The entries of an instruction: d, a, b, scale-d, imm-scale-a, -b {, imm-trans-a}, -b.
struct Entries {
  std::uint32_t form, n, registers;  ///< registers: of D
  const std::uint32_t *d, *a, *b, *input, *scales, *transposes;

  Entries(Warp& warp, const Instruction& in) {
    const ptx::Program& program = *warp.block->grid->launch.program;
    form = *program.forms[in.form]->extra;
    n = form & kN;
    registers = has(kHalfD) ? n / 4 : n / 2;
    d = ptx::entries_of(program, in);
    a = d + registers;
    b = a + (has(kRegistersOfA) ? 4 : 1);
    input = b + 1;
    scales = input + 2;
    transposes = scales + 2;
  }
  bool has(std::uint32_t flag) const { return (form & flag) != 0; }
  std::uint32_t transpose_of_b() const { return transposes[has(kRegistersOfA) ? 0 : 1]; }
};

void check_number(std::uint32_t number, std::uint32_t one, std::uint32_t other, const char* name) {
  if (number == one || number == other) return;
  refuse(tensor_core::wrong(std::string(name) + " is " +
                            std::to_string(static_cast<std::int32_t>(number)) + "; it must be " +
                            std::to_string(static_cast<std::int32_t>(one)) + " or 1"),
         0);
}

/// The matrix that the descriptor in a register tells.
Operand operand_at(Warp& warp, const Instruction& in, std::uint32_t slot, char name,
                   std::uint32_t rows, std::uint32_t transposed, std::uint32_t first) {
  const auto* values = warp.lanes_of<std::uint64_t>(slot);
  if (std::any_of(values, values + kLanes, [&](auto value) { return value != values[0]; })) {
    refuse(tensor_core::wrong(std::string("the lanes of the warp have different descriptors of ") +
                              name),
           0);
  }
  Operand operand{.rows = rows, .mn_major = transposed != 0, .first = first};
  auto refusal = decode(values[0], name, operand.at, tensor_core::Descriptor::wgmma);
  if (!refusal) {
    const auto bytes = static_cast<std::uint32_t>(warp.block->shared.size());
    refusal = inside(operand, bytes, name);
  }
  if (refusal) refuse(*refusal, 0);
  announce_operand(warp, in, 0, *warp.block, operand);
  return operand;
}

/// wgmma.mma_async d, a, b, scale-d, imm-scale-a, imm-scale-b {, imm-trans-a}, imm-trans-b
Step issue_product(Warp& warp, const Instruction& in, LaneMask lanes) {
  if (!all_here(warp, lanes, "wgmma.mma_async")) return Step::moved;
  if (warp.index / kWarps >= warp.block->grid->warps() / kWarps) {
    refuse(tensor_core::wrong("wgmma.mma_async by warp " + std::to_string(warp.index) +
                              ": its warpgroup has fewer than four warps"),
           0);
  }
  const Entries entries(warp, in);
  check_number(entries.scales[0], ~0u, 1, "imm-scale-a");
  check_number(entries.scales[1], ~0u, 1, "imm-scale-b");
  check_number(entries.transposes[0], 0, 1, "imm-trans-a");
  check_number(entries.transpose_of_b(), 0, 1, "imm-trans-b");
  PendingProduct product{.in = &in,
                         .input = ((warp.predicate(entries.input[0]) ^ entries.input[1]) & 1) != 0};
  if (!entries.has(kRegistersOfA)) {
    const std::uint32_t first = warp.index % kWarps * kRows;
    product.a =
        operand_at(warp, in, entries.a[0], 'A', first + kRows, entries.transposes[0], first);
  }
  product.b = operand_at(warp, in, entries.b[0], 'B', entries.n, entries.transpose_of_b(), 0);
  product.ready =
      warp.gpu->use_tensor_core(warp.block->sm, entries.n / kColumnsInACycle, warp.now) +
      warp.gpu->chaos().below(kHostileDelay);
  warp.products.push_back(product);
  watch_order(warp, in, lanes, [](Observer& observer, const Executed& executed) {
    observer.product_issued(executed);
  });
  return Step::next;
}

// ---- when it is done ----

float widen(std::uint32_t bits, bool bf16) {
  const auto low = static_cast<std::uint16_t>(bits);
  return bf16 ? tensor_core::widen<true>(low) : tensor_core::widen<false>(low);
}

/// f(bits, part of them, row, column) for each element of eight columns of D, or of A, whose f16
/// lie as D's do, two in a register (9.7.15.5.1.1.1). `registers`: those of the eight columns.
template <class F>
void for_each_element(Warp& warp, const std::uint32_t* registers, bool half, F&& f) {
  for (std::uint32_t i = 0; i < 4; ++i) {
    auto* const values = warp.lanes_of<std::uint32_t>(registers[half ? i / 2 : i]);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      f(values[lane], half ? i % 2 : 0, lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2);
    }
  }
}

/// The loops of tensor_core make 128 rows by eight columns; here these are D's columns and rows.
void perform(Warp& warp, const PendingProduct& product) {
  static const tensor_core::Accumulate add_products = tensor_core::accumulate();
  constexpr std::uint32_t kWide = tensor_core::kTensorLanes;
  const Entries entries(warp, *product.in);
  const bool half = entries.has(kHalfD), bf16 = entries.has(kBf16);
  const tensor_core::InstructionDescriptor::Input of_a{bf16, entries.scales[0] != 1},
      of_b{bf16, entries.scales[1] != 1};
  float a[kRows][kDepth];
  for (std::uint32_t k = 0; k < kDepth && entries.has(kRegistersOfA); k += 8) {
    const auto put = [&](std::uint32_t bits, std::uint32_t part, std::uint32_t row,
                         std::uint32_t column) {
      a[row][k + column] = widen(bits >> 16 * part ^ (of_a.negated ? kHalfSign : 0), bf16);
    };
    for_each_element(warp, entries.a + k / 4, true, put);
  }
  if (!entries.has(kRegistersOfA)) {
    gather(product.a, of_a, warp.block->shared,
           [&](std::uint32_t row, std::uint32_t k, float value) { a[row % kRows][k] = value; });
  }
  alignas(64) float b[2][kDepth][kWide] = {};
  gather(product.b, of_b, warp.block->shared,
         [&](std::uint32_t column, std::uint32_t k, float value) {
           b[column / kWide][k][column % kWide] = value;
         });
  for (std::uint32_t first = 0; first < entries.n; first += kWide) {
    alignas(64) float d[kRows][kWide] = {};
    const auto for_each = [&](auto&& f) {
      for (std::uint32_t eight = first; eight < std::min(entries.n, first + kWide); eight += 8) {
        for_each_element(
            warp, entries.d + eight / (half ? 4 : 2), half,
            [&](std::uint32_t& bits, std::uint32_t part, std::uint32_t row, std::uint32_t column) {
              f(bits, part, d[row][eight - first + column]);
            });
      }
    };
    if (product.input) {
      for_each([&](std::uint32_t bits, std::uint32_t part, float& to) {
        to = half ? widen(bits >> 16 * part, false) : std::bit_cast<float>(bits);
      });
    }
    for (std::uint32_t row = 0; row < kRows; row += kStrip) {
      add_products(d[row], b[first / kWide][0], a[row], a[row]);
    }
    for_each([&](std::uint32_t& to, std::uint32_t part, float value) {
      to = half ? (to & 0xffff0000u >> 16 * part) | round_to_half<F16>(value) << 16 * part
                : std::bit_cast<std::uint32_t>(value);
    });
  }
}

Step commit_products(Warp& warp, const Instruction& in, LaneMask lanes) {
  if (!all_here(warp, lanes, "wgmma.commit_group")) return Step::moved;
  const CopyGroups groups{.warp = warp, .in = in, .lanes = lanes, .of = CopyGroups::Of::products};
  warp.gpu->notify(kOrder, [&](Observer& observer) { observer.copies_committed(groups); });
  for (PendingProduct& product : warp.products) ++product.groups_since;
  return Step::next;
}

/// Waits until at most N of the most recent groups are pending.
Step await_products(Warp& warp, const Instruction& in, LaneMask lanes) {
  if (!all_here(warp, lanes, "wgmma.wait_group")) return Step::moved;
  const CopyGroups groups{.warp = warp,
                          .in = in,
                          .lanes = lanes,
                          .of = CopyGroups::Of::products,
                          .left = in.operand[0]};
  warp.gpu->notify(kOrder, [&](Observer& observer) { observer.copies_waited(groups); });
  Time ready = warp.now;
  std::erase_if(warp.products, [&](const PendingProduct& product) {
    if (product.groups_since <= in.operand[0]) return false;
    perform(warp, product);
    ready = std::max(ready, product.ready);
    return true;
  });
  return warp.sleep_until(lanes, ready);
}

Step fence_registers(Warp& warp, const Instruction&, LaneMask lanes) {
  if (!all_here(warp, lanes, "wgmma.fence")) return Step::moved;
  warp.registers_fenced = true;
  return Step::next;
}

void add_products(FormTable& table, std::uint32_t n, const std::string& types,
                  std::uint32_t flags) {
  const std::string name = "wgmma.mma_async.sync.aligned.m64n" + std::to_string(n) + "k16." + types;
  const std::string d = "=r" + std::to_string((flags & kHalfD) != 0 ? n / 4 : n / 2);
  const auto add = [&](const char* rest, std::uint32_t of_a) {
    table.add({.name = name,
               .signature = d + rest,
               .execute = issue_product,
               .unit = Unit::memory,
               .facts = {Action::warpgroup_product},
               .extra = n | flags | of_a});
  };
  add(" l l p i i i i", 0);
  add(" r4 l p i i i", kRegistersOfA);
}

}  // namespace

void add_warpgroup(FormTable& table) {
  for (std::uint32_t n = 8; n <= 256; n += 8) {
    add_products(table, n, "f32.f16.f16", 0);
    add_products(table, n, "f16.f16.f16", kHalfD);
    add_products(table, n, "f32.bf16.bf16", kBf16);
  }
  const auto add = [&](const char* name, const char* signature, ptx::Handler execute) {
    table.add({std::string("wgmma.") + name, signature, execute, Unit::control, {Action::other}});
  };
  add("fence.sync.aligned", "", fence_registers);
  add("commit_group.sync.aligned", "", commit_products);
  add("wait_group.sync.aligned", "i", await_products);
}

}  // namespace clcsim::machine::isa
