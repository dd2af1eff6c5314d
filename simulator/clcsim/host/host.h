// The host of a run: a session without a program. What a program's calls of the CUDA runtime do to
// the simulated GPU, it does by itself. Each call costs the host the time that it costs in cudart/,
// and reaches the GPU in the same order, so that a run is the very one that clcsim makes of the
// executable.
//
// A call throws cudart::Failure where the runtime's would return an error.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "config/profile.h"
#include "cudart/launch.h"
#include "cudart/session.h"
#include "machine/module.h"

namespace clcsim::host {

using machine::Time;

struct Progress {
  Time cycles = 0;
  std::uint64_t instructions = 0, started = 0;
};

struct Settings {
  config::Profile profile;
  std::uint64_t seed = 0;
  machine::BlockLauncher::Answers answers;  ///< to requests
  config::Check check = config::Check::all;
  report::Accepted accepted = {};  ///< findings
  bool record = true;              ///< for the player
  Time cycles = machine::kNever;   ///< where a run is stopped
  double seconds = 1e9;            ///< of real time; likewise
  std::function<void(const Progress&)> progress;
};

/// The run can't go on. what() is one sentence.
class Refusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The run has come to its limit of cycles or of seconds.
class Stopped : public Refusal {
 public:
  using Refusal::Refusal;
};

struct Shape {
  dim3 grid, block;
  cudaStream_t stream = nullptr;
  dim3 cluster = {0, 1, 1};  ///< given at the launch; x 0: not given
  int shared = 0;            ///< dynamic, bytes; allowed by allow_shared
  bool early = false;        ///< programmatic stream serialization: may start before the last ends
};

class Host : public cudart::Session {
 public:
  Host(const Settings& settings, const std::string& ptx);

  // ---- calls; where nothing else is said, of the default stream ----

  void get_device_properties() { spend_quick(); }
  std::uint64_t malloc(std::size_t bytes);
  void free(std::uint64_t memory);
  void copy_to_device(std::uint64_t to, const void* from, std::size_t bytes);
  void copy_to_host(void* to, std::uint64_t from, std::size_t bytes);
  /// Both as cudaMemcpy and as cudaMemcpyAsync: the host waits for neither.
  void copy_on_device(std::uint64_t to, std::uint64_t from, std::size_t bytes);
  void clear(std::uint64_t memory, std::size_t bytes);  ///< likewise
  void device_synchronize();
  void mem_get_info();

  cudaStream_t create_stream(unsigned flags, int priority);
  void get_stream_priority_range() { spend_quick(); }
  cudaEvent_t create_event();
  void record(cudaEvent_t event, cudaStream_t stream = nullptr);
  void synchronize(cudaEvent_t event);
  bool query(cudaEvent_t event);
  Time elapsed(cudaEvent_t begin, cudaEvent_t end);

  /// The kernel of this name, as reports show it or as the PTX has it; "": the only one. Throws
  /// Refusal where there is none; ptx::ParseError.
  const ptx::Program& program(const std::string& kernel);

  /// The memory of a variable of the PTX. Throws Refusal where there is none.
  std::uint64_t variable(const std::string& name);

  /// Blocks of the kernel that one SM holds.
  int max_active_blocks(const std::string& kernel, std::uint64_t threads);
  /// As cudaFuncSetAttribute of cudaFuncAttributeMaxDynamicSharedMemorySize.
  void allow_shared(const std::string& kernel);
  /// Blocks of a cluster, as the kernel itself says.
  int cluster_of(const std::string& kernel);

  /// The value of a kernel's parameter.
  struct Argument {
    const void* value;
    std::size_t size;
  };
  /// Launches the kernel of this name (as reports show it). The arguments must be what it expects.
  void launch(const std::string& kernel, const Shape& shape,
              const std::vector<Argument>& arguments);
  template <class... Arguments>
  void launch(const std::string& kernel, const Shape& shape, const Arguments&... arguments) {
    launch(kernel, shape, std::vector<Argument>{{&arguments, sizeof arguments}...});
  }

  // ---- what came of it ----

  const report::FindingReport& findings() const { return findings_; }
  const report::Statistics& statistics() const { return *statistics_; }
  const std::string& text() const { return text_; }        ///< of the findings
  const std::string& printed() const { return printed_; }  ///< by printf on the device
  void write_summary() const { findings_.write_summary(); }
  /// For the player; empty if nothing was recorded.
  std::string record(const std::string& command);

 private:
  using Clock = std::chrono::steady_clock;
  void copy(std::uint64_t to, std::uint64_t from, std::size_t bytes, cudaMemcpyKind kind);
  machine::Module& module();
  void spend_quick();
  void demand_context() const;
  void catch_up();
  void wait_until(const std::function<bool()>& condition);
  machine::Gpu::Ran advance(Time when, const std::function<bool()>& condition);
  void look_at_limits();

  const Settings settings_;
  const std::string ptx_;
  std::unique_ptr<machine::Module> module_;  // loaded when it is first used
  std::string text_, printed_;
  const Clock::time_point made_ = Clock::now();
  Clock::time_point told_ = made_;
};

}  // namespace clcsim::host
