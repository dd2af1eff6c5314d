// Races in global memory between the threads of one grid: data-race.
//
// The order of launches separates grids, so each grid begins anew; but launches of several streams
// are watched together (launches.h).
#pragma once

#include <array>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "checks/global_shadow.h"
#include "checks/order.h"
#include "checks/races.h"

namespace clcsim::checks {

class GlobalMemory : Races {
 public:
  GlobalMemory(const States& states, const machine::DeviceMemory& memory, const Order& order,
               Reporter& reporter)
      : Races(states, reporter, true, false), memory_(memory), order_(order) {}

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
  /// What a copy to shared memory reads until its phase is over.
  struct Source {
    std::uint64_t cluster = 0;
    std::uint32_t slot = 0;    // of the cluster
    std::uint32_t number = 0;  // AsyncOp::number
    Stamp issue;
    machine::Box box;
  };
  /// The last bulk store or reduction to be issued.
  struct Stored {
    Record by;
    machine::Box to;
    const Block* block = nullptr;  // whose shared memory it stores
    std::uint32_t offset = 0;
    int lane = 0;
    bool same_as(const Stored& other) const {
      const auto all = [](const Stored& of) {
        return std::tie(of.block, of.offset, of.to.address, of.to.bytes, of.to.counts,
                        of.to.strides);
      };
      return !by.atomic && by == other.by && all(*this) == all(other);
    }
  };
  using Sources = std::vector<std::shared_ptr<const Source>>;
  struct Watched : GlobalShadow {
    using GlobalShadow::GlobalShadow;
    std::unordered_map<std::uint64_t, Sources> sources;  // by address / kPage
  };
  static constexpr std::uint64_t kPage = GlobalShadow::kPage, kLine = GlobalShadow::kLine;
  using Line = GlobalShadow::Line;

  /// What was watched by the toucher's grid.
  static Watched& watched(const Toucher& toucher) { return static_cast<Watched&>(*toucher.shadow); }
  void watch(Toucher&);
  const std::byte* there(const Toucher& toucher) const override {
    const machine::Access& access = *toucher.access;
    return access.warp.gpu->memory().translate(toucher.address, access.size);
  }
  void check_beside(Toucher&, const machine::Box&);
  void report_beside(const Launches::Launched&, const Launches::Copy&, std::uint32_t location,
                     bool writes);
  void add_source(Toucher&, const machine::AsyncIssue&);
  static Ref written(Watched&, std::uint64_t address);
  void check_map(Toucher&, std::uint64_t map);
  void read_by_copy(Toucher&, const machine::AsyncIssue&);
  void written_by_copy(Toucher&, const machine::AsyncIssue&);
  bool over(const Source&) const;
  template <class F>
  void for_each_source(const Watched&, std::uint64_t address, std::uint32_t bytes, F&& f) const;
  bool is_source(const Watched&, std::uint64_t address, std::uint32_t bytes) const;
  void check_sources(Toucher&, std::uint64_t address, std::uint32_t bytes);
  void report_source(Toucher&, const Source&);
  void check_constant(const machine::Access&);
  void touch_lines(Toucher&, std::uint64_t address, std::uint32_t bytes);
  static bool touch_line(Toucher&, Line&, LaneMask lanes);
  void check_handed(Toucher&, const Record& write, int lane);
  void raced(Toucher&, const Record&, int lane) override;
  void forget(std::uint64_t serial);
  static bool told_of_others(const Toucher&, std::uint32_t cluster, std::uint32_t warp);
  static bool others_know(const Toucher&, const Record&, int lane);
  void note_mild(Toucher&);
  void report_mild(Toucher&, const Record&, int lane, Finding);
  void tell(const Finding&, bool note);
  void report_launches(Toucher&, const Record&);
  static Finding::Detail detail_of(const Toucher&, const Record&, int lane);

  const machine::DeviceMemory& memory_;
  const Order& order_;
  Launches launches_;
  Stored latest_stored_;
  GlobalShadow::Pages idle_pages_;
  std::unordered_map<std::uint64_t, Watched> shadows_;  // by serial of the grid; 0: of launches_
  std::unordered_map<std::uint64_t, Record> acquired_maps_;  // the writes, by the map's address
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
