#include "cudart/session.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cudart/host_cost.h"
#include "player/record.h"

namespace clcsim::cudart {

Session::Session(const config::Profile& profile, std::uint64_t seed, const Watch& watch)
    : gpu_(profile, seed),
      streams_(gpu_),
      copies_(gpu_, streams_, watch.is_mapped),
      findings_(watch.report, watch.accepted),
      checker_(watch.check, gpu_.memory(),
               [this, found = watch.found](const machine::Finding& finding) {
                 const std::size_t entry = findings_.add(finding);
                 if (recorder_) recorder_->found(finding, entry);
                 const report::FindingReport::Entry& added = findings_.entries()[entry];
                 if (added.count == 1 && added.accepted.empty() && found) found(finding);
               }) {
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

Time Session::cycles(double microseconds) const {
  return static_cast<Time>(std::llround(microseconds * profile().clock_khz / 1000.0));
}

double Session::milliseconds(Time cycles) const {
  return static_cast<double>(cycles) / profile().clock_khz;
}

Time Session::issue_time() const {
  return host_now_ + cycles(kDelivery);
}

void Session::notice() {
  host_now_ = std::max(host_now_, gpu_.now()) + cycles(kNotice);
}

void Session::submit(Stream& stream, machine::Launch launch, std::function<void()> ended,
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

std::string Session::record_json(const report::TimelineView& view, const std::string& command) {
  return player::record_json(timeline_->finish(gpu_.now()), recorder_->finish(), findings_, view,
                             command);
}

}  // namespace clcsim::cudart
