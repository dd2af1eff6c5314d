// The playground's engine: a request in, a reply out, both JSON. The page's worker and the program
// clcsim_playground are made of the same sources.
//
// Request and reply are described in simulator/course/playground/README.md.
#pragma once

#include <string>
#include <string_view>

#include "host/host.h"
#include "report/json_reader.h"

namespace clcsim::playground {

using host::Host;
using host::Progress;
using report::Json;

class Engine {
 public:
  /// Throws JsonError. The catalogue has the PTX of each kernel and the source files.
  explicit Engine(std::string_view catalogue);

  /// The reply to a request, whatever the request is.
  std::string run(std::string_view request, const std::function<void(const Progress&)>& progress);

 private:
  const Json catalogue_;
};

}  // namespace clcsim::playground
