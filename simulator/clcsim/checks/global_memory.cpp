// A race is decided in touch(), word by word: that is the way to read first. Some 120 lines are
// there for speed alone: "whole lines" notes what a warp does to 128 bytes at once, and split()
// takes a line apart where that can't be.
#include "checks/global_memory.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "checks/values.h"

namespace clcsim::checks {

using machine::Access;

namespace {

// Limits for each grid. What is pushed out is forgotten: a race may be missed, none is made up.
constexpr std::size_t kMostShadowPages = 4096;  // 256 MB of memory
constexpr std::size_t kMostWords = 32 * 1024;   // lines whose words are told apart
constexpr std::size_t kMostMildReads = 4096, kMostMildRaces = 1024;  // of each block

}  // namespace

struct GlobalMemory::Toucher {
  const BlockState& block;
  const WarpState& warp;
  Shadow& shadow;
  const Launches& launches;
  const Launches::Launched* launch = nullptr;  // none: it has no others beside it
  const Access* access = nullptr;              // none: a bulk copy
  Touch mine;
  int lane = 0;
  std::uint64_t address = 0;  // of the lane
  bool reported = false;

  bool knows(int my_lane, const Touch& other, int other_lane) const {
    const Lanes& group = group_of(warp, my_lane);
    LaneMask known = group.now.seen.covered(other.cluster, other.warp, other.tick);
    if (mine_is(other)) known |= group.own.covered(other.tick) | LaneMask{1} << my_lane;
    if (other.cluster == mine.cluster && other.warp >= block.cluster->warps()) {
      known |= waited(*block.cluster, warp, group, other.warp, other.tick) & LaneMask{1} << my_lane;
    }
    return (known >> other_lane & 1) != 0 || ordered(group, other);
  }
  /// Whether it was in another launch, which the host has ordered with this one.
  bool ordered(const Lanes& group, const Touch& other) const {
    const Launches::Launched* theirs = launch_of(other);
    if (theirs == launch) return false;
    const bool waited = group.now.seen.phases(Launches::kWaited) >= launch->grid;
    return theirs == nullptr || launches.ordered(*theirs, *launch, waited);
  }
  const Launches::Launched* launch_of(const Touch& other) const {
    return launch == nullptr ? nullptr : launches.of(other.cluster);
  }
  /// Whether it was this warp itself, and no copy beside it.
  bool mine_is(const Touch& other) const {
    return other.cluster == mine.cluster && other.warp == warp.id;
  }
};

GlobalMemory::Toucher GlobalMemory::toucher_of(const Warp& warp, const ptx::Instruction& in) {
  const BlockState& block = states_.of(*warp.block);
  const WarpState& state = states_.of(warp);
  const machine::Grid& grid = *warp.block->grid;
  const Launches::Launched* const launch = launches_.of(block.cluster->id);
  Toucher toucher{.block = block,
                  .warp = state,
                  .shadow = shadows_[launch != nullptr ? 0 : grid.serial],
                  .launches = launches_,
                  .launch = launch};
  toucher.mine = {.cluster = static_cast<std::uint32_t>(block.cluster->id),
                  .tick = state.tick,
                  .location = in.location,
                  .warp = static_cast<std::uint16_t>(state.id)};
  return toucher;
}

void GlobalMemory::check_constant(const Access& access) {
  const int lane = std::countr_zero(access.lanes);
  const machine::Allocation* found = memory_.find(address_of(access, lane));
  if (found == nullptr || !found->read_only) return;
  const BlockState& block = states_.of(*access.warp.block);
  reporter_.report(block, 0,
                   {.rule = Rule::illegal_instruction,
                    .what = What::store_to_constant,
                    .at = place_of(block, states_.stamp(access.warp, access.in, lane))});
}

void GlobalMemory::memory_accessed(const Access& access) {
  if (access.space != machine::Space::global) return;
  if (access.kind != Access::Kind::read && memory_.has_constants()) check_constant(access);
  if (!order_.complete()) return;
  if (remembers()) launches_.memory_accessed(access);
  const ptx::Facts& facts = access.in.facts;
  Toucher toucher = toucher_of(access.warp, access.in);
  toucher.access = &access;
  if (facts.action == ptx::Action::copy) {
    const ClusterState& cluster = *toucher.block.cluster;
    toucher.mine.warp = static_cast<std::uint16_t>(cluster.number(toucher.warp.id, Beside::copy));
  }
  toucher.mine.strong = access.kind == Access::Kind::atomic || facts.order != ptx::Order::weak;
  toucher.mine.writes = access.kind != Access::Kind::read;
  toucher.mine.atomic = access.kind == Access::Kind::atomic;
  const bool system = facts.scope == ptx::Scope::sys || facts.order == ptx::Order::volatile_;
  toucher.mine.reach = system ? kSystem : static_cast<std::uint8_t>(reach_of(facts.scope));
  toucher.mine.wide = toucher.mine.atomic && access.size == 8;
  if (facts.action == ptx::Action::load && !toucher.mine.strong) note_mild(toucher);
  if (toucher.launch != nullptr && !toucher.launch->beside.empty()) {
    for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
      toucher.lane = std::countr_zero(left);
      check_beside(toucher, {.address = address_of(access, toucher.lane), .bytes = access.size});
    }
  }
  const bool all = access.contiguous;  // side by side: look once, and then at each lane
  if (toucher.mine.writes && !toucher.shadow.sources.empty() &&
      (!all || is_source(toucher.shadow, access.addresses[0], access.size * ptx::kLanes))) {
    for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
      toucher.lane = std::countr_zero(left);
      toucher.address = address_of(access, toucher.lane);
      check_sources(toucher, toucher.address, access.size);
    }
  }
  if (access.contiguous && access.size >= 4 && access.addresses[0] % kLine == 0 &&
      !toucher.mine.strong) {
    return touch_lines(toucher, access.addresses[0], access.size * ptx::kLanes);
  }
  // Lanes side by side that know the same and read the same: two of them stand for all.
  const bool alike = access.kind == Access::Kind::read && toucher.warp.groups.size() == 1;
  int again = 0;
  for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
    toucher.lane = std::countr_zero(left);
    const std::uint64_t before = std::exchange(toucher.address, address_of(access, toucher.lane));
    again = toucher.address == before ? again + 1 : 0;
    if (alike && again > 1) continue;
    for (std::uint32_t i = 0; i < access.size; i += 4) {
      const std::uint64_t address = toucher.address + i;
      Line& line = page_of(toucher.shadow, address / kPage).lines[address % kPage / kLine];
      touch_word(toucher, line, address, std::min(access.size, 4u));
    }
  }
}

