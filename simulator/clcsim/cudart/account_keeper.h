// Who keeps the account (account.h): an observer of the GPU, in whatever program the GPU is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "cudart/account.h"
#include "machine/events.h"

namespace clcsim::machine {
class Gpu;
}

namespace clcsim::cudart {

using WriteRecord = std::function<void(Record kind, const void* data, std::size_t size)>;

class AccountKeeper : public machine::Observer {
 public:
  /// As Tell::watch.
  virtual void watch(std::uint64_t begin, std::uint64_t bytes, std::uint64_t counters) = 0;
  /// As Tell::aside.
  virtual void watch_aside(std::uint64_t begin, std::uint64_t bytes) = 0;
  /// Writes the region. False: it is not there any more.
  virtual bool end_watch() = 0;
};

/// Writes launches when they end, and regions.
std::unique_ptr<AccountKeeper> keep_account(machine::Gpu& gpu, WriteRecord write);

}  // namespace clcsim::cudart
