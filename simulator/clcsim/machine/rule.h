// The rules that clcsim knows. report/rules says what each is called, and where it is written.
#pragma once

#include <cstdint>

namespace clcsim::machine {

enum class Rule : std::uint8_t {
  none,  ///< nothing is broken: clcsim refuses what it doesn't model
  request_after_failure,
  decode_of_failure,
  response_not_complete,
  response_overwritten,
  missing_proxy_fence,
  bad_address,
  barrier_not_initialised,
  barrier_reinitialised,
  barrier_phase,
  multicast_peer,
  request_in_flight_at_exit,
  stolen_block_dropped,
  several_leaders,
  deadlock,
  block_barrier_divergence,
  out_of_bounds,
  misaligned,
  use_after_free,
  uninitialised_read,
  data_race,
  warp_sync_mask,
  illegal_instruction,
  trap,
  assertion,
};

}  // namespace clcsim::machine
