#include "checks/uninitialised.h"

#include <algorithm>
#include <bit>

namespace clcsim::checks {

using machine::Access;
using ptx::Action;
using ptx::Instruction;
using ptx::kAbsent;

namespace {

std::uint32_t pc_of(const Warp& warp) {
  return warp.paths[warp.current].pc;
}

/// Bits of an origin: the value was read from global or local memory, not from shared memory; and
/// it may be padding, as nobody has changed it since and bytes close to it were written. Or it was
/// read from a lane that does not take part in a shuffle, or a product is still to write it.
constexpr std::uint32_t kFromGlobal = 1u << 31, kPadding = 1u << 30, kFromNobody = 1u << 29;
constexpr std::uint32_t kFromLocal = 1u << 28;
/// From tensor memory; or there a product has added to it. Or wgmma is still to write it.
constexpr std::uint32_t kFromTensor = 1u << 27, kFromSum = 1u << 26, kFromProduct = 1u << 25;
constexpr std::uint32_t kOriginBits =
    kFromGlobal | kPadding | kFromNobody | kFromLocal | kFromTensor | kFromSum | kFromProduct;
bool is_padding(std::uint32_t origin) {
  return origin != ptx::kNoLocation && (origin & kPadding) != 0;
}

constexpr std::uint32_t kStructAlignment = 16;  // the largest one that a type of CUDA has

/// Whether one of these bytes, which lie within 64 aligned ones, is written; a bit for each byte.
bool any_written(const std::vector<std::uint64_t>& written, std::uint32_t offset,
                 std::uint32_t bytes) {
  return offset / 64 < written.size() && (written[offset / 64] & bit_mask(offset % 64, bytes)) != 0;
}

}  // namespace

const ProgramRoles& Uninitialised::roles_of(const ptx::Program& program) {
  std::unique_ptr<ProgramRoles>& roles = roles_[&program];
  if (roles == nullptr) roles = std::make_unique<ProgramRoles>(program);
  return *roles;
}

// ---- registers ----

void Uninitialised::block_started(const Block& block) {
  BlockValues& values = blocks_[block.serial];
  values.warps.resize(block.warps.size());
  for (const Warp* warp : block.warps) {
    if (marks_.size() <= warp->slot) marks_.resize(warp->slot + 1);
    marks_[warp->slot] = 0;
  }
  const ptx::Program& program = *block.grid->launch.program;
  const ProgramRoles& roles = roles_of(program);
  if (roles.exposed.empty()) return;
  for (Warp* warp : block.warps) {
    for (const std::uint32_t index : roles.exposed) {
      set(*warp, index, warp->live, warp->live, ptx::kNoLocation);
    }
  }
}

void Uninitialised::block_finished(const Block& block) {
  reporter_.release();
  flush(states_.of(block), blocks_[block.serial]);
  blocks_.erase(block.serial);
  latest_ = {};
}

void Uninitialised::flush() {
  reporter_.release();
  states_.for_each_running([&](const BlockState& block) {
    const auto values = blocks_.find(block.serial);
    if (values != blocks_.end()) flush(block, values->second);
  });
}

void Uninitialised::flush(const BlockState& block, BlockValues& values) {
  if (block.cause == Rule::none && !values.pending.empty()) {
    for (const Finding& finding : values.pending) reporter_.report(finding);
    block.cause = Rule::uninitialised_read;  // of a block that is not decoded, too
  }
  values.pending.clear();
}

Uninitialised::WarpValues& Uninitialised::values_of(Warp& warp) {
  std::unique_ptr<WarpValues>& values = blocks_[warp.block->serial].warps[warp.index];
  if (values == nullptr) {
    values = std::make_unique<WarpValues>();
    const std::uint32_t count = roles_of(*warp.block->grid->launch.program).registers;
    values->undefined.resize(count);
    values->origin.resize(count, ptx::kNoLocation);
  }
  return *values;
}

void Uninitialised::set(Warp& warp, std::uint32_t index, LaneMask lanes, LaneMask undefined,
                        std::uint32_t origin) {
  if (undefined == 0 && !marked(warp)) return;
  WarpValues& values = values_of(warp);
  LaneMask& mask = values.undefined[index];
  const LaneMask now = (mask & ~lanes) | (undefined & lanes);
  values.count += (now != 0) - (mask != 0);
  if ((undefined & lanes) != 0) values.origin[index] = origin;
  mask = now;
  marks_[warp.slot] = values.count != 0;
}

Finding::Detail Uninitialised::whence(const BlockState& block, std::uint32_t origin) const {
  if (origin == ptx::kNoLocation) return {.role = Role::value, .note = Note::variable};
  if ((origin & kFromProduct) != 0) {
    return {Role::product, Note::who, place_of(block, origin & ~kOriginBits)};
  }
  const Note note = (origin & kFromNobody) != 0   ? Note::from_nobody
                    : (origin & kFromGlobal) != 0 ? Note::from_global
                    : (origin & kFromLocal) != 0  ? Note::from_local
                    : (origin & kFromTensor) != 0 ? Note::from_tensor
                    : (origin & kFromSum) != 0    ? Note::from_sum
                                                  : Note::from_shared;
  return {Role::read, note, place_of(block, origin & ~kOriginBits)};
}

void Uninitialised::report(const Warp& warp, const Instruction& in, std::uint32_t index,
                           LaneMask lanes, What what, bool later) {
  const BlockState& block = states_.of(*warp.block);
  BlockValues& values = blocks_[warp.block->serial];
  const std::uint32_t origin = values.warps[warp.index]->origin[index];
  const auto comes = [&](std::uint32_t from) {
    return origin != ptx::kNoLocation && (origin & from) != 0;
  };
  const Rule rule = comes(kFromNobody)    ? Rule::warp_sync_mask
                    : comes(kFromProduct) ? Rule::data_race
                                          : Rule::uninitialised_read;
  if (comes(kFromProduct)) what = What::product_not_awaited;
  if (!reporter_.wanted(block, rule, in.location, origin)) return;
  Finding finding{.rule = rule,
                  .what = what,
                  .at = place_of(block, states_.stamp(warp, in, std::countr_zero(lanes))),
                  .details = {whence(block, origin)}};
  if (later) {
    values.pending.push_back(std::move(finding));
  } else if (const Note note = finding.details[0].note;
             note == Note::from_shared || note == Note::from_tensor) {
    reporter_.hold(std::move(finding));  // where it is written later, the race says more
  } else {
    reporter_.report(finding);
  }
}

void Uninitialised::instruction_starts(Warp& warp, const Instruction& in, LaneMask lanes) {
  const std::uint32_t pc = pc_of(warp);
  const ProgramRoles& of_program = roles_of(*warp.block->grid->launch.program);
  const Roles& roles = of_program.code[pc];
  WarpValues& values = values_of(warp);
  const Action action = in.facts.action;
  const bool queries = action == Action::query || action == Action::decode;
  const bool decides =
      action == Action::branch || action == Action::branch_indexed || action == Action::exit;
  const LaneMask path = warp.paths[warp.current].lanes;
  LaneMask guard = 0;
  if (roles.guard != kAbsent) guard = values.undefined[roles.guard] & path;
  const auto decide = [&](std::uint32_t index, LaneMask at, What what) {
    const LaneMask undefined = values.undefined[index] & at;
    if (undefined == 0) return;
    report(warp, in, index, undefined, what, queries);
    set(warp, index, undefined, 0, 0);  // once is enough
  };
  if (guard != 0 && decides) {
    decide(roles.guard, path, What::undefined_branch);
  }
  for (const std::uint32_t index : roles.addresses) decide(index, lanes, What::undefined_address);
  if (decides) {
    for (const std::uint32_t index : roles.reads) decide(index, lanes, What::undefined_branch);
  }
  if (queries) {
    const bool of_library = in_for_each_canceled(*warp.block->grid->launch.program, in.location) &&
                            warp.block->mbarriers.empty();  // told as a leader that is missing
    for (const std::uint32_t index : roles.reads) {
      if (!of_library) decide(index, lanes, What::undefined_query);
    }
  }
  if (roles.writes.empty() || !marked(warp)) return;
  if (action == Action::exchange) return;  // see lanes_exchanged

  LaneMask any = 0, all = roles.reads.empty() ? 0 : lanes;
  std::uint32_t origin = ptx::kNoLocation;
  for (const std::uint32_t index : roles.reads) {
    any |= values.undefined[index];
    all &= values.undefined[index];
    if (values.undefined[index] != 0) origin = values.origin[index];
  }
  LaneMask result = any;
  switch (action) {
    case Action::load:  // what these read from memory is looked up there
    case Action::atomic:
    case Action::swap:
      result = 0;
      break;
    case Action::move:  // halves of a value: a defined one may be all that is meant
      result = all;
      break;
    case Action::select: {
      const LaneMask chosen = warp.predicate(in.operand[3]) ^ in.operand[4];
      result = 0;
      for (const std::uint32_t entry : {1u, 2u}) {
        const std::uint32_t index = of_program.register_at(in.operand[entry]);
        if (index == kAbsent) continue;
        result |= values.undefined[index] & (entry == 1 ? chosen : ~chosen);
      }
      break;
    }
    default:
      if (origin != ptx::kNoLocation) origin &= ~kPadding;
      if (roles.decides == Roles::Decides::neither) break;
      for (const std::uint32_t entry : {1u, 3u}) {  // each with its flip
        const std::uint32_t index = of_program.register_at(in.operand[entry]);
        const LaneMask undefined = index == kAbsent ? 0 : values.undefined[index];
        const LaneMask value = warp.predicate(in.operand[entry]) ^ in.operand[entry + 1];
        result &= undefined | (roles.decides == Roles::Decides::one ? ~value : value);
      }
      break;
  }
  for (const std::uint32_t index : roles.writes) set(warp, index, lanes, result & lanes, origin);
}

// ---- products by wgmma ----

void Uninitialised::set_results(Warp& warp, const Instruction& product, bool pending) {
  const ptx::Program& program = *warp.block->grid->launch.program;
  const auto pc = static_cast<std::size_t>(&product - program.code.data());
  for (const std::uint32_t index : roles_of(program).code[pc].writes) {
    set(warp, index, ptx::kAllLanes, pending ? ptx::kAllLanes : 0, product.location | kFromProduct);
  }
}

void Uninitialised::product_issued(const Executed& executed) {
  Warp& warp = executed.warp;
  if (!warp.registers_fenced) {
    reporter_.report(
        {.rule = Rule::illegal_instruction,
         .what = What::product_not_fenced,
         .at = place_of(states_.of(*warp.block), states_.stamp(warp, executed.in, 0))});
  }
  set_results(warp, executed.in, true);
}

void Uninitialised::products_waited(const machine::CopyGroups& groups) {
  for (const machine::PendingProduct& product : groups.warp.products) {
    set_results(groups.warp, *product.in, product.groups_since <= groups.left);
  }
}

// ---- shared memory ----

void Uninitialised::Bytes::define(std::uint32_t offset, std::uint32_t bytes) {
  if (missing == 0) return;
  for_each_word(offset, offset + bytes, [&](std::uint32_t word, std::uint64_t bits) {
    if (word >= written.size() || (bits & ~written[word]) == 0) return;
    missing -= static_cast<std::uint32_t>(std::popcount(bits & ~written[word]));
    written[word] |= bits;
  });
  if (origins.empty()) return;
  for (std::uint32_t i = offset / 4; i <= (offset + bytes - 1) / 4; ++i) origins.erase(i);
}

void Uninitialised::Bytes::forget(std::uint32_t offset, std::uint32_t bytes) {
  for_each_word(offset, offset + bytes, [&](std::uint32_t word, std::uint64_t bits) {
    missing += static_cast<std::uint32_t>(std::popcount(bits & written[word]));
    written[word] &= ~bits;
  });
  std::erase_if(origins, [&](const auto& entry) { return entry.first - offset / 4 < bytes / 4; });
}

bool Uninitialised::Bytes::all(std::uint32_t offset, std::uint32_t bytes) const {
  bool every = true;
  for_each_word(offset, offset + bytes, [&](std::uint32_t word, std::uint64_t bits) {
    every &= (bits & ~written[word]) == 0;
  });
  return every;
}

void Uninitialised::Bytes::undefine(std::uint32_t offset, std::uint32_t bytes,
                                    std::uint32_t origin) {
  for_each_word(offset, offset + bytes, [&](std::uint32_t word, std::uint64_t bits) {
    if (word >= written.size()) return;
    missing += static_cast<std::uint32_t>(std::popcount(bits & written[word]));
    written[word] &= ~bits;
  });
  for (std::uint32_t i = offset / 4; i <= (offset + bytes - 1) / 4; ++i) origins[i] = origin;
}

std::uint32_t Uninitialised::Bytes::origin_at(std::uint32_t offset, std::uint32_t location,
                                              bool padding) const {
  const auto stored = origins.find(offset / 4);
  return stored != origins.end() ? stored->second : location | (padding ? kPadding : 0);
}

/// nullptr: the block isn't known.
Uninitialised::Bytes* Uninitialised::find_shared(const Block& block) {
  const auto entry = blocks_.find(block.serial);
  if (entry == blocks_.end()) return nullptr;
  latest_ = {block.serial, &entry->second};
  Bytes& shared = latest_.values->shared;
  if (shared.written.empty()) {
    shared.prepare(block.shared.size());
    // What cooperative groups keep there counts as written; other kernels can't reach it.
    shared.define(0, config::kSharedReserved);
  }
  return &shared;
}

Uninitialised::Bytes* Uninitialised::local_of(const Access& access, int lane,
                                              std::uint32_t& offset) {
  const std::uint64_t address = address_of(access, lane), stride = access.warp.local_stride;
  if (address >= stride || stride - address < access.size) return nullptr;
  offset += static_cast<std::uint32_t>(address + stride * static_cast<std::uint64_t>(lane));
  BlockValues& values = blocks_[access.warp.block->serial];
  values.local.resize(values.warps.size());
  Bytes& local = values.local[access.warp.index];
  if (local.written.empty()) local.prepare(stride * ptx::kLanes);
  return &local;
}

Uninitialised::Bytes* Uninitialised::bytes_of(const Access& access, int lane,
                                              std::uint32_t& offset) {
  if (access.space == machine::Space::local) return local_of(access, lane, offset);
  const auto address = static_cast<std::uint32_t>(address_of(access, lane));
  offset += address & machine::kOffsetMask;
  const std::uint32_t rank = address >> machine::kRankShift;
  if (rank == access.warp.block->rank) return shared_of(*access.warp.block);
  const std::vector<Block*>& blocks = access.warp.block->cluster->blocks;
  return rank < blocks.size() && blocks[rank] != nullptr ? shared_of(*blocks[rank]) : nullptr;
}

void Uninitialised::define(const Block& block, std::uint32_t offset, std::uint32_t bytes) {
  if (Bytes* const shared = shared_of(block)) shared->define(offset, bytes);
}

void Uninitialised::undefine(const Block& block, std::uint32_t offset, std::uint32_t bytes,
                             std::uint32_t origin) {
  if (Bytes* const shared = shared_of(block)) shared->undefine(offset, bytes, origin);
}

void Uninitialised::memory_accessed(const Access& access) {
  if (access.in.facts.action == Action::copy) return copy(access);
  if (access.kind == Access::Kind::write && access.elements == 0) return discard(access);
  if (access.kind == Access::Kind::read) return load(access);
  if (access.kind == Access::Kind::atomic) {
    // What comes out is as good as what was there; an exchange also writes.
    load(access);
    if (access.in.facts.action != Action::swap) return update(access);
  }
  store(access);
}

// cp.async: first what the lanes read, then what they write.
void Uninitialised::copy(const Access& access) {
  if (access.kind == Access::Kind::read) {
    for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      if (!global_.any(address_of(access, lane), access.size)) {
        copies_undefined_ |= LaneMask{1} << lane;
      }
    }
    return;
  }
  store_own(access, access.lanes, 0, access.size, copies_undefined_,
            access.in.location | kFromGlobal);
  copies_undefined_ = 0;
}