void GlobalMemory::async_issued(const machine::AsyncIssue& issue) {
  if (!order_.complete()) return;
  Toucher toucher = toucher_of(issue.warp, issue.in);
  toucher.lane = issue.lane;
  if (issue.map != 0) check_map(toucher, issue.map);
  if (issue.reads.box != nullptr) {
    read_by_copy(toucher, issue);
    add_source(toucher, issue);
  }
  if (issue.writes.box != nullptr) written_by_copy(toucher, issue);
}

// It writes from now on until it has been waited for.
void GlobalMemory::written_by_copy(Toucher& toucher, const machine::AsyncIssue& issue) {
  const ClusterState& cluster = *toucher.block.cluster;
  const machine::Box& to = *issue.writes.box;
  toucher.mine.warp =
      static_cast<std::uint16_t>(cluster.number(toucher.warp.id, Beside::bulk_write));
  toucher.mine.writes = true;
  toucher.mine.strong = toucher.mine.atomic = issue.reduces;
  toucher.mine.reach = static_cast<std::uint8_t>(Reach::gpu);
  toucher.mine.shape = std::countr_zero(kLine);  // of a line: all of it is this lane's
  check_beside(toucher, to);
  to.for_each_line([&](std::uint64_t address, std::uint32_t) {
    check_sources(toucher, address, to.bytes);
    for (const std::uint64_t end = address + to.bytes; address < end;) {
      toucher.address = address;
      Line& line = page_of(toucher.shadow, address / kPage).lines[address % kPage / kLine];
      if (address % kLine == 0 && end - address >= kLine && line.words == 0 && !issue.reduces &&
          touch_line(toucher, line, issue.lane)) {
        address += kLine;
        continue;
      }
      const std::uint32_t size = address % 4 == 0 && end - address >= 4 ? 4 : 1;  // with cp_mask
      touch_word(toucher, line, address, size);
      address += size;
    }
  });
}

GlobalMemory::Touch GlobalMemory::written(const Shadow& shadow, const Page* page,
                                          std::uint64_t address) {
  if (page == nullptr) return {};
  const Line& line = page->lines[address % kPage / kLine];
  const auto word = static_cast<std::uint32_t>(address % kLine / 4);
  return line.words == 0 ? part(line.whole.write, word)
                         : shadow.words[line.words]->cells[word].write;
}

void GlobalMemory::fenced(const Executed& executed) {
  launches_.fenced(executed);
  const ptx::Facts& fence = executed.in.facts;
  if (fence.proxy != ptx::Proxy::tensormap || fence.order != ptx::Order::acquire) return;
  const int lane = std::countr_zero(executed.lanes);
  const auto offset = static_cast<std::int32_t>(executed.in.operand[1]);
  const std::uint64_t map = executed.warp.lanes_of<std::uint64_t>(executed.in.operand[0])[lane] +
                            static_cast<std::uint64_t>(std::int64_t{offset});
  Toucher toucher = toucher_of(executed.warp, executed.in);
  const auto page = toucher.shadow.pages.find(map / kPage);
  if (page == toucher.shadow.pages.end()) return;
  const Touch write = written(toucher.shadow, page->second.get(), map);
  if (write.cluster != 0 && toucher.knows(lane, write, write.lane)) acquired_maps_[map] = write;
}

