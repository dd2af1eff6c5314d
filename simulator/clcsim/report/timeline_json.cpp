// The format: "Trace Event Format", the document of the Chromium project that Perfetto refers to.
// ph X is a stretch with a duration, i an instant, s and f the ends of an arrow, M metadata.
#include "report/timeline_json.h"

#include <map>

#include "config/options.h"
#include "report/json.h"
#include "report/timeline_words.h"

namespace clcsim::report {
namespace {

using machine::Dim3;
using machine::Time;

std::string block_text(const Dim3& grid, std::uint64_t linear) {
  const std::string index = index_text(grid, linear);
  return "block " + (grid.y == 1 && grid.z == 1 ? index : "(" + index + ")");
}

std::string size_in_full(const Dim3& size) {
  return std::to_string(size.x) + "x" + std::to_string(size.y) + "x" + std::to_string(size.z);
}

class Trace {
 public:
  explicit Trace(const TimelineRecord& record) : record_(record) {}

  std::string text(const TimelineView& view) {
    json_.value([&] {
      json_.array("traceEvents", [&] {
        for (const Panel& panel : panels_of(record_, view)) {
          for (const LaunchRecord* launch : panel.launches) add_launch(*launch);
        }
        json_.new_line();
      });
      json_.new_line();
      json_.members("displayTimeUnit", "ms");
      json_.new_line();
      json_.members("otherData", [&] {
        json_.members("simulator", "clcsim", "version", config::version(), "gpu", record_.gpu,
                      "SMs", record_.sms, "seed", record_.seed, "time",
                      "model cycles: 1 microsecond on the screen is 1 cycle of the simulated "
                      "SM clock",
                      "launches left out", record_.forgotten,
                      "cycles up to which neighbouring tiles are joined", record_.resolution,
                      "requests left out", record_.lost_requests);
      });
    });
    return json_.take() + "\n";
  }

 private:
  // `more`: names and values of what is particular to the event.
  void add(const char* phase, std::string_view name, std::uint64_t tid, const auto&... more) {
    json_.new_line();
    json_.value([&] {
      json_.members("ph", phase, "pid", launch_->serial, "tid", tid, "name", name, more...);
    });
  }

  void add_name(const char* what, std::uint64_t tid, const std::string& name) {
    add("M", what, tid, "args", [&] { json_.members("name", name); });
  }

  void add_order(const char* what, std::uint64_t tid, std::uint64_t place) {
    add("M", what, tid, "args", [&] { json_.members("sort_index", place); });
  }

  // `arguments` writes members.
  void add_stretch(const std::string& name, const char* category, std::uint64_t tid, Time from,
                   Time to, const std::invocable auto& arguments) {
    add("X", name, tid, "cat", category, "ts", from, "dur", to - from, "args", arguments);
  }

  void add_launch(const LaunchRecord& launch) {
    launch_ = &launch;
    add_name("process_name", 0,
             "launch " + std::to_string(launch.serial) + ": " + launch.kernel +
                 (launch.priority == 0 ? "" : ", priority " + std::to_string(launch.priority)));
    add_order("process_sort_index", 0, launch.serial);
    add_name("thread_name", 0, "launch");
    if (launch.started > launch.submitted) {
      add_stretch("waits", "launch", 0, launch.submitted, launch.started, [] {});
    }
    add_stretch(launch.kernel, "launch", 0, launch.started, launch.finished, [&] {
      json_.members("grid", size_in_full(launch.grid), "block", size_in_full(launch.block),
                    "cluster", size_in_full(launch.cluster), "priority", launch.priority,
                    "blocks started", launch.counts.blocks_started, "blocks stolen",
                    launch.counts.blocks_stolen, "requests failed", launch.counts.requests_refused,
                    "complete", launch.complete);
    });

    std::map<Slot, std::uint64_t> threads;
    for (const auto& [slot, row] : launch.rows) threads.emplace(slot, 0);
    for (const RequestRecord& request : launch.requests) threads.emplace(request.slot, 0);
    std::uint64_t tid = 0;
    for (auto& [slot, id] : threads) {
      id = ++tid;
      add_name("thread_name", id,
               "SM " + std::to_string(slot.sm) + " slot " + std::to_string(slot.number));
      add_order("thread_sort_index", id, id);
    }
    for (const auto& [slot, row] : launch.rows) {
      for (const Span& span : row) add_span(span, threads.at(slot), threads);
    }
    for (const RequestRecord& request : launch.requests) {
      if (request.answered != 0 && !request.granted) add_refusal(request, threads);
    }
  }

  void add_span(const Span& span, std::uint64_t tid, const std::map<Slot, std::uint64_t>& threads) {
    const Dim3& grid = launch_->grid;
    if (span.tiles > 1) {
      return add_stretch(std::to_string(span.tiles) + " tiles", "joined", tid, span.begin, span.end,
                         [&] {
                           json_.members("first", block_text(grid, span.tile), "stolen",
                                         span.stolen, "busy", span.busy, "prologue", span.prologue);
                         });
    }
    const bool kept = span.request != 0 && span.request <= launch_->requests.size();
    const RequestRecord* request = kept ? &launch_->requests[span.request - 1] : nullptr;
    add_stretch(block_text(grid, span.tile), span.stolen != 0 ? "stolen" : "own", tid, span.begin,
                span.end, [&] {
                  json_.members("done by", block_text(grid, span.block));
                  if (!kept) return;
                  json_.members("request", span.request, "asked at", request->issued, "answered at",
                                request->answered);
                });
    if (span.prologue != 0) {
      add_stretch("prologue", "prologue", tid, span.begin, span.begin + span.prologue, [] {});
    }
    if (!kept) return;
    // From the tile in which the block asked to the one that it got.
    ++arrows_;
    add("s", "steal", threads.at(request->slot), "cat", "steal", "id", arrows_, "ts",
        request->issued);
    add("f", "steal", tid, "cat", "steal", "id", arrows_, "ts", span.begin, "bp", "e");
  }

  void add_refusal(const RequestRecord& request, const std::map<Slot, std::uint64_t>& threads) {
    add("i", request.blocks_waited ? "failed although blocks waited" : "failed: no block waited",
        threads.at(request.slot), "cat", "refused", "s", "t", "ts", request.answered, "args",
        [&] { json_.members("asked at", request.issued); });
  }

  const TimelineRecord& record_;
  const LaunchRecord* launch_ = nullptr;
  JsonWriter json_;
  std::uint64_t arrows_ = 0;
};

}  // namespace

std::string timeline_json(const TimelineRecord& record, const TimelineView& view) {
  return Trace(record).text(view);
}

}  // namespace clcsim::report