void Uninitialised::memory_filled(std::uint64_t address, std::uint64_t bytes) {
  global_.mark(address, bytes);
}

void Uninitialised::load(const Access& access) {
  if (access.elements == 0) return;
  if (access.space == machine::Space::global) {
    load_global(access);
  } else {
    load_own(access);
  }
}

// Whether all that the access can reach is written: mostly a block's shared memory soon is.
bool Uninitialised::all_written(const Access& access) {
  const Block& block = *access.warp.block;
  if (access.space != machine::Space::shared || block.cluster->blocks.size() != 1) return false;
  const Bytes* const shared = shared_of(block);
  return shared != nullptr && shared->missing == 0;
}

// Of shared or local memory.
void Uninitialised::load_own(const Access& access) {
  if (all_written(access)) return;
  const std::uint32_t size = access.size / access.elements;
  const bool is_local = access.space == machine::Space::local;
  const std::uint32_t location = access.in.location | (is_local ? kFromLocal : 0);
  // Where all read the same, one lane is looked at for all.
  const bool together = !is_local && lanes_at_first(access) == access.lanes;
  const LaneMask looked_at = together ? access.lanes & (0u - access.lanes) : access.lanes;
  for (std::uint32_t element = 0; element < access.elements; ++element) {
    if (access.in.operand[access.value + element] == kAbsent) continue;
    LaneMask undefined = 0;
    bool padding = true;
    const Bytes* first = nullptr;  // of an undefined lane
    std::uint32_t first_offset = 0;
    for (LaneMask left = looked_at; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      std::uint32_t offset = element * size;
      const Bytes* const bytes = bytes_of(access, lane, offset);
      if (bytes == nullptr) return;
      // Where a part is written, the rest may be padding. Aligned, so within one word.
      if (any_written(bytes->written, offset, size)) continue;
      undefined |= LaneMask{1} << lane;
      const std::uint32_t whole = offset / kStructAlignment * kStructAlignment;
      padding &= any_written(bytes->written, whole, offset - whole);  // it follows a member
      if (first == nullptr) {
        first = bytes;
        first_offset = offset;
      }
    }
    if (undefined == 0) continue;
    loaded(access, element, together ? access.lanes : undefined,
           first->origin_at(first_offset, location, padding));
  }
}

