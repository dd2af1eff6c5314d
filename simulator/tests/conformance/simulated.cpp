#include <cstring>
#include <map>
#include <set>
#include <stdexcept>

#include "config/profile.h"
#include "conformance/run.h"
#include "machine/gpu.h"
#include "machine/module.h"
#include "machine/tensor_map.h"

namespace clcsim::conformance {
namespace {

using ptx::Action;

/// The events that actions raise. Bulk copies to global memory raise none.
const std::map<Action, std::string> kEvents = {{Action::load, "a read"},
                                               {Action::copy, "a read"},
                                               {Action::store, "a write"},
                                               {Action::atomic, "an atomic"},
                                               {Action::swap, "an atomic"},
                                               {Action::reduce, "an atomic"},
                                               {Action::fence, "a fence"},
                                               {Action::init_fence, "a fence"},
                                               {Action::lanes_barrier, "lanes"},
                                               {Action::exchange, "lanes"},
                                               {Action::barrier_sync, "a barrier"},
                                               {Action::barrier_reduce, "a barrier"},
                                               {Action::barrier_arrive, "an arrival"},
                                               {Action::cluster_arrive, "a cluster"},
                                               {Action::cluster_wait, "a wait"},
                                               {Action::mbarrier_init, "init"},
                                               {Action::mbarrier_inval, "inval"},
                                               {Action::mbarrier_expect, "expect"},
                                               {Action::mbarrier_complete, "complete"},
                                               {Action::mbarrier_arrive, "arrive"},
                                               {Action::copy_track, "arrive"},
                                               {Action::mbarrier_wait, "wait"},
                                               {Action::request, "request"},
                                               {Action::bulk_copy, "request"},
                                               {Action::query, "a query"},
                                               {Action::decode, "a query"}};

/// Watches a run: keeps its findings, and notes for each instruction that was executed which events
/// named it, since what a form states as facts (ptx/facts.h) must be what its handler tells.
class Agreement : public machine::Observer {
 public:
  unsigned watches() const override { return ~0u; }
  const machine::WarpMarks* marks() const override { return &marks_; }
  void instruction_starts(machine::Warp&, const ptx::Instruction& in, machine::LaneMask) override {
    executed_.insert(&in);
  }
  void memory_accessed(const machine::Access& access) override {
    using Kind = machine::Access::Kind;
    note(access.in, access.kind == Kind::read    ? "a read"
                    : access.kind == Kind::write ? "a write"
                                                 : "an atomic");
  }
  void fenced(const machine::Executed& at) override { note(at.in, "a fence"); }
  void lanes_met(const machine::Executed& at, machine::LaneMask) override { note(at.in, "lanes"); }
  void block_barrier_arrived(const machine::Executed& at, std::uint32_t, std::uint32_t,
                             bool waits) override {
    note(at.in, waits ? "a barrier" : "an arrival");
  }
  void cluster_barrier_arrived(const machine::Executed& at) override { note(at.in, "a cluster"); }
  void cluster_barrier_passed(const machine::Executed& at) override { note(at.in, "a wait"); }
  void mbarrier_used(const machine::MbarrierUse& use) override {
    constexpr const char* kNames[] = {"init",   "inval", "expect", "complete",
                                      "arrive", "wait",  "request"};
    note(use.in, kNames[static_cast<int>(use.kind)]);
  }
  void queried(const machine::Query& query) override { note(query.in, "a query"); }
  void stopped(const machine::Finding& finding) override {
    findings +=
        (findings.empty() ? "" : "; ") + (finding.text.empty() ? "a deadlock" : finding.text);
  }

  std::string findings;

  /// What an instruction's facts promise and no event told, or the other way round; empty: nothing.
  std::string disagreement() const {
    for (const ptx::Instruction* in : executed_) {
      const auto [action, space, order, scope, proxy, growth] = in->facts;
      const auto promised = kEvents.find(action);
      const auto told = events_.find(in);
      if (told != events_.end()) {
        for (const std::string& event : told->second) {
          const bool copied = action == Action::copy && event == "a write";  // it reads and writes
          // elect.sync: its result depends on which lanes meet, on no value of theirs
          const bool elected = action == Action::compute && event == "lanes";
          if (!copied && !elected && (promised == kEvents.end() || event != promised->second))
            return "an event tells " + event + ", which its facts don't";
        }
      } else if (promised != kEvents.end() && space != ptx::Space::local &&
                 space != ptx::Space::param && action != Action::bulk_copy) {
        return "its facts promise " + promised->second + ", which no event tells";
      }
    }
    return {};
  }

 private:
  void note(const ptx::Instruction& in, const char* event) { events_[&in].insert(event); }

  const machine::WarpMarks marks_ = machine::WarpMarks(1024, 1);
  std::set<const ptx::Instruction*> executed_;
  std::map<const ptx::Instruction*, std::set<std::string>> events_;
};

}  // namespace

Results run_on_clcsim(const Case& c) {
  machine::Gpu gpu(*config::find_profile("mini"), 0);
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
  if (c.tensor) {
    const Tensor& of = *c.tensor;
    constexpr std::uint32_t kSteps[] = {1, 1, 1, 1, 1};
    machine::TensorMap map;
    machine::encode_tiled(&map, {2, static_cast<unsigned>(of.sizes.size()),
                                 (of.in_results ? out : in)->address + of.offset, of.sizes.data(),
                                 of.strides.data(), of.box.data(), kSteps, 0, of.swizzle});
    std::memcpy(launch.parameters.data() + program->parameters[2].offset, &map, sizeof map);
  }
  bool done = false;
  gpu.submit(std::move(launch), gpu.now(), [&](machine::Time) { done = true; });
  gpu.run_until([&] { return done; });
  if (gpu.fault() != nullptr) throw std::runtime_error(gpu.fault()->what);
  if (!agreement.findings.empty()) throw std::runtime_error(agreement.findings);
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
