// A host of one thread that is no program: it brings a PTX text and calls the runtime's functions
// (cudart/) itself. What they do to the GPU, and what each costs, is the context's, so a run is the
// very one that clcsim makes of an executable that makes these calls.
//
// While a Host lives, the runtime's functions of its thread are about it. One that fails returns an
// error, as everywhere; stopped() and refused() say what a process would have ended with.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "context/context.h"

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

struct Shape {
  dim3 grid, block;
  cudaStream_t stream = nullptr;
  dim3 cluster = {0, 1, 1};  ///< given at the launch; x 0: not given
  int shared = 0;            ///< dynamic, bytes; such a launch needs no cudaFuncSetAttribute
  bool early = false;        ///< programmatic stream serialization: may start before the last ends
};

class Host : private context::Caller {
 public:
  Host(const Settings& settings, std::string ptx);
  ~Host() { context::Context::set_current(nullptr); }

  /// What the runtime's functions take for the kernel of this name, as reports show it or as the
  /// PTX has it; "": the only one. Throws Refusal where there is none; ptx::ParseError.
  const void* kernel(const std::string& name);
  const ptx::Program& program(const std::string& kernel);
  /// From now on `handle` stands for that kernel, too.
  void name(const void* handle, const std::string& kernel);

  /// The value of a kernel's parameter.
  struct Argument {
    const void* value;
    std::size_t size;
  };
  /// As cudaLaunchKernelExC. Throws Refusal if the arguments aren't what the kernel expects.
  cudaError_t launch(const std::string& kernel, const Shape& shape,
                     const std::vector<Argument>& arguments);
  template <class... Arguments>
  cudaError_t launch(const std::string& kernel, const Shape& shape, const Arguments&... arguments) {
    return std::apply(
        [&](const auto&... each) {
          return launch(kernel, shape, std::vector<Argument>{{&each, sizeof each}...});
        },
        std::tuple(as_parameter(arguments)...));
  }

  // ---- what came of it ----

  const context::Context& context() const { return context_; }
  const std::string& stopped() const { return stopped_; }  ///< at a limit: a sentence
  const std::string& refused() const { return refused_; }  ///< what isn't modelled: likewise
  const std::string& text() const { return text_; }        ///< of the findings
  const std::string& printed() const { return printed_; }  ///< by printf on the device
  void write_summary() { context_.findings().write_summary(); }
  /// For the player; empty if nothing was recorded.
  std::string record(const std::string& command);

 private:
  // A kernel's pointers have 64 bits, whatever the host's have.
  template <class T>
  static auto as_parameter(const T& value) {
    if constexpr (std::is_pointer_v<T>) {
      return context::address_of(value);
    } else {
      return value;
    }
  }

  cudaError_t begin_call(bool) override { return stopped_.empty() ? cudaSuccess : kStopped; }
  void end_call() override {}
  void run_to(Time when) override { advance(when, {}); }
  bool run_until(const std::function<bool()>& condition) override;
  void asked_in_vain() override;
  void launched() override {}
  void function_expected() override {}
  void call_function(std::function<void()> function, context::OperationPtr operation) override;
  // All memory that is copied from and to is this code's own.
  bool is_mapped(std::uint64_t, std::uint64_t) const override { return true; }
  std::size_t readable_bytes(const void*) const override { return 0; }
  bool in_main_program(const void*) const override { return false; }
  void refuse(const std::string& sentence) override { refused_ = sentence; }
  context::Failure give_up(const std::string& sentence) override;
  std::string program() const override { return "the program"; }
  machine::Gpu::Ran advance(Time when, const std::function<bool()>& condition);
  void look_at_limits();

  static constexpr cudaError_t kStopped = cudaErrorLaunchTimeout;
  using Clock = std::chrono::steady_clock;
  const Settings settings_;
  const std::string ptx_;
  std::string stopped_, refused_, text_, printed_;
  context::Context context_;
  machine::Gpu& gpu_ = context_.gpu();
  context::FatBinary* binary_ =
      nullptr;                     // of the text, which is read when something in it is first used
  std::set<std::string> kernels_;  // mangled names, whose addresses are the handles
  const Clock::time_point made_ = Clock::now();
  Clock::time_point told_ = made_;
};

}  // namespace clcsim::host
