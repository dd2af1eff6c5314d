// The format: "Trace Event Format", the document of the Chromium project that Perfetto refers to.
// ph X is a stretch with a duration, i an instant, s and f the ends of an arrow, M metadata.
#include "report/timeline_json.h"

#include "report/json.h"

namespace clcsim::report {
namespace {

using machine::Dim3;
using machine::Time;

std::string index_text(const Dim3& grid, std::uint64_t linear) {
  const Dim3 index = index_of(grid, linear);
  if (grid.y == 1 && grid.z == 1) return std::to_string(index.x);
  return "(" + std::to_string(index.x) + "," + std::to_string(index.y) +
         (grid.z == 1 ? "" : "," + std::to_string(index.z)) + ")";
}

std::string size_text(const Dim3& size) {
  return std::to_string(size.x) + "x" + std::to_string(size.y) + "x" + std::to_string(size.z);
}

class Trace {
 public:
  explicit Trace(const TimelineRecord& record) : record_(record) {}

  std::string text(const TimelineView& view) {
    text_ = "{\"traceEvents\":[";
    for (const Panel& panel : panels_of(record_, view)) {
      for (const LaunchRecord* launch : panel.launches) add_launch(*launch);
    }
    text_ += "\n],\n\"displayTimeUnit\":\"ms\",\n\"otherData\":{";
    text_ += "\"simulator\":\"clcsim\",\"gpu\":" + json_string(record_.gpu);
    text_ += ",\"SMs\":" + number(std::uint64_t(record_.sms));
    text_ += ",\"seed\":" + number(record_.seed);
    text_ +=
        ",\"time\":\"model cycles: 1 microsecond on the screen is 1 cycle of the simulated "
        "SM clock\"";
    text_ += ",\"launches left out\":" + number(record_.forgotten);
    text_ += ",\"cycles up to which neighbouring tiles are joined\":" + number(record_.resolution);
    text_ += ",\"requests left out\":" + number(record_.lost_requests);
    return text_ + "}}\n";
  }

 private:
  static std::string number(std::uint64_t value) { return std::to_string(value); }

  // Begins an event; the caller adds what is particular to it and a closing brace.
  void begin(char phase, const std::string& name, std::uint64_t tid) {
    text_ += first_ ? "\n" : ",\n";
    first_ = false;
    text_ += std::string("{\"ph\":\"") + phase + "\",\"pid\":" + number(launch_->serial) +
             ",\"tid\":" + number(tid) + ",\"name\":" + json_string(name);
  }

  void add_name(const char* what, std::uint64_t tid, const std::string& name) {
    begin('M', what, tid);
    text_ += ",\"args\":{\"name\":" + json_string(name) + "}}";
  }

  void add_order(const char* what, std::uint64_t tid, std::uint64_t place) {
    begin('M', what, tid);
    text_ += ",\"args\":{\"sort_index\":" + number(place) + "}}";
  }

  // `arguments` is the inside of a JSON object.
  void add_stretch(const std::string& name, const char* category, std::uint64_t tid, Time from,
                   Time to, const std::string& arguments) {
    begin('X', name, tid);
    text_ += std::string(",\"cat\":\"") + category + "\",\"ts\":" + number(from) +
             ",\"dur\":" + number(to - from) + ",\"args\":{" + arguments + "}}";
  }

  void add_launch(const LaunchRecord& launch) {
    launch_ = &launch;
    add_name("process_name", 0,
             "launch " + number(launch.serial) + ": " + launch.kernel +
                 (launch.priority == 0 ? "" : ", priority " + std::to_string(launch.priority)));
    add_order("process_sort_index", 0, launch.serial);
    add_name("thread_name", 0, "launch");
    std::string arguments = "\"grid\":\"" + size_text(launch.grid) + "\",\"block\":\"" +
                            size_text(launch.block) + "\",\"cluster\":\"" +
                            size_text(launch.cluster) +
                            "\",\"priority\":" + std::to_string(launch.priority);
    arguments += ",\"blocks started\":" + number(launch.counts.blocks_started);
    arguments += ",\"blocks stolen\":" + number(launch.counts.blocks_stolen);
    arguments += ",\"requests refused\":" + number(launch.counts.requests_refused);
    arguments += std::string(",\"complete\":") + (launch.complete ? "true" : "false");
    if (launch.started > launch.submitted) {
      add_stretch("waits", "launch", 0, launch.submitted, launch.started, "");
    }
    add_stretch(launch.kernel, "launch", 0, launch.started, launch.finished, arguments);

    std::map<Slot, std::uint64_t> threads;
    for (const auto& [slot, row] : launch.rows) threads.emplace(slot, 0);
    for (const RequestRecord& request : launch.requests) threads.emplace(request.slot, 0);
    std::uint64_t tid = 0;
    for (auto& [slot, id] : threads) {
      id = ++tid;
      add_name("thread_name", id, "SM " + number(slot.sm) + " slot " + number(slot.number));
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
      return add_stretch(number(span.tiles) + " tiles", "joined", tid, span.begin, span.end,
                         "\"first\":" + json_string("block " + index_text(grid, span.tile)) +
                             ",\"stolen\":" + number(span.stolen) + ",\"busy\":" +
                             number(span.busy) + ",\"prologue\":" + number(span.prologue));
    }
    const bool kept = span.request != 0 && span.request <= launch_->requests.size();
    std::string arguments = "\"done by\":" + json_string("block " + index_text(grid, span.block));
    if (kept) {
      const RequestRecord& request = launch_->requests[span.request - 1];
      arguments += ",\"request\":" + number(span.request) +
                   ",\"asked at\":" + number(request.issued) +
                   ",\"answered at\":" + number(request.answered);
    }
    add_stretch("block " + index_text(grid, span.tile), span.stolen != 0 ? "stolen" : "own", tid,
                span.begin, span.end, arguments);
    if (span.prologue != 0) {
      add_stretch("prologue", "prologue", tid, span.begin, span.begin + span.prologue, "");
    }
    if (!kept) return;
    // From the tile in which the block asked to the one that it got.
    const RequestRecord& request = launch_->requests[span.request - 1];
    add_arrow_end('s', request.issued, threads.at(request.slot), "");
    add_arrow_end('f', span.begin, tid, ",\"bp\":\"e\"");
  }

  void add_arrow_end(char phase, Time time, std::uint64_t tid, const char* binding) {
    arrows_ += phase == 's';
    begin(phase, "steal", tid);
    text_ +=
        ",\"cat\":\"steal\",\"id\":" + number(arrows_) + ",\"ts\":" + number(time) + binding + "}";
  }

  void add_refusal(const RequestRecord& request, const std::map<Slot, std::uint64_t>& threads) {
    begin('i', request.blocks_waited ? "refused, though blocks waited" : "refused: no block waited",
          threads.at(request.slot));
    text_ += ",\"cat\":\"refused\",\"s\":\"t\",\"ts\":" + number(request.answered) +
             ",\"args\":{\"asked at\":" + number(request.issued) + "}}";
  }

  const TimelineRecord& record_;
  const LaunchRecord* launch_ = nullptr;
  std::string text_;
  bool first_ = true;
  std::uint64_t arrows_ = 0;
};

}  // namespace

std::string timeline_json(const TimelineRecord& record, const TimelineView& view) {
  return Trace(record).text(view);
}

}  // namespace clcsim::report
