#include "machine/tensor_core/product.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "machine/tensor_core/gather.h"
#include "machine/tensor_core/loops.h"

namespace clcsim::machine::tensor_core {
namespace {

/// A product's descriptors, decoded.
struct Decoded {
  InstructionDescriptor what;
  Shape shape;
  Operand a, b;  ///< a: only if A lies in shared memory
};

std::optional<Refusal> decode(const Product& product, Decoded& to) {
  if (auto refusal = decode(product.instruction, product.group, to.what)) return refusal;
  to.shape = {to.what.m, to.what.n, product.group};
  to.a = {{}, to.shape.rows(), to.what.a.mn_major};
  to.b = {{}, to.shape.columns_of_b(), to.what.b.mn_major};
  if (!product.a_in_tensor) {
    if (auto refusal = decode(product.a, 'A', to.a.at)) return refusal;
  }
  return decode(product.b, 'B', to.b.at);
}

/// The cells from `address` on that have `columns` columns and the shape's lanes.
std::optional<Refusal> region(const Shape& shape, std::uint32_t address, std::uint32_t columns,
                              char name, Region& to) {
  const std::uint32_t lane = lane_of(address), column = column_of(address);
  if (lane != 0 && !(lane == 16 && shape.sparse_lanes())) {
    return wrong(std::string(1, name) + " begins in lane " + std::to_string(lane) +
                 " of tensor memory; it must be " + (shape.sparse_lanes() ? "0 or 16" : "0") +
                 " where M is " + std::to_string(shape.m));
  }
  if (column + columns > kTensorColumns) {
    return Refusal{FaultKind::illegal_address,
                   std::string(1, name) + " takes columns " + std::to_string(column) + " to " +
                       std::to_string(column + columns - 1) + " of tensor memory, which has 512"};
  }
  to = {.column = column, .columns = columns};
  to.lanes.fill(shape.sparse_lanes() ? 0xffffu << lane : ~0u);
  return std::nullopt;
}

// ---- gathering ----

using PanelOfA = float[kDepth][kTensorLanes];
using PanelOfB = float[256][kDepth];

void gather_a(const Product& product, const Decoded& decoded, const Side& side, PanelOfA& to) {
  std::memset(to, 0, sizeof to);
  if (product.a_in_tensor) {  // each lane multiplies what it holds itself, two elements in a cell
    const std::uint16_t flip = decoded.what.a.negated ? isa::kHalfSign : 0;
    const std::uint32_t column = column_of(product.a_address);
    for (std::uint32_t k = 0; k < kDepth; ++k) {
      const std::uint32_t* cells = side.cells + cell(0, column + k / 2);
      for (std::uint32_t lane = 0; lane < kTensorLanes; ++lane) {
        const auto bits = static_cast<std::uint16_t>(cells[lane] >> k % 2 * 16 ^ flip);
        to[k][lane] = decoded.what.a.bf16 ? widen<true>(bits) : widen<false>(bits);
      }
    }
    return;
  }
  std::uint32_t lanes[kTensorLanes];
  for (std::uint32_t row = 0; row < decoded.shape.rows(); ++row) {
    lanes[row] = place_of(decoded.shape, row, 0).lane + lane_of(product.d_address);
  }
  const bool twice = decoded.shape.halves();  // for both halves of the columns
  gather(decoded.a, decoded.what.a, side.shared,
         [&](std::uint32_t row, std::uint32_t k, float value) {
           to[k][lanes[row]] = value;
           if (twice) to[k][lanes[row] + kTensorLanes / 2] = value;
         });
}

// ---- D ----

/// Columns of D while they are added to, as f32.
class Strip {
 public:
  Strip(const Product& product, bool f32, const Region& written, std::uint32_t* cells)
      : f32_(f32), written_(written), cells_(cells) {
    const bool whole = std::all_of(written.lanes.begin(), written.lanes.end(),
                                   [](std::uint32_t lanes) { return lanes == ~0u; });
    in_place_ = f32 && whole && product.scale == 0;
    if (in_place_) {
      if (!product.input) std::memset(cells, 0, sizeof copy_);
      return;
    }
    const float factor = std::ldexp(1.0f, -static_cast<int>(product.scale));
    for (std::uint32_t i = 0; i < std::size(copy_); ++i) {
      const float value =
          f32 ? std::bit_cast<float>(cells[i]) : widen<false>(static_cast<std::uint16_t>(cells[i]));
      copy_[i] = product.input ? value * factor : 0;
    }
  }
  float* values() { return in_place_ ? reinterpret_cast<float*>(cells_) : copy_; }
  void store() const {
    if (in_place_) return;
    for (std::uint32_t i = 0; i < std::size(copy_); ++i) {
      if ((written_.lanes[i % kTensorLanes / 32] >> i % 32 & 1) == 0) continue;
      cells_[i] =
          f32_ ? std::bit_cast<std::uint32_t>(copy_[i]) : isa::round_to_half<isa::F16>(copy_[i]);
    }
  }

