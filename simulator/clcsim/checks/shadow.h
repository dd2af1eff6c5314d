// Who last wrote and who has since read each word of memory: what the cells name by number, and the
// cells of a block's shared memory. Those of global memory are in global_shadow.h.
//
// 12 bytes for each word of 4; more only where threads of several warps read a word between two
// writes, or where parts of a word are accessed on their own.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "ptx/program.h"

namespace clcsim::checks {

using ptx::LaneMask;

/// Whom an operation with a scope orders memory for.
enum class Reach : std::uint8_t { block, cluster, gpu, system };
constexpr std::size_t kReaches = 3;  ///< that are followed: the last one is told from gpu by copies

/// Without a scope: an operation that reaches all.
constexpr Reach reach_of(ptx::Scope scope) {
  if (scope == ptx::Scope::cta) return Reach::block;
  return scope == ptx::Scope::cluster ? Reach::cluster : Reach::gpu;
}

/// An instruction that a warp executed at one time of its clock: stands for all its lanes.
struct Record {
  std::uint32_t cluster = 0;  ///< its id
  std::uint32_t tick = 0;
  std::uint32_t location = 0;
  std::uint16_t warp = 0;        ///< in the cluster, or ClusterState::number
  std::uint16_t strong : 1 = 0;  ///< atomic, volatile, or with an order
  std::uint16_t writes : 1 = 0;
  std::uint16_t atomic : 1 = 0;     ///< read-modify-write
  std::uint16_t mild : 1 = 0;       ///< a read of which nothing may come: see Fate
  std::uint16_t reach : 2 = 0;      ///< Reach, of one that is strong
  std::uint16_t sizes : 5 = 0;      ///< bytes of one that is atomic; 0: a part of a word, which
                                    ///< libraries make of one on the word
  std::uint16_t shift : 4 = 0;      ///< log2 of the bytes of a lane, where it may touch whole lines
  std::uint16_t allocates : 1 = 0;  ///< tcgen05.alloc: PTX doesn't say by which proxy it writes

  bool operator==(const Record&) const = default;
  Reach reaches() const { return static_cast<Reach>(reach); }
  /// Whether it does the same as the other one, perhaps elsewhere or at another time.
  bool same_kind(const Record& other) const {
    return strong == other.strong && writes == other.writes && reach == other.reach &&
           sizes == other.sizes;
  }
};
static_assert(sizeof(Record) == 16);

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
    Reach least = Reach::system;  ///< of those that are strong
    std::uint8_t sizes = 0;       ///< of those that are atomic
  };
  Done done;
};

/// What cells name by number.
class Shadow {
 public:
  /// `most_readers` of one cell are told apart: of more the first one and the last ones. A race may
  /// be missed then, and none is made up.
  explicit Shadow(std::size_t most_readers) : most_readers(most_readers) {}
  virtual ~Shadow() = default;
  const std::size_t most_readers;

  const Record& record(std::uint32_t index) const { return records_[index]; }
  /// The record's number; equal records that follow one another mostly share one.
  std::uint32_t add_record(const Record& record);

  Cell* bytes_of(const Cell& cell) { return bytes_[cell.write.index()].cells; }
  /// Turns a cell into four, each of which names the asynchronous write that it named.
  Cell* split(Cell& cell);
  /// Turns four, of which nothing is kept, into one again.
  void join(Cell& cell);
  /// Nothing was done with it.
  void forget(Cell& cell);
  /// f(cell), or f(each of its bytes).
  template <class F>
  void for_parts(Cell& cell, F&& f) {
    if (!cell.write.is_bytes()) return f(cell);
    for (int i = 0; i < 4; ++i) f(bytes_of(cell)[i]);
  }

  Readers& readers(std::uint32_t set) { return sets_[set]; }
  const Readers& readers(std::uint32_t set) const { return sets_[set]; }
  /// f(record's number, lanes) for those that have read the cell.
  template <class F>
  void for_each_reader(const Cell& cell, F&& f) const {
    if (cell.readers.is_access()) return f(cell.readers.record(), cell.lanes);
    if (!cell.readers.is_readers()) return;
    for (const Reader& reader : readers(cell.readers.index()).all) f(reader.record, reader.lanes);
  }
  std::uint32_t new_set();
  void release_set(std::uint32_t set);
  void add_reader(std::uint32_t set, const Reader& reader);
  /// Those for which f(reader) says so.
  template <class F>
  void drop_readers(std::uint32_t set, F&& f) {
    readers_held_ -= std::erase_if(sets_[set].all, f);
  }
  /// Whether a set may grow.
  bool room() const { return readers_held_ < kFewReaders || readers_held_ < most_held_; }

  virtual void for_each_cell(const std::function<void(Cell&)>& f) = 0;

 protected:
  /// What numbers and the cells of bytes take.
  std::size_t bytes() const;

  std::size_t most_held_ = 0;     ///< readers that cells may name, beside a few
  std::size_t most_records_ = 0;  ///< that may be kept though no cell names them, likewise

 private:
  void collect();

  static constexpr std::size_t kFewRecords = 256;
  static constexpr std::size_t kFewReaders = 1024;
  struct Bytes {
    Cell cells[4];
  };
  std::vector<Bytes> bytes_;
  std::vector<std::uint32_t> idle_bytes_;
  std::vector<Record> records_ = std::vector<Record>(1);  // number 0 is not used
  std::array<std::uint32_t, 256> latest_{};               // records by warp and location, 0: none
  std::vector<Readers> sets_ = std::vector<Readers>(1);
  std::vector<std::uint32_t> idle_sets_;
  std::size_t readers_held_ = 0;
  std::size_t collect_at_ = kFewRecords;
};

/// Of a block's shared memory.
class SharedShadow : public Shadow {
 public:
  SharedShadow() : Shadow(64) {}
  /// Makes the cells when the memory is first used.
  void prepare(std::size_t bytes) {
    if (!cells_.empty()) return;
    cells_.resize((bytes + 3) / 4);
    most_held_ = cells_.size() / 16;
    most_records_ = cells_.size() / 8;
  }
  bool used() const { return !cells_.empty(); }
  bool shared_with_others = false;  ///< other blocks of the cluster have accessed it
  Cell& cell(std::uint32_t offset) { return cells_[offset / 4]; }

  /// What all of this takes.
  std::size_t bytes() const { return cells_.capacity() * sizeof(Cell) + Shadow::bytes(); }
  void for_each_cell(const std::function<void(Cell&)>& f) override {
    for (Cell& cell : cells_) for_parts(cell, f);
  }

 private:
  std::vector<Cell> cells_;
};

}  // namespace clcsim::checks
