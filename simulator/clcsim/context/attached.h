// How a program that is run watches the GPU that runs it: it attaches an observer. A real GPU's
// library has no clcsim_attach(), so such a program declares it weak. An observer is C++: who
// attaches one is built with the sources and the compiler of the clcsim that runs it.
#pragma once

#include <cstdint>
#include <string>

#include "config/profile.h"
#include "machine/events.h"

namespace clcsim::context {

class Attached : public machine::Observer {
 public:
  /// Called first.
  virtual void attached(const config::Profile& profile, std::uint64_t seed) = 0;
  /// What it has found, as JSON, which --check-json gets as "check"; empty: nothing yet.
  virtual std::string found() const = 0;
};

}  // namespace clcsim::context

/// It watches from here on. It is asked at the program's end, after static destructors.
extern "C" __attribute__((visibility("default"))) void clcsim_attach(
    clcsim::context::Attached& attached);