void Uninitialised::loaded(const Access& access, std::uint32_t element, LaneMask undefined,
                           std::uint32_t origin) {
  const ProgramRoles& roles = roles_of(*access.warp.block->grid->launch.program);
  const std::uint32_t index = roles.register_at(access.in.operand[access.value + element]);
  if (index != kAbsent) set(access.warp, index, access.lanes, undefined, origin);
}

LaneMask Uninitialised::undefined_in_global(const Access& access, std::uint32_t element,
                                            std::uint32_t size) {
  LaneMask undefined = 0;
  std::uint64_t before = 0;
  bool written = true;
  for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::uint64_t address = address_of(access, lane);
    if (address != before) written = global_.any(address + element * size, size);
    if (!written) undefined |= LaneMask{1} << lane;
    before = address;
  }
  return undefined;
}

void Uninitialised::load_global(const Access& access) {
  if (access.contiguous && global_.all(access.addresses[0], access.size * ptx::kLanes)) return;
  const std::uint32_t size = access.size / access.elements;
  for (std::uint32_t element = 0; element < access.elements; ++element) {
    if (access.in.operand[access.value + element] == kAbsent) continue;
    const LaneMask undefined = undefined_in_global(access, element, size);
    if (undefined == 0) continue;
    bool padding = true;
    for (LaneMask left = undefined; left != 0; left &= left - 1) {
      const std::uint64_t address = address_of(access, std::countr_zero(left)) + element * size;
      padding &= global_.any(address / kStructAlignment * kStructAlignment, kStructAlignment);
    }
    loaded(access, element, undefined, access.in.location | kFromGlobal | (padding ? kPadding : 0));
  }
}