// A tensor map that was written by threads is there for copies once a fence has acquired it.
void GlobalMemory::check_map(Toucher& toucher, std::uint64_t map) {
  const auto page = toucher.shadow.pages.find(map / kPage);
  if (page == toucher.shadow.pages.end()) return;
  const Touch write = written(toucher.shadow, page->second.get(), map);
  Touch mine = toucher.mine;
  mine.lane = static_cast<std::uint8_t>(toucher.lane);
  mine.shape = 0xf;
  if (write.cluster == 0 || toucher.launch_of(write) != toucher.launch) return;
  for (toucher.address = map; toucher.address < map + 128; toucher.address += 4) {
    const Touch one = written(toucher.shadow, page->second.get(), toucher.address);
    if (conflicts(toucher, mine, one)) return report(toucher, mine, one);
  }
  const Touch& acquired = acquired_maps_[map];
  if (acquired.cluster == write.cluster && acquired.warp == write.warp &&
      acquired.tick == write.tick) {
    return;
  }
  const bool same_cluster = write.cluster == mine.cluster;
  reporter_.report(toucher.block, write.location,
                   {.rule = Rule::missing_proxy_fence,
                    .what = What::map_without_fence,
                    .at = place_of(toucher.block, mine.stamp()),
                    .details = {{Role::write, same_cluster ? Note::who : Note::other_block,
                                 same_cluster ? place_of(toucher.block, write.stamp())
                                              : place_of(toucher.block, write.location)}}});
}

// What it reads must have been written before. Only lines that somebody has touched are looked at.
void GlobalMemory::read_by_copy(Toucher& toucher, const machine::AsyncIssue& issue) {
  Touch mine = toucher.mine;
  mine.lane = static_cast<std::uint8_t>(issue.lane);
  mine.shape = 0xf;
  const auto look = [&](std::uint64_t address, const Touch& write) {
    toucher.address = address;
    if (toucher.reported || write.cluster == 0) return;
    if (conflicts(toucher, mine, write)) {
      report(toucher, mine, write);
    } else {
      check_handed(toucher, mine, write);
    }
  };
  check_beside(toucher, *issue.reads.box);
  for_each_touched(toucher.shadow, *issue.reads.box,
                   [&](std::uint64_t from, std::uint64_t to, const Cell& cell, bool whole) {
                     if (cell.write.cluster == 0) return;
                     for (; from < to; from += 4) {
                       const auto word = static_cast<std::uint32_t>(from % kLine / 4);
                       look(from, whole ? part(cell.write, word) : cell.write);
                     }
                   });
}

/// f(first byte, end, cell, whether it is of the whole line) for the lines of a box that somebody
/// has touched, or their words.
template <class F>
void GlobalMemory::for_each_touched(const Shadow& shadow, const machine::Box& box, F&& f) {
  std::uint64_t number = ~std::uint64_t{0};
  const Page* page = nullptr;
  box.for_each_line([&](std::uint64_t address, std::uint32_t) {
    for (const std::uint64_t end = address + box.bytes; address < end;) {
      if (std::exchange(number, address / kPage) != address / kPage) {
        const auto found = shadow.pages.find(number);
        page = found == shadow.pages.end() ? nullptr : found->second.get();
      }
      const Line* const line = page == nullptr ? nullptr : &page->lines[address % kPage / kLine];
      const std::uint64_t unit = line == nullptr ? kPage : line->words == 0 ? kLine : 4;
      const std::uint64_t next = std::min(end, (address / unit + 1) * unit);
      if (line != nullptr) {
        f(address, next,
          line->words == 0 ? line->whole : shadow.words[line->words]->cells[address % kLine / 4],
          line->words == 0);
      }
      address = next;
    }
  });
}

// ---- copies and fills of the host's ----

// It is done: what kernels have done before with its bytes is looked at now, and the rest when they
// do it.
void GlobalMemory::host_accessed(const machine::HostAccess& access) {
  const auto copy = launches_.add(access);
  const auto shadow = shadows_.find(0);
  if (shadow == shadows_.end() || !launches_.leaves_beside(*copy)) return;
  std::uint32_t harmless = 0;  // a cluster
  for_each_touched(shadow->second, copy->bytes,
                   [&](std::uint64_t from, std::uint64_t to, const Cell& cell, bool whole) {
                     const std::uint32_t bytes =
                         whole ? 0xf : ((1u << (to - from)) - 1) << from % 4;
                     for (const Touch& touch : {cell.write, cell.first, cell.last}) {
                       if (touch.cluster == harmless || !(touch.writes || copy->writes)) continue;
                       if (!whole && (touch.shape & bytes) == 0) continue;
                       const Launches::Launched* const launch = launches_.of(touch.cluster);
                       if (launch == nullptr || launches_.ordered(copy->made, *launch, true)) {
                         harmless = touch.cluster;
                       } else if (touch.strong && touch.reach == kSystem) {
                         launches_.talks(*launch);
                       } else {
                         report_beside(*launch, *copy, touch.location, touch.writes);
                       }
                     }
                   });
}

void GlobalMemory::check_beside(Toucher& toucher, const machine::Box& box) {
  if (toucher.launch == nullptr) return;
  const Touch& mine = toucher.mine;
  const bool waited = group_of(toucher.warp, toucher.lane).now.seen.phases(Launches::kWaited) >=
                      toucher.launch->grid;
  for (const auto& copy : toucher.launch->beside) {
    if (!(mine.writes || copy->writes)) continue;
    bool touched = false;
    box.for_each_line([&](std::uint64_t address, std::uint32_t) {
      touched = touched || copy->bytes.touches(address, box.bytes);
    });
    if (!touched || launches_.ordered(copy->made, *toucher.launch, waited)) continue;
    if (mine.strong && mine.reach == kSystem) return launches_.talks(*toucher.launch);
    report_beside(*toucher.launch, *copy, mine.location, mine.writes);
  }
}

