#include "machine/grid.h"

namespace clcsim::machine {

Dim3 Grid::block_of(std::uint64_t cluster, std::uint32_t rank) const {
  const Dim3& shape = launch.cluster;
  const Dim3 clusters{launch.grid.x / shape.x, launch.grid.y / shape.y, launch.grid.z / shape.z};
  const Dim3 first = clusters.at(cluster), own = shape.at(rank);
  return {first.x * shape.x + own.x, first.y * shape.y + own.y, first.z * shape.z + own.z};
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