// An atomic operation on memory: the new value comes from the old one and the operands.
void Uninitialised::update(const Access& access) {
  const bool global = access.space == machine::Space::global;
  if (global) update_global(access);
  if (!marked(access.warp)) return;
  const ProgramRoles& roles = roles_of(*access.warp.block->grid->launch.program);
  for (const std::uint32_t index : roles.code[pc_of(access.warp)].reads) {
    const LaneMask undefined = values_of(access.warp).undefined[index] & access.lanes;
    if (undefined == 0) continue;
    if (global) {
      report(access.warp, access.in, index, undefined, What::undefined_operand, false);
      set(access.warp, index, undefined, 0, 0);
    } else {
      const std::uint32_t origin = values_of(access.warp).origin[index];
      store_own(access, undefined, 0, access.size, undefined, origin);
    }
  }
}

void Uninitialised::update_global(const Access& access) {
  LaneMask undefined = undefined_in_global(access, 0, access.size);
  for (LaneMask left = undefined; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    // Outside of all memory: the machine stops there, and says so.
    if (access.warp.gpu->memory().translate(address_of(access, lane), access.size) == nullptr) {
      undefined &= ~(LaneMask{1} << lane);
    }
  }
  if (undefined == 0) return;
  BlockState& block = states_.of(*access.warp.block);
  const std::uint32_t at = access.in.location;
  reporter_.report(
      block, at,
      {.rule = Rule::uninitialised_read,
       .what = What::undefined_update,
       .at = place_of(block, states_.stamp(access.warp, access.in, std::countr_zero(undefined)))});
  store_global(access);  // once is enough
}

