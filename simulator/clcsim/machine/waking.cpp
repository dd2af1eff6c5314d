// Who waits is woken: by a barrier that is complete, by bytes that have landed, by a change of
// memory.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "machine/address.h"
#include "machine/gpu.h"
#include "machine/handle.h"

namespace clcsim::machine {
namespace {

constexpr Time kSpinInterval = 500;  // cycles; a spinning warp looks at most this often

}  // namespace

void Gpu::wake(Warp& warp, Wait wait, std::uint64_t key, Time when) {
  bool woken = false;
  for (Path& path : warp.paths) {
    if (path.wait != wait || path.wait_key != key) continue;
    path.wait = Wait::nothing;
    path.ready = std::max(path.ready, when);
    woken = true;
  }
  if (woken) schedule(warp);
}

void Gpu::wake_spinning(Time now) {
  at(now + kSpinInterval, [this] {
    for (Warp* warp : spins_.wake(this->now())) schedule(*warp);
  });
}

// ---- barriers ----

void Gpu::check_block_barrier(Block& block, std::uint32_t id, Time now) {
  Rendezvous& barrier = block.barriers[id];
  if (!barrier.complete(barrier.expected != 0 ? barrier.expected : block.live_threads)) return;
  if (watched(kOrder)) {
    notify(kOrder, [&](Observer& observer) { observer.block_barrier_completed(block, id); });
  }
  for (Warp* warp : block.warps) wake(*warp, Wait::block_barrier, id, now);
}

void Gpu::check_cluster_barrier(Cluster& cluster, Time now) {
  const std::uint32_t threads = cluster.grid->threads() * cluster.grid->cluster_blocks();
  if (!cluster.barrier.complete(threads - cluster.threads_exited)) return;
  if (watched(kOrder)) {
    notify(kOrder, [&](Observer& observer) { observer.cluster_barrier_completed(cluster); });
  }
  for (Block* block : cluster.blocks) {
    if (block == nullptr) continue;
    for (Warp* warp : block->warps) wake(*warp, Wait::cluster_barrier, 0, now);
  }
}

// ---- mbarriers, and the bytes that they count ----

void Gpu::settle(Block& block, Mbarrier& mbarrier, Time now) {
  progress(now);
  if (!mbarrier.completed) return;
  mbarrier.completed = false;
  wake_waiters(block, mbarrier, now);
}

void Gpu::wake_waiters(const Block& block, Mbarrier& mbarrier, Time now) {
  std::vector<Warp*> waiters;
  waiters.swap(mbarrier.waiters);
  const std::uint64_t key = shared_address(block.rank, mbarrier.offset);
  for (Warp* warp : waiters) wake(*warp, Wait::mbarrier, key, now);
}

void Gpu::schedule_landing(Block& block, AsyncWrite write) {
  const std::uint32_t offset = write.mbarrier;
  at(write.ready, [this, receiver = Handle(block), offset] {
    Block* const block = receiver.get();
    if (block == nullptr) return;
    const Mbarrier* mbarrier = block->find_mbarrier(offset);
    if (mbarrier != nullptr && !mbarrier->waiters.empty()) land(*block, offset, now());
  });
  Mbarrier* const waited_for = write.late ? block.find_mbarrier(offset) : nullptr;
  block.async.add(std::move(write));
  if (waited_for != nullptr) wake_waiters(block, *waited_for, now());  // they will give up
}

void Gpu::land(Block& block, std::uint32_t offset, Time now) {
  while (const std::optional<AsyncWrite> write = block.async.take(offset, now)) {
    if (write->commit) {
      if (Block* const issuer = write->commit->issuer.get()) finish_work(*issuer, *write->commit);
      Mbarrier* const mbarrier = block.find_mbarrier(offset);
      if (mbarrier == nullptr) continue;
      mbarrier->arrive(1);
      settle(block, *mbarrier, now);
      notify(kOrder, [&](Observer& observer) { observer.mbarrier_changed(block, offset); });
      continue;
    }
    Block* const receiver = write->to ? write->to->get() : &block;
    if (!write->data.empty() && receiver != nullptr) {
      std::byte* const to = receiver->shared.data() + write->offset;
      if (write->combine != nullptr) {
        write->combine(to, write->data.data(), write->data.size());
      } else {
        std::memcpy(to, write->data.data(), write->data.size());
      }
    }
    progress(now);
    notify(kOrder, [&](Observer& observer) { observer.async_landed(block, *write); });
    if (Mbarrier* mbarrier = block.find_mbarrier(offset)) {
      mbarrier->complete_transactions(write->bytes);
      settle(block, *mbarrier, now);
    }
    notify(kOrder, [&](Observer& observer) { observer.mbarrier_changed(block, offset); });
  }
}

bool Gpu::land_what_is_left() {
  bool landed = false;
  for (Block* block : residents_.blocks()) {
    while (!block->async.empty()) {
      const AsyncWrite& first = block->async.first();
      land(*block, first.mbarrier, std::max(now(), first.ready));
      landed = true;
    }
  }
  return landed && !events_.empty();
}

}  // namespace clcsim::machine
