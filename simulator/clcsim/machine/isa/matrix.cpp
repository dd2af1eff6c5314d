// ldmatrix and stmatrix: a warp moves 8 x 8 matrices of 16-bit elements between shared memory and
// its registers. PTX ISA 9.0, 9.7.14.5.15 and 9.7.14.5.16.
//
// Lane 8m + r names the row r of matrix m: 16 bytes. Lane i holds two elements of each matrix,
// those of row i / 4 and columns 2 (i % 4) and the next one; of a transposed matrix, rows and
// columns are exchanged. Observers are told that this lane accesses them, and not the one that
// names the row.
#include <algorithm>
#include <bit>
#include <string>

#include "machine/isa/transfer.h"

namespace clcsim::machine::isa {
namespace {

constexpr int kRows = 8, kRowBytes = 16, kHalf = 2;
constexpr std::uint32_t kTransposed = 1, kGeneric = 2;  // the form's constant

/// Whether all lanes are here; otherwise they wait until the last one has come.
bool all_here(Warp& warp, LaneMask lanes) {
  if (warp.live != kAllLanes) {
    throw DeviceFault{FaultKind::illegal_instruction, Rule::warp_sync_mask,
                      "all 32 threads of a warp execute ldmatrix and stmatrix together: here some "
                      "have exited, or the block has no such threads",
                      std::countr_zero(lanes)};
  }
  if (lanes == kAllLanes) return true;
  if (!warp.join_waiting(kAllLanes)) warp.park(lanes, Wait::lanes, kAllLanes);
  return false;
}

void announce(Warp& warp, const Instruction& in, Access::Kind kind, std::uint32_t entry,
              std::uint32_t size, const std::uint64_t* addresses) {
  if (!warp.gpu->watched(kMemory)) return;
  Access access{.warp = warp, .in = in, .lanes = kAllLanes, .kind = kind, .space = Space::shared};
  access.size = size;
  access.value = entry;
  std::copy_n(addresses, kLanes, access.addresses.begin());
  warp.gpu->notify(kMemory, [&](Observer& observer) { observer.memory_accessed(access); });
}

/// `entry`: of the first register. Elements that lie side by side are moved, and told of, together.
template <int kCount, bool kStores>
Step move_matrices(Warp& warp, const Instruction& in, LaneMask lanes) {
  if (!all_here(warp, lanes)) return Step::moved;
  constexpr std::uint32_t entry = kStores ? 2 : 0;
  const std::uint32_t form = in.operand[kCount + 2];
  const bool transposed = (form & kTransposed) != 0;
  const Addresses named(warp, in, kStores ? 0 : kCount);
  std::uint64_t rows[kLanes];
  for (int i = 0; i < kCount * kRows; ++i) {
    rows[i] = to_shared(named[i], (form & kGeneric) != 0, i);
    bytes_at<Space::shared>(warp, rows[i], kRowBytes, i);
  }
  for (int matrix = 0; matrix < kCount; ++matrix) {
    auto* registers = warp.lanes_of<std::uint32_t>(in.operand[entry + matrix]);
    const std::uint64_t* row = rows + matrix * kRows;
    const int size = transposed ? kHalf : 2 * kHalf;
    for (int byte = 0; byte < 2 * kHalf; byte += size) {
      std::uint64_t at[kLanes];
      for (int i = 0; i < kLanes; ++i) {
        const int major = i / 4, minor = 2 * (i % 4) + byte / kHalf;
        at[i] = transposed ? row[minor] + kHalf * major : row[major] + kHalf * minor;
      }
      announce(warp, in, kStores ? Access::Kind::write : Access::Kind::read, entry + matrix, size,
               at);
      for (int i = 0; i < kLanes; ++i) {
        std::byte* const there = shared_bytes(warp, at[i], size, i);
        std::byte* const here = reinterpret_cast<std::byte*>(registers + i) + byte;
        std::memcpy(kStores ? there : here, kStores ? here : there, size);
      }
    }
  }
  const Time done = charge(warp, false, std::uint64_t{kCount} * kRows * kRowBytes);
  if constexpr (kStores) {
    warp.gpu->progress(warp.now);
  } else {
    warp.path().loads = std::max(warp.path().loads, done);
  }
  return Step::next;
}

template <int kCount>
void add_matrices(FormTable& table) {
  const std::string number = "x" + std::to_string(kCount);
  const std::string registers = "r" + std::to_string(kCount);
  for (const std::uint32_t form : {0u, kTransposed, kGeneric, kGeneric | kTransposed}) {
    const std::string rest = std::string((form & kTransposed) != 0 ? ".trans" : "") +
                             ((form & kGeneric) != 0 ? "" : ".shared") + ".b16";
    // PTX has the shape first. CUTLASS has it behind the number, and ptxas takes both.
    for (const std::string& head : {"m8n8." + number, number + ".m8n8"}) {
      table.add({.name = "ldmatrix.sync.aligned." + head + rest,
                 .signature = "=" + registers + " a",
                 .execute = move_matrices<kCount, false>,
                 .unit = Unit::memory,
                 .facts = {Action::load, Space::shared},
                 .extra = form,
                 .loads = true});
      table.add({.name = "stmatrix.sync.aligned." + head + rest,
                 .signature = "a " + registers,
                 .execute = move_matrices<kCount, true>,
                 .unit = Unit::memory,
                 .facts = {Action::store, Space::shared},
                 .extra = form});
    }
  }
}

}  // namespace

void add_matrix(FormTable& table) {
  add_matrices<1>(table);
  add_matrices<2>(table);
  add_matrices<4>(table);
}

}  // namespace clcsim::machine::isa