void Uninitialised::store(const Access& access) {
  Warp& warp = access.warp;
  const bool global = access.space == machine::Space::global;
  if (global) store_global(access);
  if (!marked(warp)) {
    if (!global) store_own(access, access.lanes, 0, access.size, 0, 0);
    return;
  }
  const ProgramRoles& roles = roles_of(*warp.block->grid->launch.program);
  const std::uint32_t elements = std::max(access.elements, 1u);
  const std::uint32_t size = access.size / elements;
  for (std::uint32_t element = 0; element < elements; ++element) {
    // An exchange has its destination there, and one operand.
    const std::vector<std::uint32_t>& reads = roles.code[pc_of(warp)].reads;
    const std::uint32_t index = access.kind == Access::Kind::write
                                    ? roles.register_at(access.in.operand[access.value + element])
                                : reads.empty() ? kAbsent
                                                : reads[0];
    const LaneMask undefined =
        index == kAbsent ? 0 : values_of(warp).undefined[index] & access.lanes;
    const std::uint32_t origin = index == kAbsent ? 0 : values_of(warp).origin[index];
    if (!global) {
      store_own(access, access.lanes, element, size, undefined, origin);
    } else if (undefined != 0 && !is_padding(origin)) {
      report(warp, access.in, index, undefined, What::undefined_store, false);
      set(warp, index, undefined, 0, 0);
    }
  }
}

