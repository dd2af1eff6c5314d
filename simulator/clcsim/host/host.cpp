#include "host/host.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

#include "report/source.h"

namespace clcsim::host {
namespace {

// So often the clock on the wall is looked at, and so often who waits is told.
constexpr std::uint32_t kStepsBetweenLooks = 2048;
constexpr std::chrono::milliseconds kTellEvery(100);
constexpr std::size_t kMostPrinted = 1 << 16;

}  // namespace

Host::Host(const Settings& settings, std::string ptx)
    : settings_(settings),
      ptx_(std::move(ptx)),
      context_(settings.profile, settings.seed, settings.answers,
               {.check = settings.check,
                .accepted = settings.accepted,
                .statistics = true,
                .timeline = settings.record,
                .record = settings.record,
                .report = [this](const std::string& text) { text_ += text; },
                .print =
                    [this](const std::string& text) {
                      printed_ += text.substr(0, kMostPrinted - printed_.size());
                    }},
               *this) {
  context::Context::set_current(&context_);
  cudaGetLastError();  // of the run before
}

// ---- waiting ----

void Host::look_at_limits() {
  const Clock::time_point now = Clock::now();
  if (std::chrono::duration<double>(now - made_).count() >= settings_.seconds) {
    stopped_ = "the run was stopped after " + std::to_string(std::lround(settings_.seconds)) +
               " seconds, at cycle " + std::to_string(gpu_.now()) + ", before it was done";
  }
  if (!settings_.progress || now - told_ < kTellEvery) return;
  told_ = now;
  settings_.progress({gpu_.now(), gpu_.instructions(), context_.statistics()->started()});
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
      return condition() || gpu_.now() >= settings_.cycles || !stopped_.empty();
    });
  }
  if (gpu_.now() >= settings_.cycles) {
    stopped_ = "the run was stopped at its limit of " + std::to_string(settings_.cycles) +
               " cycles, before it was done";
  }
  if (!stopped_.empty()) throw context::Failure{.error = kStopped, .told = true};
  return ran;
}

bool Host::run_until(const std::function<bool()>& condition) {
  const machine::Gpu::Ran ran = advance(machine::kNever, condition);
  if (ran == machine::Gpu::Ran::stuck) gpu_.report_deadlock();
  return ran == machine::Gpu::Ran::reached;
}

void Host::asked_in_vain() {
  bool stepped = false;
  run_until([&] { return std::exchange(stepped, true); });
}

void Host::call_function(std::function<void()> function, context::OperationPtr operation) {
  function();
  context_.function_returned(operation);
}

context::Failure Host::give_up(const std::string& sentence) {
  refuse(sentence);
  return {.error = cudaErrorNotSupported, .told = true};
}

// ---- kernels ----

const void* Host::kernel(const std::string& kernel) {
  if (binary_ == nullptr) {
    auto module = std::make_unique<machine::Module>(ptx_, gpu_.memory());
    binary_ = context_.registry().add_binary(ptx_, std::move(module));
  }
  machine::Module& module = context_.registry().load(*binary_);
  const std::vector<std::string_view> names = module.kernel_names();
  for (const std::string_view name : names) {
    const bool only = kernel.empty() && names.size() == 1;
    if (!only && name != kernel && report::kernel_name(std::string(name)) != kernel) continue;
    const std::string lack = context::lack_of_local_memory(*module.kernel(name));
    if (!lack.empty()) throw Refusal("the kernel " + kernel + " can't be run: " + lack);
    const auto [known, is_new] = kernels_.emplace(name);
    if (is_new) context_.registry().add_kernel(binary_, &*known, *known);
    return &*known;
  }
  if (kernel.empty()) {
    throw Refusal("the PTX has " + std::to_string(names.size()) + " kernels: name one");
  }
  throw Refusal("the PTX has no kernel " + kernel);
}

const ptx::Program& Host::program(const std::string& kernel) {
  return context_.registry().program(context_.registry().kernel(this->kernel(kernel)));
}

void Host::name(const void* handle, const std::string& kernel) {
  const auto* const mangled = static_cast<const std::string*>(this->kernel(kernel));
  context_.registry().add_kernel(binary_, handle, *mangled);
}

cudaError_t Host::launch(const std::string& name, const Shape& shape,
                         const std::vector<Argument>& arguments) {
  const void* const handle = kernel(name);
  const std::vector<ptx::Parameter>& parameters = program(name).parameters;
  const bool fit =
      std::equal(parameters.begin(), parameters.end(), arguments.begin(), arguments.end(),
                 [](const ptx::Parameter& a, const Argument& b) { return a.size == b.size; });
  if (!fit) throw Refusal("the kernel's parameters are not those that its host gives");
  std::vector<void*> values;
  for (const Argument& argument : arguments) values.push_back(const_cast<void*>(argument.value));

  cudaLaunchAttribute attributes[2] = {};
  cudaLaunchConfig_t config = {};
  config.gridDim = shape.grid;
  config.blockDim = shape.block;
  config.dynamicSmemBytes = static_cast<std::size_t>(shape.shared);
  config.stream = shape.stream;
  config.attrs = attributes;
  const auto add = [&](cudaLaunchAttributeID id) -> cudaLaunchAttributeValue& {
    attributes[config.numAttrs].id = id;
    return attributes[config.numAttrs++].val;
  };
  if (shape.cluster.x != 0) {
    add(cudaLaunchAttributeClusterDimension).clusterDim = {shape.cluster.x, shape.cluster.y,
                                                           shape.cluster.z};
  }
  if (shape.early) {
    add(cudaLaunchAttributeProgrammaticStreamSerialization).programmaticStreamSerializationAllowed =
        1;
  }
  context_.registry().kernel(handle).max_dynamic_shared = shape.shared;
  return cudaLaunchKernelExC(&config, handle, values.data());
}

std::string Host::record(const std::string& command) {
  return context_.has_record() ? context_.record_json({}, command) : "";
}

}  // namespace clcsim::host
