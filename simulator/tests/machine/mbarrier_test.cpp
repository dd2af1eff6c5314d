#include "machine/mbarrier.h"

#include <doctest/doctest.h>

using clcsim::machine::Mbarrier;

namespace {

Mbarrier make(std::uint32_t count) {
  Mbarrier mbarrier;
  mbarrier.init(count);
  return mbarrier;
}

}  // namespace

TEST_CASE("a phase is over when all arrivals have come") {
  Mbarrier mbarrier = make(3);
  CHECK(mbarrier.arrive(1).empty());
  CHECK(mbarrier.arrive(1).empty());
  CHECK_FALSE(mbarrier.parity_done(0));
  CHECK(mbarrier.arrive(1).empty());
  CHECK(mbarrier.parity_done(0));
  CHECK_FALSE(mbarrier.parity_done(1));
  CHECK(mbarrier.pending == 3);  // the next phase waits for all of them again
}

TEST_CASE("a fresh mbarrier has a finished phase before its first one") {
  CHECK(make(1).parity_done(1));
}

TEST_CASE("bytes must come, too, and either may come first") {
  Mbarrier expected_first = make(1);
  expected_first.expect_transactions(16);
  expected_first.arrive(1);
  CHECK_FALSE(expected_first.parity_done(0));
  expected_first.complete_transactions(16);
  CHECK(expected_first.parity_done(0));

  Mbarrier completed_first = make(1);
  completed_first.complete_transactions(16);
  CHECK(completed_first.transactions == -16);
  CHECK_FALSE(completed_first.parity_done(0));  // the arrival is still due
  completed_first.expect_transactions(16);
  CHECK_FALSE(completed_first.parity_done(0));
  completed_first.arrive(1);
  CHECK(completed_first.parity_done(0));
}

TEST_CASE("fewer or more bytes than expected never finish the phase") {
  for (const int bytes : {8, 24}) {
    Mbarrier mbarrier = make(1);
    mbarrier.expect_transactions(16);
    mbarrier.arrive(1);
    mbarrier.complete_transactions(bytes);
    CHECK_FALSE(mbarrier.parity_done(0));
    CHECK(mbarrier.transactions == 16 - bytes);
  }
}

TEST_CASE("counts out of range are named and change nothing") {
  Mbarrier mbarrier = make(2);
  CHECK_FALSE(mbarrier.arrive(0).empty());
  CHECK_FALSE(mbarrier.arrive(3).empty());
  CHECK(mbarrier.pending == 2);
  CHECK_FALSE(mbarrier.expect_transactions(1 << 20).empty());
  CHECK(mbarrier.transactions == 0);
  CHECK(mbarrier.complete_transactions((1 << 20) - 1).empty());
  CHECK_FALSE(mbarrier.complete_transactions(1).empty());
  CHECK_FALSE(mbarrier.arrive_drop(3).empty());
}

TEST_CASE("a dropped arrival is missing from every later phase") {
  Mbarrier mbarrier = make(2);
  CHECK(mbarrier.arrive_drop(1).empty());
  CHECK(mbarrier.arrive(1).empty());
  CHECK(mbarrier.phase == 1);
  CHECK(mbarrier.pending == 1);
  CHECK(mbarrier.arrive(1).empty());
  CHECK(mbarrier.phase == 2);
}

TEST_CASE("a state tells the phase and the pending count before the arrival") {
  Mbarrier mbarrier = make(5);
  mbarrier.arrive(2);
  const std::uint64_t state = mbarrier.state();
  CHECK(Mbarrier::phase_of(state) == 0);
  CHECK(Mbarrier::pending_of(state) == 3);
}