void GlobalMemory::report_beside(const Launches::Launched& launch, const Launches::Copy& copy,
                                 std::uint32_t location, bool writes) {
  const Place place{.program = launch.program, .location = location};
  // Calls are told apart by the last digits of their addresses.
  const auto call = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(copy.call));
  if (!reporter_.wanted(Rule::data_race, {.location = call}, place)) return;
  const auto serial = static_cast<std::int64_t>(launch.grid);
  reporter_.report({.rule = Rule::data_race,
                    .what = What::race_with_copy,
                    .numbers = {copy.writes, writes, serial, copy.fills},
                    .call = copy.call,
                    .details = {{.role = writes ? Role::write : Role::read,
                                 .note = Note::of_kernel,
                                 .place = place,
                                 .numbers = {serial}}}});
}

// ---- what copies to shared memory read ----

bool GlobalMemory::over(const Source& source) const {
  const ClusterState* const cluster = states_.find(source.slot, source.cluster);
  return cluster == nullptr || cluster->forgotten(source.number);
}

void GlobalMemory::add_source(Toucher& toucher, const machine::AsyncIssue& issue) {
  const machine::Box& box = *issue.reads.box;
  const auto source = std::make_shared<const Source>(
      Source{.cluster = toucher.block.cluster->id,
             .slot = issue.warp.block->cluster->slot,
             .number = AsyncOp::number(issue.serial),
             .issue = states_.stamp(issue.warp, issue.in, issue.lane),
             .box = box});
  std::uint64_t latest = ~std::uint64_t{0};
  const auto add = [&](std::uint64_t page) {
    if (std::exchange(latest, page) == page) return;
    Sources& sources = toucher.shadow.sources[page];
    if (!sources.empty() && sources.back() == source) return;
    // A look for those that are over when the list has doubled: so each costs the same.
    if (std::has_single_bit(sources.size())) {
      std::erase_if(sources, [&](const auto& other) { return over(*other); });
    }
    sources.push_back(source);
  };
  box.for_each_line([&](std::uint64_t line, std::uint32_t) {
    for (std::uint64_t page = line / kPage; page <= (line + box.bytes - 1) / kPage; ++page) {
      add(page);
    }
  });
}

/// f(source) for each one that has one of these bytes and may not be over.
template <class F>
void GlobalMemory::for_each_source(const Shadow& shadow, std::uint64_t address, std::uint32_t bytes,
                                   F&& f) const {
  for (std::uint64_t page = address / kPage; page <= (address + bytes - 1) / kPage; ++page) {
    const auto found = shadow.sources.find(page);
    if (found == shadow.sources.end()) continue;
    for (const auto& source : found->second) {
      if (source->box.touches(address, bytes) && !over(*source)) f(*source);
    }
  }
}

bool GlobalMemory::is_source(const Shadow& shadow, std::uint64_t address,
                             std::uint32_t bytes) const {
  bool is = false;
  for_each_source(shadow, address, bytes, [&](const Source&) { is = true; });
  return is;
}

/// A store of the toucher's lane, or a copy that it has issued, to these bytes.
void GlobalMemory::check_sources(Toucher& toucher, std::uint64_t address, std::uint32_t bytes) {
  for_each_source(toucher.shadow, address, bytes, [&](const Source& source) {
    if (!toucher.reported) report_source(toucher, source);
  });
}

void GlobalMemory::report_source(Toucher& toucher, const Source& source) {
  const ClusterState& cluster = *toucher.block.cluster;
  const Clock& seen = group_of(toucher.warp, toucher.lane).now.seen;
  const Touch reader{.cluster = static_cast<std::uint32_t>(source.cluster),
                     .location = source.issue.location,
                     .warp = static_cast<std::uint16_t>(source.issue.warp)};
  const bool same_cluster = source.cluster == cluster.id;
  // A thread of another cluster that has heard of the block may have heard of the copy's end.
  if (same_cluster
          ? cluster.knows_end(seen, source.number)
          : toucher.launch_of(reader) != toucher.launch || told_of_others(toucher, reader)) {
    return;
  }
  const Access* const access = toucher.access;
  if (access != nullptr && access->kind == Access::Kind::write) {
    const std::byte* now = access->warp.gpu->memory().translate(toucher.address, access->size);
    if (now == nullptr || stores(*access, toucher.lane, now)) return;
  }
  toucher.reported = true;
  const Place place = same_cluster ? place_of(toucher.block, source.issue)
                                   : place_of(toucher.block, source.issue.location);
  Touch mine = toucher.mine;
  mine.lane = static_cast<std::uint8_t>(toucher.lane);
  reporter_.report(
      toucher.block, source.issue.location,
      {.rule = Rule::data_race,
       .what = What::store_on_source_of_phase,
       .at = place_of(toucher.block, mine.stamp()),
       .details = {{Role::copy, same_cluster ? Note::who : Note::other_block, place}}});
}