void Uninitialised::store_own(const Access& access, LaneMask lanes, std::uint32_t element,
                              std::uint32_t size, LaneMask undefined, std::uint32_t origin) {
  if (undefined == 0 && all_written(access)) return;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    std::uint32_t offset = element * size;
    Bytes* const bytes = bytes_of(access, lane, offset);
    if (bytes == nullptr) continue;
    if ((undefined >> lane & 1) != 0) {
      bytes->undefine(offset, size, origin);
    } else {
      bytes->define(offset, size);
    }
  }
}

void Uninitialised::discard(const Access& access) {
  for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
    global_.forget(address_of(access, std::countr_zero(left)), access.size);
  }
}

void Uninitialised::store_global(const Access& access) {
  if (access.contiguous) return global_.mark(access.addresses[0], access.size * ptx::kLanes);
  for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
    global_.mark(address_of(access, std::countr_zero(left)), access.size);
  }
}

// Whether a response has arrived when it is read is another check's question.
void Uninitialised::request_issued(const machine::Request& request) {
  for (const Block* block : request.block->cluster->blocks) {
    if (block == nullptr || (!request.multicast && block != request.block)) continue;
    define(*block, request.response, 16);
  }
}

void Uninitialised::async_issued(const machine::AsyncIssue& issue) {
  const machine::AsyncRange &reads = issue.reads, &writes = issue.writes;
  if (writes.block != nullptr) define(*writes.block, writes.offset, writes.bytes);
  if (writes.block != nullptr && reads.box != nullptr) copy_undefined(issue);
  if (writes.box != nullptr) {
    writes.box->for_each_line(
        [&](std::uint64_t to, std::uint32_t) { global_.mark(to, writes.box->bytes); });
    check_source(issue);
  }
}