 private:
  bool f32_, in_place_;
  const Region& written_;
  std::uint32_t* cells_;
  alignas(64) float copy_[kStrip * kTensorLanes];
};

}  // namespace

std::optional<Refusal> inspect(const Product& product, std::uint32_t shared_bytes, Footprint& to) {
  Decoded decoded;
  if (auto refusal = decode(product, decoded)) return refusal;
  const Shape& shape = decoded.shape;
  if (product.scale > 15) {
    return wrong("scale-input-d is " + std::to_string(product.scale) + "; it must be at most 15");
  }
  if (auto refusal = region(shape, product.d_address, shape.columns(), 'D', to.d_cells)) {
    return refusal;
  }
  to.a.reset();
  to.a_cells.reset();
  if (product.a_in_tensor) {
    if (decoded.what.a.mn_major) {
      return wrong(
          "A is transposed (bit 15 of the instruction descriptor), but in tensor memory "
          "it lies row by row");
    }
    to.a_cells.emplace();
    if (auto refusal = region(shape, product.a_address, kDepth / 2, 'A', *to.a_cells)) {
      return refusal;
    }
    if (lane_of(product.a_address) != lane_of(product.d_address)) {
      return wrong("A and D begin in different lanes of tensor memory");
    }
  } else {
    to.a = decoded.a;
    if (auto refusal = inside(decoded.a, shared_bytes, 'A')) return refusal;
  }
  to.b = decoded.b;
  return inside(decoded.b, shared_bytes, 'B');
}

void multiply(const Product& product, std::span<const Side> sides) {
  static const Accumulate add_products = accumulate();
  Decoded decoded;
  decode(product, decoded);
  const Shape& shape = decoded.shape;
  alignas(64) PanelOfB b;
  std::uint32_t first = 0;
  for (const Side& side : sides) {
    gather(decoded.b, decoded.what.b, side.shared,
           [&](std::uint32_t row, std::uint32_t k, float value) { b[first + row][k] = value; });
    first += shape.columns_of_b();
  }

  Region d;
  region(shape, product.d_address, shape.columns(), 'D', d);
  const std::uint32_t* disabled = product.disabled.data();
  for (const Side& side : sides) {
    alignas(64) PanelOfA a;
    gather_a(product, decoded, side, a);
    const Region written = d.without(disabled);
    disabled += written.lanes.size();
    for (std::uint32_t column = 0; column < d.columns; column += kStrip) {
      Strip strip(product, decoded.what.f32, written, side.cells + cell(0, d.column + column));
      const float(*factors)[kDepth] = b + column;
      add_products(strip.values(), a[0], factors[0], factors[shape.halves() ? shape.columns() : 0]);
      strip.store();
    }
  }
}

}  // namespace clcsim::machine::tensor_core