// What a thread has written is there for the async proxy once it was handed over.
void GlobalMemory::check_handed(Toucher& toucher, const Touch& mine, const Touch& write) {
  const ClusterState& cluster = *toucher.block.cluster;
  const bool same_cluster = write.cluster == mine.cluster;
  const bool by_copy = cluster.beside(write.warp) != Beside::nothing;  // whose end is a proxy fence
  const Lanes& group = group_of(toucher.warp, mine.lane);
  const bool earlier = toucher.launch_of(write) != toucher.launch;  // launches are kept apart
  const bool itself = same_cluster && write.warp == mine.warp && write.lane == mine.lane;
  if (by_copy || earlier ||
      (itself && (group.handed.global.covered(write.tick) >> mine.lane & 1) != 0) ||
      group.now.handed.global.covers(write.cluster, write.warp, write.lane, write.tick))
    return;
  // A fence that names no space hands on both.
  const BySpace& handed = group.now.handed;
  const auto of_shared = [&](const Clock& told, const Known& own) {
    return told.covers(write.cluster, write.warp, write.lane, write.tick) ||
           (itself && (own.covered(write.tick) >> mine.lane & 1) != 0);
  };
  const bool fenced =
      of_shared(handed.own, group.handed.own) || of_shared(handed.peers, group.handed.peers);
  toucher.reported = true;
  reporter_.report(toucher.block, write.location,
                   {.rule = Rule::missing_proxy_fence,
                    .what = fenced ? What::fenced_in_another_space : What::not_handed_to_copy,
                    .at = place_of(toucher.block, mine.stamp()),
                    .numbers = {1, 0},
                    .details = {{Role::write, same_cluster ? Note::who : Note::other_block,
                                 same_cluster ? place_of(toucher.block, write.stamp())
                                              : place_of(toucher.block, write.location)}}});
}

GlobalMemory::Page& GlobalMemory::page_of(Shadow& shadow, std::uint64_t number) {
  if (number == shadow.last_number) return *shadow.last_page;
  std::unique_ptr<Page>& page = shadow.pages[number];
  if (page == nullptr) {
    if (shadow.order.size() >= kMostShadowPages) {
      const auto oldest = shadow.pages.find(shadow.order.front());
      for (const Line& line : oldest->second->lines) {
        if (line.words != 0) shadow.idle_words.push_back(line.words);
      }
      idle_pages_.push_back(std::move(oldest->second));
      shadow.pages.erase(oldest);
      shadow.order.pop_front();
      return page_of(shadow, number);  // the map has changed
    }
    if (idle_pages_.empty()) {
      page = std::make_unique<Page>();
    } else {
      page = std::move(idle_pages_.back());
      idle_pages_.pop_back();
      *page = Page{};
    }
    shadow.order.push_back(number);
  }
  shadow.last_number = number;
  shadow.last_page = page.get();
  return *page;
}

// ---- whole lines ----

void GlobalMemory::touch_lines(Toucher& toucher, std::uint64_t address, std::uint32_t bytes) {
  const std::uint32_t size = toucher.access->size;
  toucher.mine.shape = static_cast<std::uint8_t>(std::countr_zero(size));
  Page* page = &page_of(toucher.shadow, address / kPage);
  for (std::uint32_t done = 0; done < bytes; done += kLine) {
    const std::uint64_t here = address + done;
    if (here % kPage == 0) page = &page_of(toucher.shadow, here / kPage);
    Line& line = page->lines[here % kPage / kLine];
    const int first_lane = static_cast<int>(done / size);
    if (line.words == 0 && touch_line(toucher, line, first_lane)) continue;
    for (std::uint32_t i = 0; i < kLine; i += 4) {
      toucher.lane = first_lane + static_cast<int>(i / size);
      toucher.address = address + std::uint64_t{size} * toucher.lane;
      touch_word(toucher, line, here + i, 4);
    }
  }
}

// True if nothing can be wrong and the line is noted; false: look at each word.
bool GlobalMemory::touch_line(Toucher& toucher, Line& line, int first_lane) {
  Touch mine = toucher.mine;
  mine.lane = static_cast<std::uint8_t>(first_lane);
  const bool one_group = toucher.warp.groups.size() == 1;
  const Lanes& group = toucher.warp.groups.front();
  const auto all_know = [&](const Touch& other) {
    if (!one_group) return false;
    if (toucher.mine_is(other) && other.tick <= group.own.all) return true;
    return group.now.seen.covers_all(other.cluster, other.warp, other.tick) ||
           toucher.ordered(group, other);
  };
  const auto orderly = [&](const Touch& other) {
    if (other.cluster == 0 || (!mine.writes && !other.writes)) return true;
    if (toucher.mine_is(other) && other.lane == mine.lane && other.shape == mine.shape) {
      return true;  // the same lanes
    }
    // What all lanes have told is known of each of them.
    return all_know(other);
  };
  Cell& cell = line.whole;
  if (!orderly(cell.write) || !orderly(cell.first) || !orderly(cell.last)) return false;
  if (mine.writes) {
    cell.write = mine;
    cell.first.cluster = cell.last.cluster = 0;
    return true;
  }
  const auto replaces = [&](const Touch& other) {
    if (other.cluster == 0) return true;
    if (other.cluster == mine.cluster && other.warp == mine.warp) {
      return other.lane == mine.lane && other.shape == mine.shape;
    }
    return all_know(other);
  };
  if (replaces(cell.first) || outranks(mine, cell.first)) {
    cell.first = mine;
  } else if (!outranks(cell.last, mine) || replaces(cell.last)) {
    cell.last = mine;
  }
  return true;
}

