// What is found in a program, as facts: which rule, what happened, where, who, how many. The
// sentences are report/finding_words': one for each What and each Note.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine/grid.h"
#include "machine/rule.h"

namespace clcsim::machine {

/// A place in a program and who was there.
struct Place {
  const ptx::Program* program = nullptr;  ///< nullptr: nowhere
  std::uint32_t location = ptx::kNoLocation;
  Dim3 block;
  Dim3 thread;
  bool has_thread = false;
};

/// What happened.
enum class What : std::uint8_t {
  as_told,       ///< a fault or a refusal, which the instruction words itself: Finding::text
  null_pointer,  ///< the same, through a pointer that is null,
  host_pointer,  ///< or one that only the host can use
  deadlock,
  masks_differ,  ///< the same, where lanes name one another in different masks
  // requests and responses
  asks_again,
  may_ask_again,
  decodes_failure,
  unarmed,
  peer_exited,
  peer_unheard_of,
  peer_init_unordered,
  peer_without_mbarrier,
  calls_again,  ///< for_each_canceled_block
  leads_too,
  nobody_leads,
  exits_early,
  drops_block,  ///< numbers: the block's index
  // mbarriers
  init_again,
  store_over_mbarrier,
  response_over_mbarrier,
  copy_over_mbarrier,
  init_unordered,
  arrives_early,             ///< numbers: the phase, the one before
  waits_for_old,             ///< numbers, of this one and the next three: mbarriers of the block
  waits_too_late,            ///< with the right parity, but the next phase is over, too
  starts_with_wrong_parity,  ///< the thread's first wait for it
  waits_for_passed,
  // shared memory
  shared_race,  ///< numbers: whether the one at the place writes, whether the other one does
  shared_race_in_line,
  request_before_read,
  read_of_response,
  read_behind_relaxed,
  read_of_copy,
  copy_behind_relaxed,
  read_before_request,
  store_on_response,
  store_on_copy,
  two_requests,
  two_requests_to_peer,  ///< of one block, for the response in another one
  two_blocks_request,    ///< of a cluster, each for the responses of all
  two_copies,
  not_handed_to_request,  ///< numbers: whether it is a write
  not_handed_to_copy,
  fenced_in_another_block,  ///< likewise; with .shared::cta, which is that block's own
  request_overtakes,
  request_overtakes_in_cluster,
  copy_overtakes,
  copy_overtakes_in_cluster,
  peer_may_exit,
  peer_may_not_run,
  // copies that a thread waits for itself
  read_of_async_copy,
  store_on_async_copy,
  store_on_source,
  store_reads_early,
  copy_left_open,
  access_of_bulk_store,  ///< numbers: whether it writes
  // global memory; numbers as for shared_race
  global_race,
  global_race_of_blocks,
  global_race_in_cluster,
  // block barriers
  barrier_missed,
  call_missed,  ///< a barrier of for_each_canceled_block
  barriers_differ,
  counts_differ,  ///< numbers: of the one at the place, of the other one
  // values that nobody has written; the first detail says where one comes from
  undefined_branch,
  undefined_address,
  undefined_store,
  undefined_query,
  undefined_update,
  undefined_operand,
  undefined_source,
};

/// What a detail is about.
enum class Role : std::uint8_t {
  block,
  cause,
  copy,
  exits,
  failed,
  first,
  init,
  left,
  mbarrier,
  other,
  peer,
  phase,
  read,
  request,
  runs,
  value,
  wait,
  waits,
  write,
};

/// What is said of it.
enum class Note : std::uint8_t {
  line,
  who,               ///< line and thread
  other_block,       ///< the thread is one of another block
  unordered,         ///< who, and nothing orders the two
  not_before,        ///< who, not ordered before the request
  not_answered,      ///< who, not known to have been answered
  failure,           ///< of the request
  failure_observed,  ///< of the request, at the other place
  failure_unordered,
  rank_exited,  ///< numbers: the rank in the cluster
  rank_unheard_of,
  rank,
  receiving_block,
  has_exited,
  peer_exits,    ///< numbers: rank, whether the access writes
  phases_known,  ///< numbers: ends that the thread knows, phases that are over, parity
  was_relaxed,
  never_waited,
  no_wait,         ///< nor is there any in the kernel
  others_waited,   ///< but not this thread
  waited_for,      ///< numbers: phases
  ended_unarmed,   ///< a phase ended, and nothing had expected bytes
  passed_at_once,  ///< a wait for the phase before the first one
  result_ignored,  ///< of a wait
  from_shared,
  from_global,
  from_nobody,
  never_committed,
  never_waited_for_group,
  variable,
  // who waits, in a deadlock or where a run was stopped; numbers: warps, the first one's number,
  // the barrier or the mbarrier
  running,
  for_lanes,
  for_block_barrier,
  for_cluster_barrier,
  for_mbarrier,
  for_change,
  more_places,     ///< numbers: how many
  open_mbarrier,   ///< numbers: offset, phase, pending, expected, bytes
  open_mbarriers,  ///< the same, and in how many more blocks
  // causes of a deadlock; numbers: bytes, arrivals that are missing, all of them
  no_expect_tx,
  too_many_bytes,
  unexpected_bytes,
  too_few_bytes,
  no_bytes,
  never_armed,
  never_arrived,
  none_arrived,  ///< in this phase
  arrivals_missing,
};

struct Finding {
  Rule rule = Rule::none;
  What what = What::as_told;
  Place at;
  std::vector<std::int64_t> numbers;
  std::string text;
  struct Detail {
    Role role = Role::other;
    Note note = Note::line;
    Place place;
    Place second;
    std::vector<std::int64_t> numbers;
  };
  std::vector<Detail> details;
};

}  // namespace clcsim::machine
