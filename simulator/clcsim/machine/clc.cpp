// Cluster Launch Control: a request takes the head of its grid's queue, or is refused.
// PTX ISA 9.0, 9.7.13.17, clusterlaunchcontrol.try_cancel.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "machine/gpu.h"
#include "machine/response.h"

namespace clcsim::machine {
namespace {

constexpr std::uint32_t kResponseBytes = 16;
constexpr Time kHostileLatency = 4000;  // cycles added to an answer at most
constexpr Time kLate = 1'000'000;       // added to that of a slow schedule's second request

}  // namespace

void Gpu::request(Request request) {
  Grid& grid = *request.block->grid;
  request.serial = static_cast<std::uint32_t>(++grid.counts.requests);
  ++grid.requests_in_flight;
  notify([&](Observer& observer) { observer.request_issued(request); });
  // The queue decides half way there.
  at(request.issued + profile_.request_latency / 2, [this, &grid, request] {
    answer(request);
    --grid.requests_in_flight;
    look_for_trigger(grid);
    finish_grid_if_done(grid);
  });
}

void Gpu::answer(Request request) {
  Block* const block = request.block.get();
  if (block == nullptr) return;  // nobody will hear the answer, so nothing is taken
  Grid& grid = *block->grid;
  request.decided = now();
  const std::optional<std::uint64_t> cluster = launcher_.cancel(grid, now());
  request.granted = cluster.has_value();
  if (cluster) {
    request.stolen = grid.block_of(*cluster, 0);
    ++grid.counts.requests_granted;
    grid.counts.blocks_stolen += grid.cluster_blocks();
  } else {
    ++grid.counts.requests_refused;
  }
  request.answered = now() + profile_.request_latency / 2 + chaos_.below(kHostileLatency);
  const bool late = chaos_.slow() && request.serial == 2;
  if (late) request.answered += kLate;
  notify([&](Observer& observer) { observer.request_answered(request); });

  const Response response{request.granted, request.serial, request.stolen};
  const std::uint64_t words[] = {response.low(), response.high()};
  AsyncWrite write{.ready = request.answered,
                   .offset = request.response,
                   .data = std::vector<std::byte>(kResponseBytes),
                   .mbarrier = request.mbarrier,
                   .bytes = kResponseBytes,
                   .request = request.serial,
                   .late = late};
  std::memcpy(write.data.data(), words, kResponseBytes);
  if (!request.multicast) return schedule_landing(*block, std::move(write));
  for (Block* receiver : block->cluster->blocks) {
    if (receiver != nullptr) schedule_landing(*receiver, write);
  }
}

}  // namespace clcsim::machine