// Of two reads it is the one of which something may come that must not be forgotten.
bool GlobalMemory::outranks(const Touch& one, const Touch& other) {
  return other.mild && one.cluster != 0 && !one.mild && !one.writes;
}

// ---- words ----

GlobalMemory::Touch GlobalMemory::part(Touch touch, std::uint32_t word) {
  if (touch.cluster == 0) return touch;
  touch.lane = static_cast<std::uint8_t>(touch.lane + (word * 4 >> touch.shape));
  touch.shape = 0xf;
  return touch;
}

GlobalMemory::Cell* GlobalMemory::split(Shadow& shadow, Line& line) {
  std::uint32_t index;
  if (!shadow.idle_words.empty()) {
    index = shadow.idle_words.back();
    shadow.idle_words.pop_back();
  } else {
    if (shadow.words.size() > kMostWords) return nullptr;
    index = static_cast<std::uint32_t>(shadow.words.size());
    shadow.words.push_back(std::make_unique<Words>());
  }
  Words& words = *shadow.words[index];
  line.words = index;
  const Cell& whole = line.whole;
  if (whole.write.cluster == 0 && whole.first.cluster == 0 && whole.last.cluster == 0) {
    words = {};
    return words.cells;
  }
  for (std::uint32_t word = 0; word < kWords; ++word) {
    words.cells[word] = {part(whole.write, word), part(whole.first, word), part(whole.last, word)};
  }
  return words.cells;
}

void GlobalMemory::touch_word(Toucher& toucher, Line& line, std::uint64_t address,
                              std::uint32_t bytes) {
  Cell* const cells =
      line.words != 0 ? toucher.shadow.words[line.words]->cells : split(toucher.shadow, line);
  if (cells == nullptr) {  // no room: the line is forgotten
    line.whole = {};
    return;
  }
  Touch mine = toucher.mine;
  mine.lane = static_cast<std::uint8_t>(toucher.lane);
  mine.shape = static_cast<std::uint8_t>(((1u << bytes) - 1) << (address & 3) & 0xf);
  touch(toucher, cells[address % kLine / 4], mine);
}

bool GlobalMemory::conflicts(const Toucher& toucher, const Touch& mine, const Touch& other) const {
  if (other.cluster == 0 || (!mine.writes && !other.writes)) return false;
  if ((mine.shape & other.shape) == 0 || morally_strong(toucher, mine, other)) return false;
  return !toucher.knows(mine.lane, other, other.lane);
}

// PTX ISA 9.0, 8.6: both are strong, the scope of each holds the other's thread, and they overlap
// completely. Parts of a word are left out: libraries make atomic operations on words of those.
bool GlobalMemory::morally_strong(const Toucher& toucher, const Touch& mine,
                                  const Touch& other) const {
  if (!mine.strong || !other.strong) return false;
  if (mine.atomic && other.atomic && mine.wide != other.wide) return false;
  if (toucher.mine_is(other) && in_lockstep(toucher, mine, other)) return false;
  const auto reach = static_cast<Reach>(std::min<unsigned>(mine.reach, other.reach));
  if (reach >= Reach::gpu) return true;
  if (other.cluster != mine.cluster) return false;
  const ClusterState& cluster = *toucher.block.cluster;
  return reach == Reach::cluster || cluster.rank_of(mine.warp) == cluster.rank_of(other.warp);
}

// Of one warp: a store, and a load that relies on when the store comes.
bool GlobalMemory::in_lockstep(const Toucher& toucher, const Touch& mine,
                               const Touch& other) const {
  if (mine.writes == other.writes || mine.atomic || other.atomic) return false;
  const std::vector<bool>& loads = lockstep_.loads(*toucher.block.cluster->grid->launch.program);
  return !loads.empty() && loads[mine.writes ? other.location : mine.location];
}

// Atomics on one word form a chain: whoever made the last one comes after all of them. So may a
// ticket be reset by the thread that drew the last.
bool GlobalMemory::drew_last(const Cell& cell, const Touch& mine) {
  const Touch& latest = cell.last.cluster != 0 ? cell.last : cell.first;
  return latest.atomic && latest.cluster == mine.cluster && latest.warp == mine.warp &&
         latest.lane == mine.lane;
}

void GlobalMemory::touch(Toucher& toucher, Cell& cell, const Touch& mine) {
  const bool after_atomics = !mine.strong && drew_last(cell, mine);
  for (const Touch* other : {&cell.write, &cell.first, &cell.last}) {
    if (after_atomics && other->atomic) continue;
    if (!conflicts(toucher, mine, *other) || toucher.reported) continue;
    report(toucher, mine, *other);
  }
  if (mine.writes && !mine.strong) {
    cell.write = mine;
    cell.first.cluster = cell.last.cluster = 0;
    return;
  }
  const auto replaces = [&](const Touch& other) {
    return other.cluster == 0 ||
           ((mine.writes || !other.writes) && toucher.knows(mine.lane, other, other.lane));
  };
  if (mine.atomic && cell.last.cluster != 0) {
    if (replaces(cell.first)) cell.first = cell.last;
    cell.last = mine;
  } else if (replaces(cell.first) || outranks(mine, cell.first)) {
    cell.first = mine;
  } else if (mine.writes || (!cell.last.writes && !outranks(cell.last, mine)) ||
             replaces(cell.last)) {
    cell.last = mine;
  }
}

