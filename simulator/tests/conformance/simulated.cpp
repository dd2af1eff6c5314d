#include <cstring>
#include <stdexcept>

#include "config/profile.h"
#include "conformance/agreement.h"
#include "conformance/run.h"
#include "machine/gpu.h"
#include "machine/module.h"

namespace clcsim::conformance {
namespace {

struct Findings : machine::Observer {
  std::string text;
  void stopped(const machine::Finding& finding) override {
    text += (text.empty() ? "" : "; ") + (finding.text.empty() ? "a deadlock" : finding.text);
  }
};

}  // namespace

Results run_on_clcsim(const Case& c) {
  machine::Gpu gpu(*config::find_profile("mini"), 0);
  Findings findings;
  gpu.attach(&findings);
  Agreement agreement;
  gpu.attach(&agreement);
  machine::Module module(c.ptx, gpu.memory());
  const ptx::Program* program = module.kernel("k");
  if (program == nullptr) throw std::runtime_error("the module has no kernel");

  const std::size_t row = std::size_t{c.count()} * sizeof(std::uint64_t);
  const auto allocate = [&](std::size_t rows) {
    machine::Allocation* memory =
        gpu.memory().allocate(rows * row, machine::Allocation::Kind::device);
    std::memset(memory->host, 0, rows * row);
    return memory;
  };
  machine::Allocation* in = allocate(c.operands.size());
  machine::Allocation* out = allocate(c.results.size());
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    std::memcpy(in->host + k * row, c.operands[k].values.data(), row);
  }

  machine::Launch launch{.program = program,
                         .grid = {c.grid[0], c.grid[1], c.grid[2]},
                         .block = {c.block[0], c.block[1], c.block[2]},
                         .cluster = {c.cluster}};
  launch.parameters.resize(program->parameter_bytes);
  std::memcpy(launch.parameters.data() + program->parameters[0].offset, &in->address, 8);
  std::memcpy(launch.parameters.data() + program->parameters[1].offset, &out->address, 8);
  if (!c.parameter.empty()) {
    std::memcpy(launch.parameters.data() + program->parameters[2].offset, c.parameter.data(),
                c.parameter.size());
  }
  bool done = false;
  gpu.submit(std::move(launch), gpu.now(), [&](machine::Time) { done = true; });
  gpu.run_until([&] { return done; });
  if (gpu.fault() != nullptr) throw std::runtime_error(gpu.fault()->what);
  if (!findings.text.empty()) throw std::runtime_error(findings.text);
  if (!done) throw std::runtime_error("the kernel did not finish");
  // What cvta makes are also generic addresses of a thread's own memory, of which no event tells.
  if (!c.form.starts_with("cvta.") && !agreement.disagreement().empty()) {
    throw std::runtime_error(agreement.disagreement());
  }

  Results results(c.results.size(), std::vector<std::uint64_t>(c.count()));
  for (std::size_t k = 0; k < results.size(); ++k) {
    std::memcpy(results[k].data(), out->host + k * row, row);
  }
  return results;
}

}  // namespace clcsim::conformance
