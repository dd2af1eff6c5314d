// Who last wrote and who has since read each word of a block's shared memory.
//
// 12 bytes for each word of 4; more only where threads of several warps read a word between two
// writes, or where parts of a word are accessed on their own.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/program.h"

namespace clcsim::checks {

using ptx::LaneMask;

/// Whom an operation with a scope orders memory for.
enum class Reach : std::uint8_t { block, cluster, gpu };
constexpr std::size_t kReaches = 3;

/// Without a scope: an operation that reaches all.
constexpr Reach reach_of(ptx::Scope scope) {
  if (scope == ptx::Scope::cta) return Reach::block;
  return scope == ptx::Scope::cluster ? Reach::cluster : Reach::gpu;
}

/// Of an atomic read-modify-write operation; 0: it is none, or on a part of a word, which
/// libraries make of one on the word.
constexpr std::uint8_t atomic_bytes(bool atomic, std::uint32_t size) {
  return atomic && size >= 4 ? static_cast<std::uint8_t>(size) : 0;
}

/// An instruction that a warp executed at one time of its clock: stands for all its lanes.
struct Record {
  std::uint32_t warp = 0;  ///< in the cluster, or ClusterState::number
  std::uint32_t tick = 0;
  std::uint32_t location = 0;
  bool strong = false;  ///< atomic, volatile, or with an order
  bool writes = false;
  Reach reach = Reach::gpu;       ///< of one that is strong
  std::uint8_t atomic_bytes = 0;  ///< see atomic_bytes()
  bool allocates = false;         ///< tcgen05.alloc: PTX doesn't say by which proxy it writes

  bool operator==(const Record&) const = default;
  /// Whether it does the same as the other one, perhaps elsewhere or at another time.
  bool same_kind(const Record& other) const {
    return strong == other.strong && writes == other.writes && reach == other.reach &&
           atomic_bytes == other.atomic_bytes;
  }
};

/// A record and a lane, or one of the other things that a cell can hold. 0 is nothing.
class Ref {
 public:
  Ref() = default;
  static Ref access(std::uint32_t record, int lane = 0) {
    return Ref(record << 5 | static_cast<std::uint32_t>(lane));
  }
  static Ref async(std::uint32_t index) { return Ref(kAsync | index); }
  static Ref readers(std::uint32_t index) { return Ref(kReaders | index); }
  static Ref bytes(std::uint32_t index) { return Ref(kBytes | index); }

  explicit operator bool() const { return bits_ != 0; }
  bool is_access() const { return bits_ != 0 && bits_ >> kTagShift == 0; }
  bool is_async() const { return (bits_ & kTag) == kAsync; }
  bool is_readers() const { return (bits_ & kTag) == kReaders; }
  bool is_bytes() const { return (bits_ & kTag) == kBytes; }
  std::uint32_t record() const { return bits_ >> 5; }
  int lane() const { return static_cast<int>(bits_ & 31); }
  std::uint32_t index() const { return bits_ & ~kTag; }

 private:
  explicit Ref(std::uint32_t bits) : bits_(bits) {}
  static constexpr int kTagShift = 30;
  static constexpr std::uint32_t kTag = 3u << kTagShift;
  static constexpr std::uint32_t kAsync = 1u << kTagShift, kReaders = 2u << kTagShift,
                                 kBytes = 3u << kTagShift;
  std::uint32_t bits_ = 0;
};

struct Cell {
  Ref write;           ///< or bytes(): four cells, one for each byte
  Ref readers;         ///< since that write; atomics are here, too
  LaneMask lanes = 0;  ///< of the readers, where one record stands for all of them
};

/// One of several records that have read a cell.
struct Reader {
  std::uint32_t record = 0;
  LaneMask lanes = 0;
  bool same = false;  ///< it stored what was there already
  bool writes = false;
};

struct Readers {
  std::vector<Reader> all;
  /// What they have done, and those that aren't kept any more.
  struct Done {
    bool writes = false, weak = false;
    Reach least = Reach::gpu;  ///< of those that are strong
    std::uint8_t sizes = 0;    ///< atomic_bytes() of each
  };
  Done done;
};

class SharedShadow {
 public:
  /// Makes the cells when the memory is first used.
  void prepare(std::size_t bytes) {
    if (cells_.empty()) cells_.resize((bytes + 3) / 4);
  }
  bool used() const { return !cells_.empty(); }
  bool shared_with_others = false;  ///< other blocks of the cluster have accessed it
  Cell& cell(std::uint32_t offset) { return cells_[offset / 4]; }
  Cell* bytes_of(Cell& cell) { return bytes_[cell.write.index()].cells; }
  /// Turns a cell into four, each of which names the asynchronous write that it named.
  Cell* split(Cell& cell);
  /// Turns four, of which nothing is kept, into one again.
  void join(Cell& cell);

  const Record& record(std::uint32_t index) const { return records_[index]; }
  /// The record's number; equal records of a warp that follow one another share one.
  std::uint32_t add_record(const Record& record);

  Readers& readers(std::uint32_t set) { return sets_[set]; }
  const Readers& readers(std::uint32_t set) const { return sets_[set]; }
  std::uint32_t new_set();
  void release_set(std::uint32_t set);
  void add_reader(std::uint32_t set, const Reader& reader);
  /// Those for which f(reader) says so.
  template <class F>
  void drop_readers(std::uint32_t set, F&& f) {
    readers_held_ -= std::erase_if(sets_[set].all, f);
  }
  /// Readers of one cell that are told apart: of more the last ones. A race may be missed then, and
  /// none is made up.
  static constexpr std::size_t kMostReaders = 64;
  /// Whether a set may grow.
  bool room() const { return readers_held_ < kFewReaders || readers_held_ < cells_.size() / 16; }

  /// What all of this takes.
  std::size_t bytes() const;

  template <class F>
  void for_each_cell(F&& f) {
    for (Cell& cell : cells_) {
      if (cell.write.is_bytes()) {
        Cell* const bytes = bytes_of(cell);
        for (int i = 0; i < 4; ++i) f(bytes[i]);
      } else {
        f(cell);
      }
    }
  }

 private:
  void collect();

  static constexpr std::size_t kFewRecords = 256;
  static constexpr std::size_t kFewReaders = 1024;
  struct Bytes {
    Cell cells[4];
  };
  std::vector<Cell> cells_;
  std::vector<Bytes> bytes_;
  std::vector<std::uint32_t> idle_bytes_;
  std::vector<Record> records_ = std::vector<Record>(1);  // number 0 is not used
  std::vector<std::uint32_t> latest_;                     // record of each warp, 0: none
  std::vector<Readers> sets_ = std::vector<Readers>(1);
  std::vector<std::uint32_t> idle_sets_;
  std::size_t readers_held_ = 0;
  std::size_t collect_at_ = kFewRecords;
};

}  // namespace clcsim::checks