// Whether this thread knows of a thread of the other's block.
bool GlobalMemory::told_of_others(const Toucher& toucher, const Touch& other) const {
  const ClusterState& cluster = *toucher.block.cluster;
  const Lanes& group = group_of(toucher.warp, toucher.lane);
  const std::uint32_t first =
      other.warp % cluster.warps() / cluster.warps_per_block * cluster.warps_per_block;
  for (std::uint32_t warp = first; warp < first + cluster.warps_per_block; ++warp) {
    if (group.now.seen.covered(other.cluster, warp, 1) != 0) return true;
  }
  return false;
}

// Whether another thread of this block knows of what the other one did.
bool GlobalMemory::others_know(const Toucher& toucher, const Touch& other) {
  for (const WarpState& warp : toucher.block.warps) {
    for (const Lanes& group : warp.groups) {
      if (group.now.seen.covers(other.cluster, other.warp, other.lane, other.tick)) return true;
    }
  }
  return false;
}

void GlobalMemory::report(Toucher& toucher, const Touch& mine, const Touch& other) {
  const Access* const access = toucher.access;
  if (other.writes && access != nullptr && access->kind == Access::Kind::write) {
    // Storing what is there already changes nothing, in whatever order it is done.
    const bool same_instruction = other.cluster == mine.cluster && other.warp == mine.warp &&
                                  other.tick == mine.tick && other.location == mine.location;
    if (same_instruction) {
      if (stores_same(*access, toucher.lane, other.lane)) return;
    } else {
      const std::byte* now = access->warp.gpu->memory().translate(toucher.address, access->size);
      if (now == nullptr || stores(*access, toucher.lane, now)) return;
    }
  }
  if (toucher.launch_of(other) != toucher.launch) {
    toucher.reported = true;
    return report_launches(toucher, mine, other);
  }
  const std::uint32_t at = mine.location;
  const bool mild = mine.mild || other.mild;
  if (!mild) toucher.reported = true;
  if (!mild && !reporter_.wanted(toucher.block, Rule::data_race, at, other.location)) return;
  const ClusterState& cluster = *toucher.block.cluster;
  const bool same_cluster = other.cluster == mine.cluster;
  const bool same_block = same_cluster && cluster.rank_of(mine.warp) == cluster.rank_of(other.warp);
  if (same_block && other.writes && cluster.beside(other.warp) == Beside::bulk_write) {
    return reporter_.report(
        {.rule = Rule::data_race,
         .what = What::access_of_bulk_store,
         .at = place_of(toucher.block, mine.stamp()),
         .numbers = {mine.writes},
         .details = {{Role::copy, Note::who, place_of(toucher.block, other.stamp())}}});
  }
  Touch issuer = other;
  issuer.warp = static_cast<std::uint16_t>(other.warp % cluster.warps());
  const bool told_early = cluster.beside(other.warp) == Beside::bulk_write &&
                          toucher.knows(mine.lane, issuer, other.lane);
  const ptx::Program& program = *cluster.grid->launch.program;
  const bool sizes = mine.atomic && other.atomic && mine.wide != other.wide;
  const Finding finding{.rule = Rule::data_race,
                        .what = sizes ? What::global_race
                                : mine.strong && other.strong && toucher.mine_is(other)
                                    ? What::global_race_in_lockstep
                                : mine.strong && other.strong ? What::global_race_of_scopes
                                : told_early                  ? What::told_before_bulk_store_ended
                                : same_block                  ? What::global_race
                                : same_cluster                ? What::global_race_in_cluster
                                : told_of_others(toucher, other) ? What::global_race_released_early
                                : others_know(toucher, other)    ? What::global_race_acquired_alone
                                : same_line(program, at, other.location)
                                    ? What::global_race_of_blocks_in_line
                                    : What::global_race_of_blocks,
                        .at = place_of(toucher.block, mine.stamp()),
                        .numbers = {mine.writes, other.writes, same_cluster},
                        .details = {{other.writes ? Role::write : Role::read,
                                     same_cluster ? Note::who : Note::other_block,
                                     same_cluster ? place_of(toucher.block, other.stamp())
                                                  : place_of(toucher.block, other.location)}}};
  mild ? report_mild(toucher, mine, other, finding) : reporter_.report(finding);
}

// ---- reads of which nothing comes ----

void GlobalMemory::note_mild(Toucher& toucher) {
  const Access& access = *toucher.access;
  const Block& block = *access.warp.block;
  const Fate best = fates_.best(*block.grid->launch.program, access.in.location);
  toucher.mine.mild = best != Fate::used;
  if (best != Fate::skipped) return;
  Mild& mild = mild_[block.serial];
  mild.full |= mild.reads.size() >= kMostMildReads;
  if (mild.full) return;
  mild.reads.push_back({access.in.location, access.warp.index, access.size, access.lanes});
  for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    mild.reads.back().addresses[static_cast<std::size_t>(lane)] = address_of(access, lane);
  }
}

