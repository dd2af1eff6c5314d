// What an instruction does, for everybody but its handler: the checks, the clock, messages. Each
// form states it in its row of the table (form.h); the decoder adds the order and the scope that
// the program's own spelling names. After decoding nobody looks at a PTX name.
#pragma once

#include <cstdint>

namespace clcsim::ptx {

enum class Action : std::uint8_t {
  // ---- values ----
  compute,   ///< the results depend on the operands alone
  move,      ///< mov: the whole of a value, or its parts
  select,    ///< selp: one of two operands
  compare,   ///< setp: the results are predicates
  exchange,  ///< lanes learn of each other's values: shfl, vote, match, redux
  // ---- memory ----
  load,
  store,
  atomic,       ///< atom: the new value comes from the old one
  swap,         ///< atom.exch: it does not
  reduce,       ///< red: an atomic without a result
  copy,         ///< cp.async
  bulk_copy,    ///< cp.async.bulk
  copy_commit,  ///< the thread's copies until now are a group
  copy_wait,    ///< for groups of copies
  copy_track,   ///< cp.async.mbarrier.arrive
  prefetch,
  // ---- order ----
  fence,       ///< see Facts::order, scope, proxy, space
  init_fence,  ///< fence.mbarrier_init: of the thread's own mbarrier.init and nothing else
  lanes_barrier,
  barrier_sync,
  barrier_arrive,
  barrier_reduce,
  cluster_arrive,
  cluster_wait,
  mbarrier_init,
  mbarrier_inval,
  mbarrier_expect,
  mbarrier_complete,
  mbarrier_arrive,
  mbarrier_wait,
  // ---- Cluster Launch Control ----
  request,  ///< try_cancel
  query,    ///< is_canceled
  decode,   ///< get_first_ctaid
  // ---- tensor memory ----
  tensor_alloc,
  tensor_free,
  tensor_load,
  tensor_store,
  tensor_wait,     ///< for the thread's loads, or stores
  tensor_product,  ///< mma, and cp
  tensor_commit,
  warpgroup_product,  ///< wgmma, until the wait for its group
  // ---- flow ----
  branch,
  branch_indexed,
  call,
  call_pointer,
  ret,
  exit,
  stop,   ///< trap, a failed assertion, a refusal
  other,  ///< nanosleep, pmevent, brkpt, printf
};

/// Memory order and scope; PTX ISA 9.0, 8.3 to 8.5. `weak` and `none` where nothing is said.
enum class Order : std::uint8_t { weak, volatile_, relaxed, acquire, release, acq_rel, sc };
enum class Scope : std::uint8_t { none, cta, cluster, gpu, sys };

constexpr bool acquires(Order order) {
  return order == Order::acquire || order == Order::acq_rel || order == Order::sc;
}
constexpr bool releases(Order order) {
  return order == Order::release || order == Order::acq_rel || order == Order::sc;
}

/// Memory that an instruction names; `generic`: the address decides. Constants lie in `global`.
enum class Space : std::uint8_t { generic, global, shared, local, param };

/// What a fence orders. A fence of the async proxy orders accesses of the generic proxy before
/// those of the async proxy (Order::release), the other way round (acquire), or both (acq_rel);
/// where it is of shared memory, its scope says whose: the block's own, or the cluster's.
enum class Proxy : std::uint8_t { generic, async, alias, tensormap };

/// How a result changes as time passes, where anything is said of it.
enum class Growth : std::uint8_t {
  unknown,
  sum,    ///< one of the operands, or their sum or difference: it grows as they do
  time,   ///< it is the time
  steps,  ///< the upper half of the time
};

struct Facts {
  Action action = Action::compute;
  Space space = Space::generic;
  Order order = Order::weak;
  Scope scope = Scope::none;
  Proxy proxy = Proxy::generic;
  Growth growth = Growth::unknown;
};

}  // namespace clcsim::ptx
