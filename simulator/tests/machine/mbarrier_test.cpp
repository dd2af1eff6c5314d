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
