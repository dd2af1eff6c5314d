#include "machine/grid.h"

namespace clcsim::machine {

bool Rendezvous::complete(std::uint32_t threads) {
  if (arrived == 0 || arrived < threads) return false;
  ++generation;
  last_arrived = arrived;
  last_predicate_count = predicate_count;
  arrived = expected = predicate_count = 0;
  return true;
}

}  // namespace clcsim::machine
