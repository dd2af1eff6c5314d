// Launches that failed, and whose error the program has not fetched: it is told at the end, when a
// program that doesn't ask has ended with 0.
//
// `kernel<<<...>>>()` returns nothing. So a program that never calls cudaGetLastError() or
// cudaPeekAtLastError() after it in the same thread can't know of its failure. What another call
// returned the program may have looked at, and nobody sees that here.
#pragma once

#include <driver_types.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "machine/finding.h"

namespace clcsim::context {

class UnseenErrors {
 public:
  /// A launch of this thread has failed. `caller` is where in the program it stands.
  void add(std::string launch, cudaError_t error, const void* caller);
  /// This thread fetches its last error.
  void fetched();
  /// A note for each launch whose error nobody has fetched. `place_of`: where in the program's
  /// source an address lies.
  using Place = std::string (*)(const void* address);
  std::vector<machine::Finding> notes(Place place_of) const;

 private:
  struct Failed {
    std::string launch;
    cudaError_t error;
    const void* caller;
    std::thread::id thread = std::this_thread::get_id();
    std::uint32_t count = 1;
  };

  mutable std::mutex mutex_;
  std::vector<Failed> failed_;
};

}  // namespace clcsim::context
