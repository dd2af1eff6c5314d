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
