#include "host/host.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "cudart/failure.h"
#include "cudart/host_cost.h"
#include "machine/fault.h"
#include "report/source.h"

namespace clcsim::host {
namespace {

using cudart::demand;
using cudart::OperationPtr;

constexpr double kMebibyte = 1 << 20;
// So often the clock on the wall is looked at, and so often who waits is told.
constexpr std::uint32_t kStepsBetweenLooks = 2048;
constexpr std::chrono::milliseconds kTellEvery(100);

std::uint64_t address_of(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

}  // namespace

Host::Host(const Settings& settings, const std::string& ptx)
    : Session(settings.profile, settings.seed,
              {.check = settings.check,
               .accepted = settings.accepted,
               .statistics = true,
               .timeline = settings.record,
               .record = settings.record,
               .report = [this](const std::string& text) { text_ += text; },
               .print =
                   [this](const std::string& text) {
                     constexpr std::size_t kMost = 1 << 16;
                     if (printed_.size() < kMost)
                       printed_ += text.substr(0, kMost - printed_.size());
                   },
               // All memory that is copied from and to is this code's own.
               .is_mapped = [](std::uint64_t) { return true; }}),
      settings_(settings),
      ptx_(ptx) {
  gpu_.set_answers(settings.answers);
}

// ---- waiting: as in cudart/waiting.cpp, for a host of one thread ----

void Host::spend_quick() {
  spend(cudart::kQuickCall);
}

void Host::demand_context() const {
  const machine::DeviceFault* const fault = gpu_.fault();
  if (fault != nullptr) throw cudart::Failure{cudart::error_of(fault->kind)};
}

void Host::look_at_limits() {
  const Clock::time_point now = Clock::now();
  if (std::chrono::duration<double>(now - made_).count() >= settings_.seconds) {
    throw Stopped("the run was stopped after " + std::to_string(std::lround(settings_.seconds)) +
                  " seconds, at cycle " + std::to_string(gpu_.now()) + ", before it was done");
  }
  if (!settings_.progress || now - told_ < kTellEvery) return;
  told_ = now;
  settings_.progress({gpu_.now(), gpu_.instructions(), statistics_->started()});
}

// With machine::kNever the condition counts, else the time.
machine::Gpu::Ran Host::advance(Time when, const std::function<bool()>& condition) {
  machine::Gpu::Ran ran = machine::Gpu::Ran::reached;
  if (when != machine::kNever) {
    ran = gpu_.advance(std::min(when, settings_.cycles));
  } else {
    std::uint32_t steps = 0;
    ran = gpu_.advance([&] {
      if (++steps % kStepsBetweenLooks == 0) look_at_limits();
      return condition() || gpu_.now() >= settings_.cycles;
    });
  }
  if (gpu_.now() >= settings_.cycles) {
    throw Stopped("the run was stopped at its limit of " + std::to_string(settings_.cycles) +
                  " cycles, before it was done");
  }
  return ran;
}

void Host::catch_up() {
  advance(host_now_, {});
  demand_context();
}

void Host::wait_until(const std::function<bool()>& condition) {
  catch_up();
  if (condition()) return;
  const machine::Gpu::Ran ran = advance(machine::kNever, condition);
  if (ran == machine::Gpu::Ran::stuck) gpu_.report_deadlock();
  notice();
  demand_context();
  demand(ran == machine::Gpu::Ran::reached, cudaErrorUnknown);
}

void Host::device_synchronize() {
  spend(cudart::kQueryCall);
  demand_context();
  wait_until([&] { return streams_.idle(); });
  streams_.order().heard_of_all();
}

// ---- memory ----

std::uint64_t Host::malloc(std::size_t bytes) {
  spend(cudart::kAllocateCall);
  demand_context();
  spend(static_cast<double>(bytes) / kMebibyte * cudart::kAllocateMiB);
  streams_.order().heard_of_all();
  const machine::Allocation* made =
      gpu_.memory().allocate(bytes, machine::Allocation::Kind::device);
  if (made == nullptr) {
    throw Refusal("there is no memory for " + std::to_string(bytes) +
                  " bytes: give fewer elements");
  }
  return made->address;
}

void Host::free(std::uint64_t memory) {
  spend(cudart::kFreeCall);
  demand_context();
  wait_until([&] { return streams_.idle(); });
  streams_.order().heard_of_all();
  gpu_.memory().free(memory);
}

void Host::copy(std::uint64_t to, std::uint64_t from, std::size_t bytes, cudaMemcpyKind kind) {
  spend(cudart::kCopyCall);
  demand_context();
  const cudart::Copy copy =
      copies_.plan({.address = to}, {.address = from}, {.width = bytes}, kind);
  if (copy.route == cudart::Route::on_device) streams_.order().heard_of_all();
  const OperationPtr operation =
      copies_.enqueue(streams_.find(nullptr), issue_time(), copy, /*staged=*/false);
  if (copy.route == cudart::Route::on_device) return;
  wait_until([&] { return operation->finished; });
  streams_.order().heard_of(operation->standing);
}

void Host::copy_to_device(std::uint64_t to, const void* from, std::size_t bytes) {
  copy(to, address_of(from), bytes, cudaMemcpyHostToDevice);
}

void Host::copy_to_host(void* to, std::uint64_t from, std::size_t bytes) {
  copy(address_of(to), from, bytes, cudaMemcpyDeviceToHost);
}

void Host::copy_on_device(std::uint64_t to, std::uint64_t from, std::size_t bytes) {
  copy(to, from, bytes, cudaMemcpyDeviceToDevice);
}

void Host::clear(std::uint64_t memory, std::size_t bytes) {
  spend(cudart::kCopyCall);
  demand_context();
  const cudart::Fill fill = copies_.plan({.address = memory}, {.width = bytes}, 0);
  streams_.order().heard_of_all();
  copies_.enqueue(streams_.find(nullptr), issue_time(), fill);
}

void Host::mem_get_info() {
  spend(cudart::kQueryCall);
}

// ---- streams and events ----

cudaStream_t Host::create_stream(unsigned flags, int priority) {
  spend(cudart::kCreateCall);
  return streams_.create(flags, priority);
}

cudaEvent_t Host::create_event() {
  spend(cudart::kQueryCall);
  return events_.create(cudaEventDefault);
}

void Host::record(cudaEvent_t event, cudaStream_t stream) {
  spend(cudart::kEventCall);
  demand_context();
  events_.find(event).recorded =
      streams_.enqueue_marker(streams_.find(stream), issue_time(), nullptr, {});
}

void Host::synchronize(cudaEvent_t event) {
  spend(cudart::kQueryCall);
  demand_context();
  const OperationPtr recorded = events_.find(event).recorded;
  wait_until([&] { return recorded->finished; });
  streams_.order().heard_of(recorded->standing);
}

bool Host::query(cudaEvent_t event) {
  spend(cudart::kQueryCall);
  demand_context();
  const OperationPtr recorded = events_.find(event).recorded;
  catch_up();
  if (recorded->finished) streams_.order().heard_of(recorded->standing);
  return recorded->finished;
}

Time Host::elapsed(cudaEvent_t begin, cudaEvent_t end) {
  spend_quick();
  catch_up();
  return events_.find(end).recorded->ready - events_.find(begin).recorded->ready;
}

// ---- kernels ----

machine::Module& Host::module() {
  if (!module_) module_ = std::make_unique<machine::Module>(ptx_, gpu_.memory());
  return *module_;
}

std::uint64_t Host::variable(const std::string& name) {
  const machine::Allocation* const found = module().variable(name);
  if (found == nullptr) throw Refusal("the PTX has no variable " + name);
  return found->address;
}

const ptx::Program& Host::program(const std::string& kernel) {
  const std::vector<std::string_view> names = module().kernel_names();
  for (const std::string_view name : names) {
    const bool only = kernel.empty() && names.size() == 1;
    if (!only && name != kernel && report::kernel_name(std::string(name)) != kernel) continue;
    const ptx::Program& program = *module().kernel(name);
    const std::string lack = cudart::lack_of_local_memory(program);
    if (lack.empty()) return program;
    throw Refusal("the kernel " + kernel + " can't be run: " + lack);
  }
  if (kernel.empty()) {
    throw Refusal("the PTX has " + std::to_string(names.size()) + " kernels: name one");
  }
  throw Refusal("the PTX has no kernel " + kernel);
}

int Host::max_active_blocks(const std::string& kernel, std::uint64_t threads) {
  spend(cudart::kQueryCall);
  return cudart::blocks_per_sm(gpu_, {}, program(kernel), threads, 0);
}

void Host::allow_shared(const std::string& kernel) {
  spend(cudart::kQueryCall);
  program(kernel);
}

int Host::cluster_of(const std::string& kernel) {
  return static_cast<int>(cudart::cluster_of({}, {}, program(kernel)).count());
}

void Host::launch(const std::string& name, const Shape& shape,
                  const std::vector<Argument>& arguments) {
  spend(cudart::kLaunchCall);
  demand_context();
  const ptx::Program& program = this->program(name);
  cudart::Stream& stream = streams_.find(shape.stream);
  machine::Launch launch =
      cudart::check_launch({.grid = shape.grid,
                            .block = shape.block,
                            .shared = static_cast<std::size_t>(shape.shared),
                            .has_cluster = shape.cluster.x != 0,
                            .cluster = shape.cluster},
                           {.max_dynamic_shared = shape.shared}, program, profile());
  if (const std::string lack = cudart::lack_of_room(launch, profile()); !lack.empty()) {
    throw Refusal(lack);
  }
  bool fit = program.parameters.size() == arguments.size();
  launch.parameters.resize(program.parameter_bytes);
  for (std::size_t i = 0; fit && i < arguments.size(); ++i) {
    const ptx::Parameter& parameter = program.parameters[i];
    fit = parameter.size == arguments[i].size;
    if (fit) std::memcpy(&launch.parameters[parameter.offset], arguments[i].value, parameter.size);
  }
  if (!fit) throw Refusal("the kernel's parameters are not those that its host gives");
  launch.priority = stream.priority;
  submit(stream, std::move(launch), {}, shape.early);
}

std::string Host::record(const std::string& command) {
  if (!recorder_) return {};
  return record_json({}, command);
}

}  // namespace clcsim::host
