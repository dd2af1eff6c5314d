#include "machine/mbarrier.h"

namespace clcsim::machine {

void Mbarrier::complete_phase_if_done() {
  if (pending != 0 || transactions != 0) return;
  ++phase;
  pending = expected;
  completed = true;
}

std::string Mbarrier::arrive(std::int64_t count) {
  if (count < 1 || count > kMaxArrivals) {
    return "an arrival with count " + std::to_string(count) + " (allowed: 1 to 1048575)";
  }
  if (count > pending) {
    return "more arrivals in a phase than the mbarrier's init counts: " + std::to_string(count) +
           " where " + std::to_string(pending) + " of " + std::to_string(expected) +
           " are still missing";
  }
  pending -= count;
  complete_phase_if_done();
  return {};
}

std::string Mbarrier::arrive_drop(std::int64_t count) {
  if (count > expected) {
    return std::to_string(count) + " arrivals dropped where each phase expects only " +
           std::to_string(expected);
  }
  expected -= count;
  std::string error = arrive(count);
  if (!error.empty()) expected += count;
  return error;
}

std::string Mbarrier::expect_transactions(std::int64_t bytes) {
  if (transactions + bytes > kMaxTransactions) {
    return "more than 1048575 bytes expected in one phase";
  }
  transactions += bytes;
  complete_phase_if_done();
  return {};
}

std::string Mbarrier::complete_transactions(std::int64_t bytes) {
  if (transactions - bytes < -kMaxTransactions) {
    return "1048575 bytes more completed than expected in one phase";
  }
  transactions -= bytes;
  complete_phase_if_done();
  return {};
}

}  // namespace clcsim::machine
