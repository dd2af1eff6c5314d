#include "cudart/account_keeper.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cudart/under_way.h"
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

// Floating-point arithmetic that a prologue can be made of, and other instructions.
enum Kind : std::uint8_t { kFma, kMul, kAdd, kOtherArithmetic, kNoArithmetic };
using Chain = std::array<std::uint32_t, kOtherArithmetic>;

std::uint32_t in_fmas(const Chain& chain, std::uint32_t products = 0) {
  return chain[kFma] + std::min(chain[kMul] - std::min(chain[kMul], products), chain[kAdd]);
}

Kind kind_of(const ptx::Form& form) {
  const std::string_view name = form.name;
  const std::string_view type = name.substr(std::min(name.rfind('.'), name.size()));
  if (type.starts_with(".f")) {
    if (name.starts_with("fma.") || name.starts_with("mad.")) return kFma;
    if (name.starts_with("mul.")) return kMul;
    if (name.starts_with("add.") || name.starts_with("sub.")) return kAdd;
  }
  const bool none = form.unit == ptx::Unit::memory || form.unit == ptx::Unit::control ||
                    form.unit == ptx::Unit::folded;
  return none ? kNoArithmetic : kOtherArithmetic;
}

using Numbers = std::array<std::uint32_t, ptx::kLanes>;

// One more for each of these lanes.
void count(Numbers& numbers, ptx::LaneMask lanes) {
  if (lanes == ptx::kAllLanes) {
    for (std::uint32_t& number : numbers) ++number;
    return;
  }
  for (; lanes != 0; lanes &= lanes - 1) ++numbers[std::countr_zero(lanes)];
}

struct WarpWork {
  std::array<Numbers, kOtherArithmetic> arithmetic = {};
  std::array<Chain, ptx::kLanes> early = {};  // what a lane had done when it became late
  Numbers in_a_row = {}, stores = {};         // stores: elements of what is watched
  ptx::LaneMask late = 0;                     // they are behind the first tile
  std::uint32_t late_in_a_row = 0;
  Chain steps = {};  // by any lane
  bool asks = false;

  Chain chain_of(std::size_t lane) const {
    return {arithmetic[kFma][lane], arithmetic[kMul][lane], arithmetic[kAdd][lane]};
  }
  Chain late_chain_of(std::size_t lane) const {
    if ((late >> lane & 1) == 0) return {};
    Chain chain = chain_of(lane);
    for (std::size_t kind = 0; kind < chain.size(); ++kind) chain[kind] -= early[lane][kind];
    return chain;
  }
  // These lanes have stored, waited, met or ended; and that was behind the first tile.
  void begin_a_row(ptx::LaneMask of, bool behind) {
    for (std::size_t lane = 0; lane < ptx::kLanes; ++lane) {
      if ((of >> lane & 1) == 0) continue;
      const bool was_late = (late >> lane & 1) != 0;
      if (was_late) late_in_a_row = std::max(late_in_a_row, in_a_row[lane]);
      if (!was_late && behind) early[lane] = chain_of(lane);
      in_a_row[lane] = 0;
    }
    if (behind) late |= of;
  }
};

struct BlockSoFar {
  struct Thread {
    std::uint32_t known = 0;  // granted requests
    bool stored = false;      // since it came to know of the last
  };
  BlockWork record = {};
  std::set<std::uint32_t> responses;
  UnderWay requests, loads, copies_out;
  std::uint64_t phase = 0;  // of the mbarrier that was named last by one of them
  bool stored = false;
  // mbarriers in it at which others of the cluster have arrived since it was refused: the last
  // phase
  std::map<std::uint32_t, std::uint64_t> others_at;
  bool met = false;  // these, or all of its cluster
  std::uint32_t granted = 0, known = 0, mbarrier = 0;
  bool released = false;  // to the GPU, since the last atomic operation aside
  std::vector<Thread> threads;

  void knows(std::uint32_t thread, std::uint32_t number) {
    Thread& who = threads[thread];
    if (who.known >= number) return;
    if (!who.stored) ++record.unhidden;
    who = {number, false};
  }
};

// What the blocks of one grid have done.
struct GridWork {
  LaunchWork record = {};
  std::vector<std::uint32_t> runner;
  std::map<std::uint64_t, std::vector<std::uint32_t>> drawers;  // blocks, by address
  std::map<std::uint32_t, BlockSoFar> blocks;
  std::vector<Kind> kinds;  // by Instruction::form
};

