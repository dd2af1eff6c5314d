// Runs a case: on the simulated GPU, or on a real one.
#pragma once

#include <memory>
#include <string>

#include "conformance/recording.h"

namespace clcsim::conformance {

/// Throws std::runtime_error with what went wrong.
Results run_on_clcsim(const Case&);

/// The first GPU of this machine, through the CUDA driver.
class RealGpu {
 public:
  /// Throws std::runtime_error if there is none.
  RealGpu();
  ~RealGpu();
  std::string name() const;
  std::string driver() const;
  /// Throws std::runtime_error with what went wrong.
  Results run(const Case&);

 private:
  struct Driver;
  std::unique_ptr<Driver> driver_;
};

}  // namespace clcsim::conformance
