#include "machine/grid.h"

namespace clcsim::machine {

Dim3 Grid::block_of(std::uint64_t cluster, std::uint32_t rank) const {
  const Dim3& shape = launch.cluster;
  const std::uint64_t wide = launch.grid.x / shape.x;
  const std::uint64_t high = launch.grid.y / shape.y;
  return {static_cast<std::uint32_t>(cluster % wide) * shape.x + rank % shape.x,
          static_cast<std::uint32_t>(cluster / wide % high) * shape.y + rank / shape.x % shape.y,
          static_cast<std::uint32_t>(cluster / wide / high) * shape.z + rank / shape.x / shape.y};
}

bool Rendezvous::complete(std::uint32_t threads) {
  if (arrived == 0 || arrived < threads) return false;
  ++generation;
  last_arrived = arrived;
  last_predicate_count = predicate_count;
  arrived = expected = predicate_count = 0;
  return true;
}

}  // namespace clcsim::machine
