// Races in global memory between the threads of one grid: data-race.
//
// The order of launches separates grids, so each grid begins anew; but launches of several streams
// are watched together (launches.h). Memory is watched in lines of
// 128 bytes: a line that whole warps access side by side needs one entry for all its words.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "checks/fate.h"
#include "checks/launches.h"
#include "checks/lockstep.h"
#include "checks/order.h"
#include "checks/reporter.h"

namespace clcsim::checks {

class GlobalMemory {
 public:
  GlobalMemory(const States& states, const machine::DeviceMemory& memory, const Order& order,
               Reporter& reporter)
      : states_(states), memory_(memory), order_(order), reporter_(reporter) {}

  /// True if from now on nothing can be unordered with what was before the block's launch.
  bool block_starts(const Block&);
  void block_started(const Block&);
  void block_finished(const Block&);
  /// What waits for the end of blocks is told now.
  void flush();
  void watch_together() { launches_.watch_together(); }
  bool copies_beside() const { return launches_.copies_beside(); }
  void fenced(const Executed&);
  void memory_accessed(const machine::Access&);
  void async_issued(const machine::AsyncIssue&);
  void host_accessed(const machine::HostAccess&);
  void grid_finished(const machine::Grid&);
  /// Whether what a grid did may still be unordered with what another does after its end.
  bool remembers() const { return !launches_.empty(); }

 private:
  /// An access: who, when and where.
  struct Touch {
    std::uint32_t cluster = 0;  ///< 0: nobody
    Tick tick = 0;
    std::uint32_t location = 0;
    std::uint16_t warp = 0;      ///< ClusterState::number
    std::uint8_t lane : 5 = 0;   ///< of the line's first bytes
    std::uint8_t reach : 2 = 0;  ///< Reach, of one that is strong; or kSystem
    std::uint8_t wide : 1 = 0;   ///< atomic, of 8 bytes
    /// Of a line: log2 of the bytes of a lane. Of a word: which of its bytes.
    std::uint8_t shape : 4 = 0;
    std::uint8_t strong : 1 = 0;
    std::uint8_t writes : 1 = 0;
    std::uint8_t atomic : 1 = 0;  ///< read-modify-write
    std::uint8_t mild : 1 = 0;    ///< a read of which nothing may come: see Fate
    Stamp stamp() const { return {warp, tick, location, lane}; }
  };
  static_assert(sizeof(Touch) == 16);

  /// The last write; and two of those that came since, reads and atomics: the first one that the
  /// others don't know of, and the last. Of two atomics the later one is `last`.
  struct Cell {
    Touch write, first, last;
  };
  static constexpr std::uint32_t kLine = 128, kWords = kLine / 4, kPage = 1 << 16;
  struct Line {
    Cell whole;
    std::uint32_t words = 0;  ///< number of the words' cells; 0: the line is uniform
  };
  struct Words {
    Cell cells[kWords];
  };
  struct Page {
    Line lines[kPage / kLine];
  };
  /// What a copy to shared memory reads until its phase is over.
  struct Source {
    std::uint64_t cluster = 0;
    std::uint32_t slot = 0;    // of the cluster
    std::uint32_t number = 0;  // AsyncOp::number
    Stamp issue;
    machine::Box box;
  };
  using Sources = std::vector<std::shared_ptr<const Source>>;
  struct Shadow {
    std::unordered_map<std::uint64_t, Sources> sources;              // by address / kPage
    std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages;  // by address / kPage
    std::deque<std::uint64_t> order;                                 // in which they were made
    std::vector<std::unique_ptr<Words>> words = std::vector<std::unique_ptr<Words>>(1);
    std::vector<std::uint32_t> idle_words;
    std::uint64_t last_number = ~std::uint64_t{0};
    Page* last_page = nullptr;
  };
  struct Toucher;
  static constexpr std::uint8_t kSystem = 3;  ///< all of the GPU, and who copies

  void check_beside(Toucher&, const machine::Box&);
  void report_beside(const Launches::Launched&, const Launches::Copy&, std::uint32_t location,
                     bool writes);
  template <class F>
  static void for_each_touched(const Shadow&, const machine::Box&, F&& f);
  void add_source(Toucher&, const machine::AsyncIssue&);
  static Touch written(const Shadow&, const Page*, std::uint64_t address);
  void check_map(Toucher&, std::uint64_t map);
  void read_by_copy(Toucher&, const machine::AsyncIssue&);
  void written_by_copy(Toucher&, const machine::AsyncIssue&);
  bool over(const Source&) const;
  template <class F>
  void for_each_source(const Shadow&, std::uint64_t address, std::uint32_t bytes, F&& f) const;
  bool is_source(const Shadow&, std::uint64_t address, std::uint32_t bytes) const;
  void check_sources(Toucher&, std::uint64_t address, std::uint32_t bytes);
  void report_source(Toucher&, const Source&);
  Page& page_of(Shadow&, std::uint64_t number);
  void check_constant(const machine::Access&);
  void touch_lines(Toucher&, std::uint64_t address, std::uint32_t bytes);
  bool touch_line(Toucher&, Line&, int first_lane);
  void touch_word(Toucher&, Line&, std::uint64_t address, std::uint32_t bytes);
  Cell* split(Shadow&, Line&);
  void touch(Toucher&, Cell&, const Touch& mine);
  bool conflicts(const Toucher&, const Touch& mine, const Touch& other) const;
  void check_handed(Toucher&, const Touch& mine, const Touch& write);
  bool morally_strong(const Toucher&, const Touch& mine, const Touch& other) const;
  bool in_lockstep(const Toucher&, const Touch& mine, const Touch& other) const;
  static bool drew_last(const Cell&, const Touch& mine);
  Toucher toucher_of(const Warp&, const ptx::Instruction&);
  static Touch part(Touch, std::uint32_t word);
  void report(Toucher&, const Touch& mine, const Touch& other);
  void forget(std::uint64_t serial);
  bool told_of_others(const Toucher&, const Touch&) const;
  static bool others_know(const Toucher&, const Touch&);
  static bool outranks(const Touch& one, const Touch& other);
  void note_mild(Toucher&);
  void report_mild(Toucher&, const Touch& mine, const Touch& other, Finding);
  void tell(const Finding&, bool note);
  void report_launches(Toucher&, const Touch& mine, const Touch& other);

  const States& states_;
  const machine::DeviceMemory& memory_;
  const Order& order_;
  Reporter& reporter_;
  Launches launches_;
  std::unordered_map<std::uint64_t, Shadow> shadows_;  // by serial of the grid; 0: of launches_
  std::vector<std::unique_ptr<Page>> idle_pages_;
  std::unordered_map<std::uint64_t, Touch> acquired_maps_;  // the writes, by the map's address
  Fates fates_;
  mutable Lockstep lockstep_;
  /// Of a block that runs: its reads of which nothing may come, and the races of them. At its end
  /// it is known who has used what.
  struct Mild {
    struct Read {
      std::uint32_t location, warp, size;
      LaneMask lanes;
      std::array<std::uint64_t, ptx::kLanes> addresses;
    };
    std::vector<Read> reads;
    bool full = false;  // there were more
    struct Race {
      Finding finding;
      std::uint32_t location;  // of the read
      std::uint64_t word;      // address / 4
      std::int64_t writer;     // thread of the block; -1: of another one
      auto key() const { return std::tuple(word, location, finding.at.location, writer); }
    };
    std::vector<Race> races;
  };
  std::unordered_map<std::uint64_t, Mild> mild_;  // by serial of the block
};

}  // namespace clcsim::checks
