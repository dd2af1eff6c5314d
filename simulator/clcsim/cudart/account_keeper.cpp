#include "cudart/account_keeper.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "machine/gpu.h"
#include "machine/sm.h"
#include "machine/warp.h"
#include "ptx/form.h"

namespace clcsim::cudart {
namespace {

constexpr std::uint64_t kCounterBytes = 64;

template <class T>
void append(std::vector<std::byte>& bytes, const T* data, std::size_t count) {
  const auto* begin = reinterpret_cast<const std::byte*>(data);
  bytes.insert(bytes.end(), begin, begin + count * sizeof(T));
}

// What the blocks of one grid have done.
struct Work {
  std::uint64_t barriers = 0, bulk_copies = 0, loaded_elsewhere = 0, loaded_watched = 0;
  std::map<std::uint32_t, std::set<std::uint32_t>> requesters;  // threads, by block
  std::map<std::uint32_t, std::uint32_t> asked;  // by block: the thread, until it stores or waits
  std::uint64_t waited_at_once = 0;
  std::vector<std::uint32_t> runner;
  std::map<std::uint32_t, BlockRecord> blocks;
  std::vector<bool> is_fma;  // by Instruction::form
};

struct Range {
  std::uint64_t begin = 0, size = 0;
  bool has(std::uint64_t address) const { return address - begin < size; }
};

class Keeper : public AccountKeeper {
 public:
  Keeper(const machine::Gpu& gpu, WriteRecord write) : gpu_(gpu), write_(std::move(write)) {}

  unsigned watches() const override {
    return machine::kLaunches | machine::kOrder | machine::kMemory | machine::kValues;
  }

  void grid_started(const machine::Grid& grid, machine::Time) override {
    Work& work = work_[&grid];
    work = {};
    work.runner.assign(grid.launch.grid.count(), kNobody);
    for (const ptx::Form* form : grid.launch.program->forms)
      work.is_fma.push_back(form->name.starts_with("fma.") && form->name.ends_with(".f32"));
  }
  void grid_finished(const machine::Grid& grid, machine::Time now) override {
    const Work& work = work_[&grid];
    const machine::Launch& launch = grid.launch;
    LaunchRecord record = {};
    record.blocks = launch.grid.count();
    record.started = grid.counts.blocks_started;
    record.stolen = grid.counts.blocks_stolen;
    record.refused = grid.counts.requests_refused;
    record.block_barriers = work.barriers;
    record.bulk_copies = work.bulk_copies;
    for (const auto& [place, threads] : work.requesters)
      record.requesters = std::max(record.requesters, static_cast<std::uint32_t>(threads.size()));
    record.loaded_elsewhere = work.loaded_elsewhere;
    record.loaded_watched = work.loaded_watched;
    record.waited_at_once = work.waited_at_once;
    record.begun = grid.started, record.finished = now;
    copy(record.grid, launch.grid), copy(record.block, launch.block);
    copy(record.cluster, launch.cluster);
    record.shared =
        static_cast<std::uint32_t>(launch.program->shared_bytes + launch.dynamic_shared);
    record.resident = static_cast<std::uint32_t>(
        gpu_.profile().sms * machine::blocks_per_sm(gpu_.profile(), grid.threads(), record.shared));
    for (const ptx::Form* form : launch.program->forms) {
      if (!form->name.starts_with("fence.proxy.async::generic")) continue;
      record.fence_halves |= form->name.find(".release") != std::string::npos ? 1 : 2;
    }
    std::strncpy(record.kernel, launch.program->name.c_str(), sizeof record.kernel - 1);
    std::vector<std::byte> bytes;
    append(bytes, &record, 1);
    append(bytes, work.runner.data(), work.runner.size());
    for (const auto& [place, block] : work.blocks) append(bytes, &block, 1);
    write_(Record::launch, bytes.data(), bytes.size());
    work_.erase(&grid);
  }
  void block_started(const machine::Block& block, machine::Time) override {
    const std::uint32_t place = place_of(block);
    Work& work = work_[block.grid];
    work.runner[place] = place;
    work.blocks[place] = {place, 0, 0};
  }
  void block_finished(const machine::Block& block, machine::Time) override {
    std::uint32_t& fmas = work_[block.grid].blocks[place_of(block)].fmas;
    for (const machine::Warp* warp : block.warps) {
      const auto counted = fmas_.find(warp);
      if (counted == fmas_.end()) continue;
      fmas = std::max(fmas, *std::max_element(counted->second.begin(), counted->second.end()));
      fmas_.erase(counted);
    }
  }
  void request_issued(const machine::Request& request) override {
    if (const machine::Block* const block = request.block.get())
      work_[block->grid].asked[place_of(*block)] = request.thread;
  }
  void mbarrier_used(const machine::MbarrierUse& use) override {
    if (use.kind != machine::MbarrierUse::Kind::wait) return;
    Work& work = work_[use.warp.block->grid];
    if (take_asked(work, place_of(*use.warp.block), use.warp, use.passed)) ++work.waited_at_once;
  }
  // The blocks of the stolen cluster are those of the thief's cluster to do, each at its own rank.
  void request_answered(const machine::Request& request) override {
    const machine::Block* const thief = request.block.get();
    if (thief == nullptr) return;
    const machine::Grid& grid = *thief->grid;
    work_[&grid].requesters[place_of(*thief)].insert(request.thread);
    if (!request.granted) {
      work_[&grid].asked.erase(place_of(*thief));
      return;
    }
    for (std::uint32_t rank = 0; rank < grid.cluster_blocks(); ++rank) {
      const machine::Dim3 own = grid.block_of(thief->cluster->index, rank);
      const machine::Dim3 first = grid.block_of(thief->cluster->index, 0);
      const machine::Dim3 stolen = {request.stolen.x + own.x - first.x,
                                    request.stolen.y + own.y - first.y,
                                    request.stolen.z + own.z - first.z};
      work_[&grid].runner[grid.launch.grid.linear(stolen)] =
          static_cast<std::uint32_t>(grid.launch.grid.linear(own));
    }
  }
  void block_barrier_completed(const machine::Block& block, std::uint32_t) override {
    ++work_[block.grid].barriers;
  }
  void memory_accessed(const machine::Access& access) override {
    if (access.space != machine::Space::global) return;
    const machine::Block& block = *access.warp.block;
    Work& work = work_[block.grid];
    const std::uint32_t place = place_of(block);
    ptx::LaneMask storing = 0;
    for (int lane = 0; lane < ptx::kLanes; ++lane) {
      if ((access.lanes >> lane & 1) == 0) continue;
      const std::uint64_t address = access.contiguous
                                        ? access.addresses[0] + std::uint64_t{access.size} * lane
                                        : access.addresses[lane];
      const bool own = watched_.has(address);
      if (access.kind == machine::Access::Kind::read) {
        if (own) work.loaded_watched += access.size;
        if (!own && !counters_.has(address)) work.loaded_elsewhere += access.size;
        continue;
      }
      if (access.kind == machine::Access::Kind::atomic && !own && !counters_.has(address))
        ++work.blocks[place].draws;
      if (!own) continue;
      storing |= 1u << lane;
      stored(address - watched_.begin, access.size, place, access.warp.thread(lane));
    }
    if (storing != 0) take_asked(work, place, access.warp, storing);
  }
  void bulk_copy_issued(const machine::BulkCopy& copy) override {
    ++work_[copy.warp.block->grid].bulk_copies;
  }
  void bulk_store_issued(const machine::BulkStore& store) override {
    ++work_[store.warp.block->grid].bulk_copies;
    if (watched_.has(store.to))
      stored(store.to - watched_.begin, store.bytes, place_of(*store.warp.block), kNobody);
  }
  void instruction_starts(machine::Warp& warp, const ptx::Instruction& in,
                          ptx::LaneMask lanes) override {
    if (!work_[warp.block->grid].is_fma[in.form]) return;
    std::array<std::uint32_t, ptx::kLanes>& fmas = fmas_[&warp];
    for (int lane = 0; lane < ptx::kLanes; ++lane) fmas[lane] += lanes >> lane & 1;
  }
  void memory_filled(std::uint64_t /*address*/, std::uint64_t bytes) override { copied_ += bytes; }