void GlobalMemory::report_mild(Toucher& toucher, const Touch& mine, const Touch& other,
                               Finding finding) {
  const ClusterState& cluster = *toucher.block.cluster;
  const Touch &read = mine.mild ? mine : other, &write = mine.mild ? other : mine;
  if (fates_.best(*cluster.grid->launch.program, read.location) == Fate::verified) {
    finding.what = What::race_of_guess;
    return tell(finding, true);
  }
  std::uint64_t serial = 0;
  std::int64_t writer = -1;
  states_.for_each_running([&](const BlockState& block) {
    const ClusterState& of = *block.cluster;
    if (of.id != read.cluster || of.rank_of(read.warp) != block.rank) return;
    serial = block.serial;
    if (write.cluster == of.id && of.beside(write.warp) == Beside::nothing &&
        of.rank_of(write.warp) == block.rank) {
      writer = write.warp % of.warps_per_block * ptx::kLanes + write.lane;
    }
  });
  const auto mild = mild_.find(serial);
  if (mild == mild_.end()) return tell(finding, false);  // its thread has ended
  const Mild::Race race{std::move(finding), read.location, toucher.address / 4, writer};
  std::vector<Mild::Race>& races = mild->second.races;
  const bool known = std::any_of(races.begin(), races.end(),
                                 [&](const Mild::Race& each) { return each.key() == race.key(); });
  if (!known && races.size() < kMostMildRaces) races.push_back(race);
}

void GlobalMemory::tell(const Finding& finding, bool note) {
  if (reporter_.wanted(Rule::data_race, finding.at, finding.details[0].place, note)) {
    reporter_.report(finding);
  }
}

void GlobalMemory::block_finished(const Block& block) {
  const auto entry = mild_.find(block.serial);
  if (entry == mild_.end()) return;
  const Mild mild = std::move(entry->second);
  mild_.erase(entry);
  if (mild.races.empty()) return;
  const ptx::Program& program = *block.grid->launch.program;
  using Used = std::tuple<std::uint32_t, std::uint64_t>;  // location, word
  std::multimap<Used, std::int64_t> used;                 // by whom
  for (const Mild::Read& read : mild.reads) {
    for (LaneMask left = read.lanes; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      Warp& warp = *block.warps[read.warp];
      if (fates_.of(program, read.location, warp, lane) != Fate::used) continue;
      const std::uint64_t address = read.addresses[static_cast<std::size_t>(lane)];
      for (std::uint64_t word = address / 4; word <= (address + read.size - 1) / 4; ++word) {
        used.emplace(Used{read.location, word}, warp.thread(lane));
      }
    }
  }
  for (const Mild::Race& race : mild.races) {
    const auto [from, to] = used.equal_range({race.location, race.word});
    const bool note = !mild.full && std::all_of(from, to, [&](const auto& each) {
      return each.second == race.writer;
    });
    Finding finding = race.finding;
    if (note) finding.what = What::race_of_skipped;
    tell(finding, note);
  }
}

void GlobalMemory::flush() {
  for (const auto& [serial, mild] : mild_) {
    for (const Mild::Race& race : mild.races) tell(race.finding, false);
  }
  mild_.clear();
}

void GlobalMemory::report_launches(Toucher& toucher, const Touch& mine, const Touch& other) {
  const Launches::Launched& theirs = *toucher.launch_of(other);
  const Place at = place_of(toucher.block, mine.stamp());
  const Place there{.program = theirs.program, .location = other.location};
  const bool depends = Launches::holds(toucher.launch->standing.waited, theirs);
  if (!reporter_.wanted(Rule::data_race, at, there)) return;
  const auto number = [](std::uint64_t serial) { return static_cast<std::int64_t>(serial); };
  reporter_.report(
      {.rule = Rule::data_race,
       .what = depends ? What::global_race_with_primary : What::global_race_of_launches,
       .at = at,
       .numbers = {mine.writes, other.writes, number(toucher.launch->grid)},
       .details = {{.role = other.writes ? Role::write : Role::read,
                    .note = depends ? Note::primary_launch : Note::other_launch,
                    .place = there,
                    .numbers = {number(theirs.grid)}}}});
}

bool GlobalMemory::block_starts(const Block& block) {
  if (!remembers() || !launches_.over_before(*block.grid)) return false;
  launches_.clear();
  forget(0);
  return true;
}

void GlobalMemory::block_started(const Block& block) {
  if (block.rank == 0) launches_.cluster_started(states_.of(*block.cluster).id, *block.grid);
}

void GlobalMemory::grid_finished(const machine::Grid& grid) {
  if (!launches_.grid_finished(grid)) forget(grid.serial);
}

void GlobalMemory::forget(std::uint64_t serial) {
  const auto shadow = shadows_.find(serial);
  if (shadow == shadows_.end()) return;
  for (auto& [number, page] : shadow->second.pages) {
    if (idle_pages_.size() < kMostShadowPages / 4) idle_pages_.push_back(std::move(page));
  }
  shadows_.erase(shadow);
  acquired_maps_.clear();
}

}  // namespace clcsim::checks
