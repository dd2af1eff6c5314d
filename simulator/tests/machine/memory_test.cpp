// The parts that bytes pass: the memory bus, and the writes of the async proxy.
#include <doctest/doctest.h>

#include "config/profile.h"
#include "machine/async_writes.h"
#include "machine/memory_bus.h"

using namespace clcsim;
using namespace clcsim::machine;

namespace {

config::Profile profile_of(std::vector<int> gpcs) {
  config::Profile profile{};
  profile.sms = 3;
  profile.memory_bytes_per_cycle = 10;
  profile.gpc_sms = std::move(gpcs);
  return profile;
}

}  // namespace

TEST_CASE("a bus with one port serves all in order") {
  MemoryBus bus(profile_of({}));
  CHECK(bus.transfer(0, 100, 0) == 10);
  CHECK(bus.transfer(0, 100, 2) == 20);
  CHECK(bus.copy_engine_transfer(0, 100) == 30);
  CHECK(bus.transfer(50, 100, 1) == 60);
  CHECK(bus.idle_from() == 60);
}

TEST_CASE("ports that are busy share the bus equally; a GPC's SMs share a port") {
  MemoryBus bus(profile_of({2, 1}));
  CHECK(bus.transfer(0, 100, 0) == 10);   // alone
  CHECK(bus.transfer(0, 100, 2) == 20);   // half of it, beside port 0
  CHECK(bus.transfer(5, 50, 1) == 20);    // and so does port 0 now, of which SM 1 is, too
  CHECK(bus.transfer(30, 100, 0) == 40);  // alone again
  CHECK(bus.copy_engine_transfer(30, 50) == 40);
  CHECK(bus.idle_from() == 40);
}

TEST_CASE("writes land in their order, once ready, for the mbarrier that counts them") {
  AsyncWrites writes;
  writes.add({.ready = 10, .mbarrier = 8, .bytes = 1});
  writes.add({.ready = 5, .mbarrier = 8, .bytes = 2});
  writes.add({.ready = 5, .mbarrier = 16, .bytes = 3});
  CHECK_FALSE(writes.take(8, 4));
  CHECK_FALSE(writes.take(24, 100));
  CHECK(writes.take(8, 5)->bytes == 2);
  CHECK(writes.first().bytes == 1);
  CHECK(writes.take(8, 10)->bytes == 1);
  CHECK_FALSE(writes.take(8, 100));
  CHECK(writes.take(16, 100)->bytes == 3);
  CHECK(writes.empty());
}