  void watch(std::uint64_t begin, std::uint64_t bytes, std::uint64_t counters) override {
    watched_ = {begin, bytes};
    counters_ = {counters, kCounterBytes};
    elements_.assign(bytes / sizeof(float), {0, 0, kNobody, kNobody});
    copied_ = 0;
  }
  bool end_watch(machine::DeviceMemory& memory) override {
    const std::byte* host = memory.translate(watched_.begin, watched_.size);
    if (host == nullptr || watched_.size == 0) return false;
    for (std::size_t i = 0; i < elements_.size(); ++i)
      std::memcpy(&elements_[i].bits, host + i * sizeof(float), sizeof(float));
    std::vector<std::byte> bytes;
    append(bytes, &copied_, 1);
    append(bytes, elements_.data(), elements_.size());
    write_(Record::region, bytes.data(), bytes.size());
    watched_ = counters_ = {};
    return true;
  }

 private:
  static void copy(std::uint32_t (&to)[3], const machine::Dim3& from) {
    to[0] = from.x, to[1] = from.y, to[2] = from.z;
  }
  static std::uint32_t place_of(const machine::Block& block) {
    return static_cast<std::uint32_t>(block.grid->launch.grid.linear(block.index));
  }
  // Whether one of the lanes has asked, and has neither stored nor waited since: now it has.
  static bool take_asked(Work& work, std::uint32_t place, const machine::Warp& warp,
                         ptx::LaneMask lanes) {
    const auto asked = work.asked.find(place);
    if (asked == work.asked.end()) return false;
    const std::uint32_t lane = asked->second - warp.thread(0);
    if (lane >= ptx::kLanes || (lanes >> lane & 1) == 0) return false;
    work.asked.erase(asked);
    return true;
  }
  void stored(std::uint64_t offset, std::uint32_t size, std::uint32_t block, std::uint32_t thread) {
    const std::uint64_t end = std::min<std::uint64_t>(offset + size, watched_.size);
    for (std::uint64_t i = offset / sizeof(float); i * sizeof(float) < end; ++i)
      ++elements_[i].stores, elements_[i].block = block, elements_[i].thread = thread;
  }

  const machine::Gpu& gpu_;
  const WriteRecord write_;
  std::unordered_map<const machine::Grid*, Work> work_;
  std::unordered_map<const machine::Warp*, std::array<std::uint32_t, ptx::kLanes>> fmas_;
  Range watched_, counters_;
  std::vector<Element> elements_;
  std::uint64_t copied_ = 0;
};

}  // namespace

std::unique_ptr<AccountKeeper> keep_account(const machine::Gpu& gpu, WriteRecord write) {
  return std::make_unique<Keeper>(gpu, std::move(write));
}

}  // namespace clcsim::cudart