// To an element of y.
struct LastStore {
  std::uint32_t found, block, thread;
};

struct Range {
  std::uint64_t begin = 0, size = 0;
  bool has(std::uint64_t address) const { return address - begin < size; }
};

class Keeper : public AccountKeeper {
 public:
  Keeper(machine::Gpu& gpu, WriteRecord write) : gpu_(gpu), write_(std::move(write)) {}

  unsigned watches() const override {
    return machine::kLaunches | machine::kOrder | machine::kMemory | machine::kValues;
  }

  void grid_started(const machine::Grid& grid, machine::Time) override {
    GridWork& work = of(&grid);
    work = {};
    work.runner.assign(grid.launch.grid.count(), kNobody);
    for (const ptx::Form* form : grid.launch.program->forms) work.kinds.push_back(kind_of(*form));
  }
  void grid_finished(const machine::Grid& grid, machine::Time now) override {
    GridWork& work = of(&grid);
    const machine::Launch& launch = grid.launch;
    LaunchWork& record = work.record;
    record.blocks = launch.grid.count();
    record.started = grid.counts.blocks_started;
    record.stolen = grid.counts.blocks_stolen;
    const std::vector<std::uint32_t> drawers = most_drawn(work);
    record.draws = drawers.size();
    record.begun = grid.started, record.cycles = now - grid.started;
    copy(record.grid, launch.grid), copy(record.block, launch.block);
    copy(record.cluster, launch.cluster);
    record.shared = static_cast<int>(launch.program->shared_bytes + launch.dynamic_shared);
    record.resident = static_cast<int>(
        gpu_.profile().sms * machine::blocks_per_sm(gpu_.profile(), grid.threads(), record.shared));
    for (const ptx::Form* form : launch.program->forms) {
      if (!form->name.starts_with("fence.proxy.async::generic")) continue;
      record.fence_halves |= form->name.find(".release") != std::string::npos ? 1 : 2;
    }
    std::strncpy(record.kernel, launch.program->name.c_str(), sizeof record.kernel - 1);
    std::vector<std::byte> bytes;
    append(bytes, &record, 1);
    append(bytes, work.runner.data(), work.runner.size());
    append(bytes, drawers.data(), drawers.size());
    for (const auto& [place, block] : work.blocks) append(bytes, &block.record, 1);
    write_(Record::launch, bytes.data(), bytes.size());
    work_.erase(&grid), last_grid_ = nullptr;
  }
  void block_started(const machine::Block& block, machine::Time) override {
    const std::uint32_t place = place_of(block);
    GridWork& work = of(block.grid);
    work.runner[place] = place;
    work.blocks[place].record.block = place;
    work.blocks[place].threads.resize(block.warps.size() * ptx::kLanes);
  }
  void block_finished(const machine::Block& block, machine::Time) override {
    BlockSoFar& own = of(block);
    BlockWork& record = own.record;
    const UnderWay::Fewest requests = own.requests.fewest();
    record.requests = requests.operations, record.asking_warps = requests.warps;
    record.loads = own.loads.fewest().operations;
    record.copies_out = own.copies_out.kept_up();
    record.responses = static_cast<std::uint32_t>(own.responses.size());
    record.left_alone = !own.met && !own.others_at.empty();
    for (const machine::Warp* warp : block.warps) {
      const auto found = warps_.find(warp);
      if (found == warps_.end()) continue;
      WarpWork& work = found->second;
      work.begin_a_row(ptx::kAllLanes, false);
      std::uint32_t most = 0, late = 0, stores = 0;
      for (std::size_t lane = 0; lane < ptx::kLanes; ++lane) {
        const Chain chain = work.chain_of(lane);
        record.products = std::max(record.products, chain[kMul]);
        most = std::max(most, in_fmas(chain));
        late += in_fmas(work.late_chain_of(lane), work.stores[lane]);
        stores += work.stores[lane];
      }
      record.fmas = std::max(record.fmas, most);
      record.late_in_a_row = std::max(record.late_in_a_row, work.late_in_a_row);
      // Branches may part a warp's lanes; where they are in more than three parts, they take turns.
      const std::uint32_t steps = in_fmas(work.steps);
      record.late_fmas += std::max(late, steps - std::min(steps, 3 * most));
      if (work.asks && stores > 0) ++record.asking_workers;
      warps_.erase(found), last_warp_ = nullptr;
    }
  }
  void request_issued(const machine::Request& request) override {
    const machine::Block* const block = request.block.get();
    if (block == nullptr) return;
    BlockSoFar& own = of(*block);
    own.responses.insert(request.response);
    own.mbarrier = request.mbarrier;
    own.requests.begins(request.thread, request.mbarrier, own.phase);
    of(*block->warps[request.thread / ptx::kLanes]).asks = true;
  }
  void mbarrier_used(const machine::MbarrierUse& use) override {
    BlockSoFar& own = of(use.block);
    const bool foreign = &use.block != use.warp.block;
    if (foreign && use.kind == machine::MbarrierUse::Kind::arrive && own.record.refused > 0)
      own.others_at[use.offset] = use.phase;
    if (use.kind == machine::MbarrierUse::Kind::request) own.phase = use.phase;
    if (foreign) return;
    if (use.kind == machine::MbarrierUse::Kind::arrive)
      for (UnderWay* operations : {&own.requests, &own.loads})
        operations->arrived(use.warp.index, use.lanes, use.offset, use.phase);
    if (use.kind != machine::MbarrierUse::Kind::wait) return;
    of(use.warp).begin_a_row(use.lanes, own.stored);
    if (use.passed == 0) return;
    for (UnderWay* operations : {&own.requests, &own.loads})
      operations->waited(use.warp.index, use.passed, use.offset, use.waited + 1);
    if (use.offset != own.mbarrier) {
      const auto others = own.others_at.find(use.offset);
      own.met |= others != own.others_at.end() && others->second == use.waited;
      return;
    }
    own.known = own.granted;
    for (int lane = 0; lane < ptx::kLanes; ++lane)
      if ((use.passed >> lane & 1) != 0) own.knows(use.warp.thread(lane), own.granted);
  }
  // The blocks of the stolen cluster are those of the thief's cluster to do, each at its own rank.
  void request_answered(const machine::Request& request) override {
    const machine::Block* const thief = request.block.get();
    if (thief == nullptr) return;
    const machine::Grid& grid = *thief->grid;
    BlockSoFar& own = of(*thief);
    ++(request.granted ? own.granted : own.record.refused);
    for (const machine::Block* block : thief->cluster->blocks)
      if (block == thief || (block != nullptr && request.multicast)) ++of(*block).record.answers;
    if (!request.granted) return;
    for (std::uint32_t rank = 0; rank < grid.cluster_blocks(); ++rank) {
      const machine::Dim3 own = grid.block_of(thief->cluster->index, rank);
      const machine::Dim3 first = grid.block_of(thief->cluster->index, 0);
      const machine::Dim3 stolen = {request.stolen.x + own.x - first.x,
                                    request.stolen.y + own.y - first.y,
                                    request.stolen.z + own.z - first.z};
      of(&grid).runner[grid.launch.grid.linear(stolen)] =
          static_cast<std::uint32_t>(grid.launch.grid.linear(own));
    }
  }
  void fenced(const machine::Executed& fence) override {
    if (releases(fence.in)) of(*fence.warp.block).released = true;
  }
  void queried(const machine::Query& query) override {
    if (query.in.facts.action == ptx::Action::decode) ++of(*query.warp.block).record.decodes;
  }
  void cluster_barrier_completed(const machine::Cluster& cluster) override {
    for (const machine::Block* block : cluster.blocks) {
      if (block == nullptr) continue;  // it has exited
      BlockSoFar& own = of(*block);
      own.met |= own.record.refused > 0;
      ++of(block->grid).record.block_barriers;
      met(*block, own);
    }
  }
  void block_barrier_completed(const machine::Block& block, std::uint32_t id) override {
    ++of(block.grid).record.block_barriers;
    BlockSoFar& own = of(block);
    if (id == 0) met(block, own);
    ++own.record.barriers_behind;
    for (std::uint32_t thread = 0; thread < own.threads.size(); ++thread)
      own.knows(thread, own.known);
  }
  void memory_accessed(const machine::Access& access) override {
    if (access.space != machine::Space::global) return;
    const machine::Block& block = *access.warp.block;
    GridWork& work = of(block.grid);
    BlockSoFar& block_work = of(block);
    const std::uint32_t place = place_of(block);
    const std::uint32_t elements = std::max<std::uint32_t>(access.size / sizeof(float), 1);
    ptx::LaneMask stored_by = 0;
    for (int lane = 0; lane < ptx::kLanes; ++lane) {
      if ((access.lanes >> lane & 1) == 0) continue;
      const std::uint64_t address = access.contiguous
                                        ? access.addresses[0] + std::uint64_t{access.size} * lane
                                        : access.addresses[lane];
      const bool own = watched_.has(address), aside = aside_.has(address);
      if (access.kind == machine::Access::Kind::read) {
        if (own) work.record.loaded_from_y += access.size;
        if (aside) block_work.record.loaded_aside += access.size;
        if (!own && !aside && !counters_.has(address)) work.record.loaded_elsewhere += access.size;
        continue;
      }
      if (access.kind == machine::Access::Kind::atomic && !own && !counters_.has(address)) {
        ++block_work.record.draws;
        work.drawers[address].push_back(place);
      }
      if (aside) {
        block_work.record.stored_aside += access.size;
        if (access.kind == machine::Access::Kind::atomic) {
          block_work.record.atomic_aside += access.size;
          if (!block_work.released && !releases(access.in)) ++block_work.record.unordered_aside;
          block_work.released = false;
        }
      }
      if (!own) continue;
      const std::uint32_t thread = access.warp.thread(lane);
      stored(address - watched_.begin, access.size, place, thread);
      work.record.stored += elements;
      block_work.threads[thread].stored = block_work.stored = true;
      block_work.record.barriers_behind = 0;
      of(access.warp).stores[lane] += elements;
      stored_by |= ptx::LaneMask{1} << lane;
    }
    if (stored_by == 0) return;
    of(access.warp).begin_a_row(stored_by, true);
    UnderWay& requests = block_work.requests;
    const auto number = [&](ptx::LaneMask lanes) {
      return static_cast<std::uint32_t>(std::popcount(lanes)) * elements;
    };
    block_work.record.later += number(requests.know_of_one(access.warp.index, stored_by));
    block_work.record.unasked +=
        number(requests.know_of_none_under_way(access.warp.index, stored_by));
  }
  void bulk_copy_issued(const machine::BulkCopy& copy) override {
    ++of(copy.warp.block->grid).record.bulk_copies;
    BlockSoFar& own = of(copy.block);
    if (aside_.has(copy.from))
      own.record.loaded_aside += copy.bytes;
    else if (!watched_.has(copy.from))
      of(copy.warp.block->grid).record.loaded_elsewhere += copy.bytes;
    own.loads.begins(copy.warp.thread(copy.lane), copy.mbarrier, own.phase);
  }
  void bulk_store_issued(const machine::BulkStore& store) override {
    ++of(store.warp.block->grid).record.bulk_copies;
    BlockSoFar& own = of(*store.warp.block);
    own.copies_out.begins(store.warp.thread(store.lane), UnderWay::kNoMbarrier, 0);
    if (!watched_.has(store.to)) return;
    own.stored = true;
    of(store.warp.block->grid).record.stored += store.bytes / sizeof(float);
    stored(store.to - watched_.begin, store.bytes, place_of(*store.warp.block), kNobody);
  }
  void copies_committed(const machine::CopyGroups& groups) override {
    if (groups.bulk) of(*groups.warp.block).copies_out.committed(groups.warp.index, groups.lanes);
  }
  void copies_waited(const machine::CopyGroups& groups) override {
    if (groups.bulk)
      of(*groups.warp.block)
          .copies_out.waited_for_groups(groups.warp.index, groups.lanes, groups.left);
  }
  void instruction_starts(machine::Warp& warp, const ptx::Instruction& in,
                          ptx::LaneMask lanes) override {
    const Kind kind = of(warp.block->grid).kinds[in.form];
    if (kind == kNoArithmetic) return;
    WarpWork& work = of(warp);
    count(work.in_a_row, lanes);
    if (kind == kOtherArithmetic) return;
    ++work.steps[kind];
    count(work.arithmetic[kind], lanes);
  }
  void memory_filled(std::uint64_t /*address*/, std::uint64_t bytes) override { copied_ += bytes; }