/// From global to shared memory.
void Uninitialised::copy_undefined(const machine::AsyncIssue& issue) {
  const machine::Box& from = *issue.reads.box;
  if (from.swizzle != 0) return;  // which bytes of a line go where is not followed
  from.for_each_line([&](std::uint64_t line, std::uint32_t offset) {
    if (global_.all(line, from.bytes)) return;
    for (std::uint32_t i = 0; i < from.bytes; i += kStructAlignment) {
      if (global_.any(line + i, kStructAlignment)) continue;  // the rest may be padding
      undefine(*issue.writes.block, issue.writes.offset + offset + i, kStructAlignment,
               issue.in.location | kFromGlobal);
    }
  });
}

/// What goes from shared to global memory.
void Uninitialised::check_source(const machine::AsyncIssue& issue) {
  const machine::AsyncRange& from = issue.reads;
  const auto entry = blocks_.find(from.block->serial);
  if (entry == blocks_.end()) return;
  const Bytes& values = entry->second.shared;
  const auto defined = [&](std::uint32_t offset, std::uint32_t bytes) {
    return any_written(values.written, offset, bytes);
  };
  for (std::uint32_t i = from.offset / 4 * 4; i < from.offset + from.bytes; i += 4) {
    if (defined(i, 4)) continue;
    const auto origin = values.origins.find(i / 4);
    const bool stored = origin != values.origins.end();
    const std::uint32_t whole = i / kStructAlignment * kStructAlignment;
    if (stored ? is_padding(origin->second) : defined(whole, kStructAlignment)) continue;
    const BlockState& block = states_.of(*from.block);
    const std::uint32_t at = issue.in.location;
    Finding finding{.rule = Rule::uninitialised_read,
                    .what = What::undefined_source,
                    .at = place_of(block, states_.stamp(issue.warp, issue.in, issue.lane))};
    if (stored) finding.details = {whence(block, origin->second)};
    return reporter_.report(block, at, finding);
  }
}

// ---- tensor memory ----

namespace {

constexpr std::uint32_t kCell = 4;  // bytes

/// Calls f(offset, bytes) for the cells of the region.
template <class F>
void for_each_run(const machine::tensor_core::Region& region, F&& f) {
  constexpr std::uint32_t kColumn = machine::kTensorLanes * kCell;
  const auto& lanes = region.lanes;
  const auto full = [](LaneMask some) { return some == ptx::kAllLanes; };
  if (std::all_of(lanes.begin(), lanes.end(), full)) {
    return f(region.column * kColumn, region.columns * kColumn);
  }
  for (std::uint32_t i = 0; i < region.columns; ++i) {
    for (std::uint32_t quarter = 0; quarter < lanes.size(); ++quarter) {
      const std::uint32_t at = (region.column + i) * kColumn + quarter * ptx::kLanes * kCell;
      for (LaneMask left = lanes[quarter]; left != 0;) {
        const auto first = static_cast<std::uint32_t>(std::countr_zero(left));
        const auto count = static_cast<std::uint32_t>(std::countr_one(left >> first));
        f(at + first * kCell, count * kCell);
        left = first + count == ptx::kLanes ? 0 : left >> (first + count) << (first + count);
      }
    }
  }
}

}  // namespace

void Uninitialised::tensor_used(const machine::TensorUse& use) {
  using Kind = machine::TensorUse::Kind;
  BlockValues& values = blocks_[use.block.serial];
  Bytes& cells = values.tensor;
  if (cells.written.empty()) {
    cells.prepare(std::size_t{machine::kTensorColumns} * machine::kTensorLanes * kCell);
  }
  const auto define = [&] {
    for_each_run(use.cells,
                 [&](std::uint32_t at, std::uint32_t bytes) { cells.define(at, bytes); });
  };
  switch (use.kind) {
    case Kind::alloc:
      return for_each_run(use.cells,
                          [&](std::uint32_t at, std::uint32_t bytes) { cells.forget(at, bytes); });
    case Kind::product:  // what a product adds to stays as it was
      if (!use.adds) return define();
      return for_each_run(use.cells, [&](std::uint32_t at, std::uint32_t bytes) {
        if (values.sum == ptx::kNoLocation && !cells.all(at, bytes)) values.sum = use.in.location;
      });
    case Kind::store:
      if (!marked(use.warp)) return define();
      if (use.move != nullptr) store_cells(use, values);
      return;
    case Kind::load:
      if (use.move != nullptr) load_cells(use, values);
      return;
    default:
      return;
  }
}

