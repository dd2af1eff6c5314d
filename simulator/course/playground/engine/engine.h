// The playground's engine: a request in, a reply out, both JSON. The page's worker and the program
// clcsim_playground are made of the same sources.
//
// Request and reply are described in simulator/course/playground/README.md.
#pragma once

#include <string>
#include <string_view>

#include "host/host.h"
#include "report/json.h"
#include "report/json_reader.h"

namespace clcsim::playground {

using host::Host;
using host::Progress;
using report::Json;
using report::JsonWriter;
using Watcher = std::function<void(const Progress&)>;

class Engine {
 public:
  /// Throws JsonError. The catalogue has the PTX of each kernel and the source files.
  explicit Engine(std::string_view catalogue);

  /// The reply to a request, whatever the request is.
  std::string run(std::string_view request, const Watcher& progress) const;

 private:
  void run_kernel(const Json& request, const Watcher& progress, JsonWriter& json) const;

  const Json catalogue_;
};

/// A call of the runtime's has failed (CUDA_CHECK).
struct Failed {
  cudaError_t error;
};

/// The chapters' device gate: what it costs.
void pass_gate();

// ---- what the answers to both kinds of requests have in common ----

/// Of its name, or of a profile's text. Throws host::Refusal, config's errors.
config::Profile read_profile(const std::string& gpu);
/// A member whose value is JSON already; nothing: null.
void put_raw(JsonWriter& json, std::string_view name, const std::string& value);

/// The members of the reply to a request that names an exercise (exercise.cpp): the engine plays
/// the host of the student's kernel, the witness says what has run, and the exercise's own check
/// judges it. Throws host::Refusal, ptx::ParseError.
void check_exercise(const Json& request, const Watcher& progress, JsonWriter& json);

}  // namespace clcsim::playground
