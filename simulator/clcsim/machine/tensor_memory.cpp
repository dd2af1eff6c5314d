// Columns of tensor memory are taken and given back; who waits for them is woken.
#include "machine/tensor_memory.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "machine/gpu.h"

namespace clcsim::machine {

/// The columns begin at one place in both blocks of a pair, if possible at one that no other block
/// of their SMs has. None: they have to wait.
std::optional<std::uint32_t> Gpu::take_columns(std::span<Block* const> blocks,
                                               std::uint32_t count) {
  std::uint32_t own = 0, others = 0;
  for (Block* block : blocks) {
    const auto here = static_cast<std::uint32_t>(std::count_if(
        blocks.begin(), blocks.end(), [&](Block* other) { return other->sm == block->sm; }));
    if (sms_[block->sm].free_columns < here * count) return std::nullopt;
    own |= block->tensor.units();
    for (Block* other : residents_.blocks()) {
      if (other->sm == block->sm) others |= other->tensor.units();
    }
  }
  const std::uint32_t run = (std::uint32_t{1} << count / kTensorUnit) - 1;
  for (const std::uint32_t taken : {own | others, own}) {
    for (std::uint32_t first = 0; first + count <= kTensorColumns; first += kTensorUnit) {
      if ((taken & run << first / kTensorUnit) != 0) continue;
      for (Block* block : blocks) {
        sms_[block->sm].free_columns -= count;
        block->tensor.add({first, count});
      }
      return first;
    }
  }
  return std::nullopt;
}

void Gpu::give_columns(Block& block, TensorColumns run, Time now) {
  std::erase(block.tensor.runs, run);
  sms_[block.sm].free_columns += run.count;
  progress(now);
  wake_for_columns(block.sm, now);
}

void Gpu::wake_for_columns(std::uint32_t sm, Time now) {
  for (Block* block : residents_.blocks()) {
    if (block->sm != sm) continue;
    for (Warp* warp : block->warps) {
      wake(*warp, Wait::columns, 0, now);  // to free its own
      for (std::uint32_t count = kTensorUnit; count <= kTensorColumns; count *= 2) {
        wake(*warp, Wait::columns, count, now);
      }
    }
  }
}

// ---- products ----

Time Gpu::use_tensor_core(std::uint32_t sm, Time cycles, Time now) {
  Sm& of = sms_[sm];
  of.tensor_free = std::max(now, of.tensor_free) + cycles;
  of.tensor_busy += cycles;
  return of.tensor_free;
}

namespace {

/// tcgen05.cp.128x256b: 32 bytes to each lane.
void copy_rows(const tensor_core::Product& copy, Block& block) {
  tensor_core::Operand rows{.rows = kTensorLanes};
  tensor_core::decode(copy.a, 's', rows.at);
  const std::uint32_t column = tensor_core::column_of(copy.d_address);
  rows.for_each_chunk([&](std::uint32_t offset, std::uint32_t lane, std::uint32_t k) {
    std::uint32_t words[tensor_core::kChunk / 4];
    std::memcpy(words, block.shared.data() + offset, sizeof words);
    for (std::uint32_t i = 0; i < std::size(words); ++i) {
      block.tensor.cell(lane, column + k / 2 + i) = words[i];
    }
  });
}

}  // namespace

void Gpu::finish_work(Block& issuer, const TensorCommit& commit) {
  std::erase_if(issuer.tensor.work, [&](const TensorWork& work) {
    const tensor_core::Product& product = work.product;
    if (work.thread != commit.thread || product.group != commit.group ||
        work.serial > commit.last) {
      return false;
    }
    std::vector<Block*> blocks{&issuer};
    if (product.group == 2) {
      Block* const* const even = issuer.cluster->blocks.data() + (issuer.rank & ~1u);
      blocks.assign(even, even + 2);
    }
    if (std::find(blocks.begin(), blocks.end(), nullptr) != blocks.end()) return true;
    std::vector<tensor_core::Side> sides;
    for (Block* block : blocks) {
      if (work.copies) copy_rows(product, *block);
      sides.push_back({block->shared, block->tensor.cells.data()});
    }
    if (!work.copies) tensor_core::multiply(product, sides);
    return true;
  });
}

}  // namespace clcsim::machine