  void watch(std::uint64_t begin, std::uint64_t bytes, std::uint64_t counters) override {
    watched_ = {begin, bytes};
    counters_ = {counters, kCounterBytes};
    elements_.assign(bytes / sizeof(float), {0, 0, kNobody, kNobody});
    last_.assign(elements_.size(), {0, kNobody, kNobody});
    copied_ = 0;
  }
  void watch_aside(std::uint64_t begin, std::uint64_t bytes) override { aside_ = {begin, bytes}; }
  bool end_watch() override {
    if (watched_.size == 0) return false;
    if (gpu_.memory().translate(watched_.begin, watched_.size) == nullptr) return false;
    for (std::size_t i = 0; i < elements_.size(); ++i)
      settle(i), elements_[i].value = std::bit_cast<float>(bits(i));
    std::vector<std::byte> bytes;
    append(bytes, &copied_, 1);
    append(bytes, elements_.data(), elements_.size());
    write_(Record::region, bytes.data(), bytes.size());
    watched_ = counters_ = aside_ = {};
    return true;
  }

 private:
  static void copy(int (&to)[3], const machine::Dim3& from) {
    to[0] = from.x, to[1] = from.y, to[2] = from.z;
  }
  static std::uint32_t place_of(const machine::Block& block) {
    return static_cast<std::uint32_t>(block.grid->launch.grid.linear(block.index));
  }
  static std::vector<std::uint32_t> most_drawn(const GridWork& work) {
    std::vector<std::uint32_t> most;
    for (const auto& [address, drawers] : work.drawers)
      if (drawers.size() > most.size()) most = drawers;
    return most;
  }
  // At a barrier of the whole block.
  void met(const machine::Block& block, BlockSoFar& own) {
    for (const machine::Warp* warp : block.warps) of(*warp).begin_a_row(ptx::kAllLanes, own.stored);
    for (UnderWay* operations : {&own.requests, &own.loads, &own.copies_out}) operations->all_met();
  }
  // Mostly the same ones are looked for again.
  GridWork& of(const machine::Grid* grid) {
    if (grid != last_grid_) last_grid_work_ = &work_[grid], last_grid_ = grid;
    return *last_grid_work_;
  }
  WarpWork& of(const machine::Warp& warp) {
    if (&warp != last_warp_) last_warp_work_ = &warps_[&warp], last_warp_ = &warp;
    return *last_warp_work_;
  }
  BlockSoFar& of(const machine::Block& block) { return of(block.grid).blocks[place_of(block)]; }
  std::uint32_t bits(std::size_t element) {
    std::uint32_t bits = 0;
    const std::uint64_t address = watched_.begin + element * sizeof bits;
    if (const std::byte* const host = gpu_.memory().translate(address, sizeof bits))
      std::memcpy(&bits, host, sizeof bits);
    return bits;
  }
  static bool releases(const ptx::Instruction& in) {
    return ptx::releases(in.facts.order) && in.facts.scope >= ptx::Scope::gpu &&
           in.facts.proxy == ptx::Proxy::generic;
  }
  // The last store is done, and its effect is seen.
  void settle(std::size_t i) {
    const LastStore& last = last_[i];
    if (elements_[i].block != kNobody && bits(i) == last.found) return;
    elements_[i].block = last.block, elements_[i].thread = last.thread;
  }
  void stored(std::uint64_t offset, std::uint32_t size, std::uint32_t block, std::uint32_t thread) {
    const std::uint64_t end = std::min<std::uint64_t>(offset + size, watched_.size);
    for (std::uint64_t i = offset / sizeof(float); i * sizeof(float) < end; ++i) {
      settle(i);
      ++elements_[i].stores;
      last_[i] = {bits(i), block, thread};
    }
  }

  machine::Gpu& gpu_;
  const WriteRecord write_;
  std::unordered_map<const machine::Grid*, GridWork> work_;
  std::unordered_map<const machine::Warp*, WarpWork> warps_;
  const machine::Grid* last_grid_ = nullptr;
  GridWork* last_grid_work_ = nullptr;
  const machine::Warp* last_warp_ = nullptr;
  WarpWork* last_warp_work_ = nullptr;
  Range watched_, counters_, aside_;
  std::vector<Element> elements_;
  std::vector<LastStore> last_;
  std::uint64_t copied_ = 0;
};

}  // namespace

std::unique_ptr<AccountKeeper> keep_account(machine::Gpu& gpu, WriteRecord write) {
  return std::make_unique<Keeper>(gpu, std::move(write));
}

}  // namespace clcsim::cudart
