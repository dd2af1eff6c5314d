#include "cudart/runtime.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "cudart/errors.h"
#include "cudart/host_cost.h"
#include "cudart/leave.h"
#include "report/timeline_file.h"

namespace clcsim::cudart {
namespace {

launcher::Options read_options() {
  try {
    return launcher::read_environment(std::getenv);
  } catch (const launcher::OptionError& error) {
    leave_refused(error.what());
  }
}

checks::Level level_of(launcher::Check check) {
  switch (check) {
    case launcher::Check::off:
      return checks::Level::off;
    case launcher::Check::memory:
      return checks::Level::memory;
    case launcher::Check::all:
      break;
  }
  return checks::Level::all;
}

// What the program has printed so far comes first.
void write_report(const std::string& text) {
  std::fflush(stdout);
  std::fputs(text.c_str(), stderr);
}

void write_file(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  const bool written = file != nullptr && std::fputs(text.c_str(), file) >= 0;
  if (file != nullptr && std::fclose(file) == 0 && written) return;
  leave_refused(path + " can't be written");
}

}  // namespace

Runtime& Runtime::get() {
  static Runtime* const runtime = [] {
    const launcher::Options options = read_options();
    return new Runtime(options, *machine::find_profile(options.gpu));
  }();
  return *runtime;
}

Runtime::Runtime(const launcher::Options& options, const machine::Profile& profile)
    : options_(options),
      gpu_(profile, options.seed),
      streams_(gpu_),
      allocations_(gpu_.memory()),
      copies_(gpu_, streams_),
      findings_(write_report),
      checker_(level_of(options_.check), gpu_.memory(),
               [this](const machine::Finding& finding) { findings_.add(finding); }) {
  gpu_.set_print([](const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); });
  gpu_.attach(&checker_);
  if (options_.stats) {
    statistics_ = std::make_unique<report::Statistics>(gpu_);
    gpu_.attach(statistics_.get());
  }
  if (!options_.timeline.empty()) {
    timeline_ = std::make_unique<report::Timeline>(profile, options.seed);
    gpu_.attach(timeline_.get());
    write_timeline();  // what can't be written is refused before the program starts
  }
  if (!options_.check_json.empty()) write_file(options_.check_json, findings_.json());
  on_exit([](int status, void* self) { static_cast<Runtime*>(self)->at_exit(status); }, this);
}

// ---- time ----

Time Runtime::cycles(double microseconds) const {
  return static_cast<Time>(std::llround(microseconds * profile().clock_khz / 1000.0));
}

double Runtime::milliseconds(Time cycles) const {
  return static_cast<double>(cycles) / profile().clock_khz;
}

Time Runtime::issue_time() const {
  return host_now_ + cycles(kDelivery);
}

// ---- waiting ----

void Runtime::catch_up() {
  gpu_.run_until(host_now_);
  look_for_fault();
}

void Runtime::run_until(const std::function<bool()>& condition) {
  catch_up();
  if (condition()) return;
  const bool reached = gpu_.run_until(condition);
  host_now_ = std::max(host_now_, gpu_.now()) + cycles(kNotice);
  look_for_fault();
  demand(reached, cudaErrorUnknown);
}

void Runtime::wait_for(const OperationPtr& operation) {
  run_until([&] { return !operation || operation->finished; });
}

void Runtime::wait_for_all() {
  run_until([&] { return streams_.idle(); });
}

void Runtime::ask(const std::function<bool()>& done) {
  catch_up();
  if (done()) {
    asked_in_vain_ = 0;
    return;
  }
  // A program that asks again and again waits, in truth: then a deadlock must be seen. One step
  // forward shows whether anything can still happen.
  constexpr std::uint32_t kPatience = 4096;
  if (++asked_in_vain_ % kPatience == 0) {
    bool stepped = false;
    gpu_.run_until([&] { return std::exchange(stepped, true); });
    host_now_ = std::max(host_now_, gpu_.now());
    look_for_fault();
  }
  throw Failure{cudaErrorNotReady};
}

// ---- errors ----

void Runtime::look_for_fault() {
  const machine::DeviceFault* fault = gpu_.fault();
  if (fault == nullptr) return demand_context();
  if (lost_ == cudaSuccess) {
    lost_ = error_of(fault->kind);
    if (fault->kind == machine::FaultKind::unsupported) refused_instruction_ = true;
  }
  demand_context();
}

void Runtime::reset() {
  if (lost_ != cudaSuccess) {
    lost_ = cudaErrorDevicesUnavailable;  // so on a GPU: the process can't use it any more
    return;
  }
  wait_for_all();
  registry_.unload(gpu_.memory());
  allocations_.clear();
  streams_.clear();
  events_.clear();
}

void Runtime::refuse(const std::string& sentence) {
  if (refused_.insert(sentence).second) write_report("clcsim: refused: " + sentence + "\n");
}

// ---- modules ----

machine::Module& Runtime::load(FatBinary& binary) {
  machine::Module& module = binary.module(gpu_.memory(), profile());
  registry_.publish_managed(&binary, module);
  return module;
}

Kernel& Runtime::kernel(const void* stub) {
  demand(stub != nullptr, cudaErrorInvalidDeviceFunction);
  Kernel* kernel = registry_.kernel(stub);
  demand(kernel != nullptr, cudaErrorInvalidResourceHandle);
  return *kernel;
}

const ptx::Program& Runtime::program(const Kernel& kernel) {
  try {
    const ptx::Program* program = load(*kernel.binary).kernel(kernel.name);
    demand(program != nullptr, cudaErrorInvalidDeviceFunction);
    return *program;
  } catch (const std::exception& error) {
    leave_refused("the kernel " + kernel.name + " can't be read: " + error.what());
  }
}

const machine::Allocation& Runtime::variable(const void* symbol) {
  const Variable* variable = registry_.variable(symbol);
  demand(variable != nullptr, cudaErrorInvalidSymbol);
  const machine::Allocation* allocation = load(*variable->binary).variable(variable->name);
  demand(allocation != nullptr, cudaErrorInvalidSymbol);
  return *allocation;
}

// ---- the end ----

void Runtime::write_timeline() {
  write_file(options_.timeline,
             report::timeline_text(options_.timeline, timeline_->finish(),
                                   {options_.timeline_launch, options_.timeline_cycles}));
}

void Runtime::at_exit(int status) {
  // Whether another thread is in a call or not, this one ends the process now.
  const std::unique_lock<std::mutex> lock(mutex, std::try_to_lock);
  findings_.write_summary();
  if (!streams_.idle() && lost_ == cudaSuccess) {
    write_report(
        "clcsim: the program ended without waiting for what it had launched; that never "
        "ran (cudaDeviceSynchronize waits)\n");
  }
  if (statistics_) write_report(statistics_->text());
  if (timeline_) write_timeline();
  if (!options_.check_json.empty()) write_file(options_.check_json, findings_.json());
  if (status != 0) return;
  if (findings_.findings() != 0) leave(kFindingStatus);
  if (!refused_.empty() || refused_instruction_) leave(kRefusedStatus);
}

}  // namespace clcsim::cudart
