// ldmatrix and stmatrix: a warp moves 8 x 8 matrices of 16-bit elements between shared memory and
// its registers. PTX ISA 9.0, 9.7.14.5.15 and 9.7.14.5.16.
//
// Lane 8m + r names the row r of matrix m: 16 bytes. Lane i holds two elements of each matrix,
// those of row i / 4 and columns 2 (i % 4) and the next one; of a transposed matrix, rows and
// columns are exchanged. Observers are told that this lane accesses them, and not the one that
// names the row.
#include <algorithm>
#include <string>

#include "machine/isa/transfer.h"
#include "machine/isa/whole_warp.h"

namespace clcsim::machine::isa {
namespace {

constexpr int kRows = 8, kRowBytes = 16, kHalf = 2;
constexpr std::uint32_t kTransposed = 1, kGeneric = 2;  // the form's constant

/// `entry`: of the first register. Elements that lie side by side are moved, and told of, together.
template <int kCount, bool kStores>
Step move_matrices(Warp& warp, const Instruction& in, LaneMask lanes) {
  if (!all_here(warp, lanes, "ldmatrix and stmatrix")) return Step::moved;
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
      announce_all(warp, in, kStores ? Access::Kind::write : Access::Kind::read, Space::shared,
                   entry + matrix, size, at);
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
    const std::string name = "matrix.sync.aligned.m8n8." + number + rest;
    table.add({.name = "ld" + name,
               .signature = "=" + registers + " a",
               .execute = move_matrices<kCount, false>,
               .unit = Unit::memory,
               .facts = {Action::load, Space::shared},
               .extra = form,
               .loads = true});
    table.add({.name = "st" + name,
               .signature = "a " + registers,
               .execute = move_matrices<kCount, true>,
               .unit = Unit::memory,
               .facts = {Action::store, Space::shared},
               .extra = form});
  }
}

}  // namespace

void add_matrix(FormTable& table) {
  add_matrices<1>(table);
  add_matrices<2>(table);
  add_matrices<4>(table);
}

}  // namespace clcsim::machine::isa
