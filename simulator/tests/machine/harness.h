// Runs kernels written as PTX text on the machine, without the runtime.
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "machine/gpu.h"
#include "machine/module.h"
#include "report/rules.h"

namespace clcsim::test {

/// Collects what the machine tells.
struct EventLog : machine::Observer {
  std::vector<machine::Finding> findings;  // what stopped it; one at most
  std::vector<machine::Request> requests, answers;
  std::vector<std::uint64_t> started;  // linear block index
  machine::GridCounts counts;
  machine::Time finished = 0;

  void stopped(const machine::Finding& finding) override { findings.push_back(finding); }
  void request_issued(const machine::Request& request) override { requests.push_back(request); }
  void request_answered(const machine::Request& request) override { answers.push_back(request); }
  void block_started(const machine::Block& block, machine::Time) override {
    started.push_back(block.grid->launch.grid.linear(block.index));
  }
  void grid_finished(const machine::Grid& grid, machine::Time time) override {
    counts = grid.counts;
    finished = time;
  }
  std::string names() const {
    std::string all;
    for (const machine::Finding& finding : findings) {
      const std::string name(report::text_of(finding.rule).name);
      all += (all.empty() ? "" : " ") + (name.empty() ? finding.text : name);
    }
    return all;
  }
};

struct LaunchShape {
  machine::Dim3 grid{1, 1, 1}, block{32, 1, 1}, cluster{1, 1, 1};
  std::uint32_t dynamic_shared = 0;
  int priority = 0;
};

class Harness {
 public:
  explicit Harness(std::string_view ptx, std::uint64_t seed = 0, std::string_view gpu = "mini")
      : gpu(*config::find_profile(gpu), seed), module(ptx, this->gpu.memory()) {
    this->gpu.attach(&recorder);
  }

  template <class T>
  std::uint64_t upload(const std::vector<T>& values) {
    machine::Allocation* allocation =
        gpu.memory().allocate(values.size() * sizeof(T), machine::Allocation::Kind::device);
    std::memcpy(allocation->host, values.data(), values.size() * sizeof(T));
    gpu.notify(machine::kMemory, [&](machine::Observer& observer) {
      observer.memory_filled(allocation->address, allocation->size);
    });
    return allocation->address;
  }

  template <class T>
  std::vector<T> download(std::uint64_t address) {
    const machine::Allocation* allocation = gpu.memory().find(address);
    std::vector<T> values(allocation->size / sizeof(T));
    std::memcpy(values.data(), allocation->host, allocation->size);
    return values;
  }

  /// Submits a launch of the kernel `name`; run() waits for all of them.
  template <class... Arguments>
  void launch(std::string_view name, const LaunchShape& shape, const Arguments&... arguments) {
    const ptx::Program* program = module.kernel(name);
    machine::Launch launch{.program = program,
                           .grid = shape.grid,
                           .block = shape.block,
                           .cluster = shape.cluster,
                           .dynamic_shared = shape.dynamic_shared,
                           .priority = shape.priority};
    launch.parameters.resize(program->parameter_bytes);
    [[maybe_unused]] std::size_t next = 0;
    [[maybe_unused]] const auto put = [&](const auto& value) {
      std::memcpy(launch.parameters.data() + program->parameters[next++].offset, &value,
                  sizeof value);
    };
    (put(arguments), ...);
    ++pending;
    gpu.submit(std::move(launch), gpu.now(), [this](machine::Time) { --pending; });
  }

  /// True if every launch has finished.
  bool run() {
    return gpu.run_until([this] { return pending == 0; });
  }

  EventLog recorder;
  machine::Gpu gpu;
  machine::Module module;
  int pending = 0;
};

}  // namespace clcsim::test
