#include "context/context.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "context/host_cost.h"
#include "player/record.h"

namespace clcsim::context {

namespace {

// A program that asks so often waits, in truth.
constexpr std::uint32_t kPatience = 4096;

thread_local Context* of_this_thread = nullptr;
Context& (*make_of_process)() = nullptr;
std::atomic<Context*> of_the_process = nullptr;

}  // namespace

Context& Context::current() {
  if (of_this_thread != nullptr) return *of_this_thread;
  Context* const context = &make_of_process();
  of_the_process = context;
  return *context;
}

Context* Context::existing() {
  return of_this_thread != nullptr ? of_this_thread : of_the_process.load();
}

void Context::set_current(Context* context) {
  of_this_thread = context;
}

bool Context::of_process(Context& (*make)()) {
  make_of_process = make;
  return true;
}

Context::Context(const config::Profile& profile, std::uint64_t seed,
                 const machine::BlockLauncher::Answers& answers, const Watch& watch, Caller& caller)
    : caller_(caller),
      seed_(seed),
      gpu_(profile, seed),
      streams_(gpu_),
      copies_(gpu_, streams_, caller),
      registry_(gpu_.memory(), gpu_.profile(), caller),
      allocations_(gpu_.memory(), caller),
      graphs_(streams_),
      findings_(watch.report, watch.accepted),
      checker_(watch.check, gpu_.memory(), [this, found = watch.found](machine::Finding finding) {
        if (finding.call != nullptr) finding.host = caller_.text_of_place(finding.call);
        const std::size_t entry = findings_.add(finding);
        if (recorder_) recorder_->found(finding, entry);
        const report::FindingReport::Entry& added = findings_.entries()[entry];
        if (added.count == 1 && added.accepted.empty() && found) found(finding);
      }) {
  gpu_.set_answers(answers);
  gpu_.set_print(watch.print);
  gpu_.attach(&checker_);
  if (watch.statistics) {
    statistics_ = std::make_unique<report::Statistics>(gpu_);
    gpu_.attach(statistics_.get());
  }
  if (watch.timeline) {
    report::Timeline::Limits limits;
    if (watch.record) limits.requests = std::size_t{1} << 20;
    timeline_ = std::make_unique<report::Timeline>(profile, seed, limits);
    gpu_.attach(timeline_.get());
  }
  if (watch.record) {
    recorder_ = std::make_unique<player::Recorder>(gpu_);
    gpu_.attach(recorder_.get());
  }
}

Context::~Context() = default;

Time Context::cycles(double microseconds) const {
  return static_cast<Time>(std::llround(microseconds * profile().clock_khz / 1000.0));
}

double Context::milliseconds(Time cycles) const {
  return static_cast<double>(cycles) / profile().clock_khz;
}

Time Context::issue_time() const {
  return host_now_ + cycles(kDelivery);
}

void Context::note_launch() {
  launched_ = true;
  caller_.launched();
}

void Context::submit(Stream& stream, machine::Launch launch, std::function<void()> ended,
                     bool early) {
  auto start = [this, gap = cycles(kKernelGap), launch = std::move(launch),
                ended = std::move(ended)](const OperationPtr& self, Time when) mutable {
    launch.standing = self->standing;
    if (self->primary && !self->primary->finished) {
      self->primary->awaited = true;
      launch.awaits = self->primary->standing.operation;
    }
    const auto done = [this, self, ended](Time end) {
      if (ended) ended();
      streams_.finish(self, end);
    };
    const auto triggered = [this, self](Time time) { streams_.trigger(self, time); };
    gpu_.submit(std::move(launch), when + gap, done, triggered);
  };
  streams_.enqueue_kernel(stream, issue_time(), early, std::move(start));
  if (streams_.several()) checker_.watch_together();
}

// ---- waiting ----

void Context::catch_up() {
  caller_.run_to(host_now_);
  look_for_fault();
}

void Context::run_until(const std::function<bool()>& condition) {
  catch_up();
  if (condition()) return;
  const bool reached = caller_.run_until(condition);
  host_now_ = std::max(host_now_, gpu_.now()) + cycles(kNotice);
  look_for_fault();
  demand(reached, cudaErrorUnknown);
}

void Context::wait_for(OperationPtr operation) {
  run_until([&] { return !operation || operation->finished; });
  if (operation) streams_.order().heard_of(operation->standing);
}

void Context::wait_for_all() {
  run_until([&] { return streams_.idle(); });
  streams_.order().heard_of_all();
}

void Context::ask(const std::function<bool()>& done) {
  catch_up();
  if (done()) {
    asked_in_vain_ = 0;
    return;
  }
  // Then a deadlock must be seen: a step forward shows whether anything can still happen.
  if (++asked_in_vain_ % kPatience == 0) {
    caller_.asked_in_vain();
    keep_up();
    look_for_fault();
  }
  throw Failure{cudaErrorNotReady};
}

// ---- functions of the host ----

OperationPtr Context::enqueue_host_function(Stream& stream, std::function<void()> function) {
  caller_.function_expected();
  ++unfinished_functions_;
  return streams_.enqueue(
      stream, issue_time(), nullptr,
      [this, function = std::move(function)](const OperationPtr& self, Time when) {
        gpu_.at(when, [this, function, self] { caller_.call_function(function, self); });
      });
}

void Context::function_returned(const OperationPtr& operation) {
  --unfinished_functions_;
  streams_.finish(operation, gpu_.now());
}

// ---- errors ----

void Context::look_for_fault() {
  const machine::DeviceFault* fault = gpu_.fault();
  if (fault != nullptr && lost_ == cudaSuccess) lost_ = error_of(fault->kind);
  demand_context();
}

void Context::reset() {
  if (lost_ != cudaSuccess) {
    lost_ = cudaErrorDevicesUnavailable;  // so on a GPU: the process can't use it any more
    return;
  }
  wait_for_all();
  registry_.unload();
  allocations_.clear();
  gpu_.memory().empty_heap();
  streams_.clear();
  events_.clear();
  graphs_.clear();
  limits_ = kFirstLimits;
  gpu_.memory().set_heap_capacity(limits_[cudaLimitMallocHeapSize]);
}

void Context::refuse(const std::string& sentence, cudaError_t error) {
  if (refused_.insert(sentence).second) caller_.refuse(sentence);
  throw Failure{.error = error, .told = true};
}

// ---- what came of it ----

void Context::attach(Attached& attached) {
  attached_ = &attached;
  attached.attached(profile(), seed_);
  gpu_.attach(&attached);
}

std::string Context::record_json(const report::TimelineView& view, const std::string& command) {
  return player::record_json(timeline(), recorder_->finish(), findings_, view, command);
}

}  // namespace clcsim::context