void Uninitialised::load_cells(const machine::TensorUse& use, BlockValues& values) {
  const Bytes& cells = values.tensor;
  bool all = true;
  for_each_run(use.cells,
               [&](std::uint32_t at, std::uint32_t bytes) { all = all && cells.all(at, bytes); });
  if (all && use.move->split == 0 && !marked(use.warp)) return;
  const ProgramRoles& roles = roles_of(*use.warp.block->grid->launch.program);
  for (std::uint32_t i = 0; i < use.move->count; ++i) {
    const std::uint32_t index = roles.register_at(use.move->registers[i]);
    if (index == kAbsent) continue;
    LaneMask undefined = 0;
    std::uint32_t origin =
        values.sum != ptx::kNoLocation ? values.sum | kFromSum : use.in.location | kFromTensor;
    for (std::uint32_t lane = 0; lane < ptx::kLanes; ++lane) {
      const std::uint32_t at = use.move->cell(i, lane) * kCell;
      if (any_written(cells.written, at, kCell)) continue;
      undefined |= LaneMask{1} << lane;
      origin = cells.origin_at(at, origin, false);
    }
    set(use.warp, index, use.lanes, undefined, origin);
  }
}

void Uninitialised::store_cells(const machine::TensorUse& use, BlockValues& values) {
  const ProgramRoles& roles = roles_of(*use.warp.block->grid->launch.program);
  const WarpValues& of_warp = values_of(use.warp);
  for (std::uint32_t i = 0; i < use.move->count; ++i) {
    const std::uint32_t index = roles.register_at(use.move->registers[i]);
    for (std::uint32_t lane = 0; lane < ptx::kLanes; ++lane) {
      const std::uint32_t at = use.move->cell(i, lane) * kCell;
      if (index != kAbsent && (of_warp.undefined[index] >> lane & 1) != 0) {
        values.tensor.undefine(at, kCell, of_warp.origin[index]);
      } else {
        values.tensor.define(at, kCell);
      }
    }
  }
}

// ---- from lane to lane ----

void Uninitialised::lanes_exchanged(const machine::Exchange& exchange) {
  Warp& warp = exchange.warp;
  const ProgramRoles& of_program = roles_of(*warp.block->grid->launch.program);
  const Roles& roles = of_program.code[pc_of(warp)];
  WarpValues& values = values_of(warp);
  const std::uint32_t given = of_program.register_at(exchange.in.operand[exchange.value]);
  LaneMask own = 0;  // lanes whose mask, or lane to read from, is undefined
  for (const std::uint32_t index : roles.reads) {
    if (index != given) own |= values.undefined[index];
  }
  const LaneMask undefined = given == kAbsent ? 0 : values.undefined[given];
  LaneMask result = own, from_nobody = 0, one_source = 0;
  for (LaneMask left = exchange.lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const LaneMask bit = LaneMask{1} << lane, from = exchange.from[lane];
    if (from == 0) from_nobody |= bit;
    if ((from & undefined) != 0) result |= bit;
    if ((from & (from - 1)) == 0) one_source |= bit;
  }
  result |= from_nobody;
  const std::uint32_t origin = from_nobody != 0   ? exchange.in.location | kFromNobody
                               : given != kAbsent ? values.origin[given]
                                                  : ptx::kNoLocation;
  for (std::size_t i = 0; i < roles.writes.size(); ++i) {
    // Whether the source lies in the segment is known wherever it lies.
    const bool in_range = roles.write_entries[i] == 1 && exchange.value == 2;
    const LaneMask lanes = in_range ? (result & ~one_source) | (own & one_source) : result;
    set(warp, roles.writes[i], exchange.lanes, lanes & exchange.lanes, origin);
  }
}

void Uninitialised::mbarrier_used(const MbarrierUse& use) {
  if (use.kind == MbarrierUse::Kind::init) define(use.block, use.offset, 8);
}

}  // namespace clcsim::checks
