#include "report/timeline_text.h"

#include <map>
#include <sstream>

#include "report/timeline_words.h"

namespace clcsim::report {
namespace {

using machine::Time;
using Lines = std::multimap<Time, std::string>;

class PanelText {
 public:
  explicit PanelText(const Panel& panel) : panel_(panel) {}

  std::string text() {
    for (const LaunchRecord* launch : panel_.launches) {
      for (const auto& [slot, row] : launch->rows)
        for (const Span& span : row) add(slot, span.begin, span.end, tile(*launch, span));
      for (const RequestRecord& request : launch->requests)
        add(request.slot, request.issued, request.answered, answer(*launch, request));
      if (launch->requests.empty())
        for (const auto& [slot, time] : launch->meetings)
          add(slot, time, time, "all threads of the block meet at a barrier");
    }
    std::string text = "\n" + describe(panel_);
    text.back() = '\n';  // a space
    for (const LaunchRecord* launch : panel_.launches)
      if (panel_.launches.size() > 1)
        text += launch->kernel + ": launched at cycle " + at(launch->submitted) +
                ", first block at " + at(launch->started) + ", done at " + at(launch->finished) +
                "\n";
    for (const auto& [slot, lines] : rows_) {
      text += "SM " + std::to_string(slot.sm) + ", slot " + std::to_string(slot.number) + "\n";
      for (const auto& [time, line] : lines) text += "  " + line + "\n";
    }
    return text;
  }

 private:
  std::string at(Time time) const { return std::to_string(time - panel_.begin); }

  void add(const Slot& slot, Time begin, Time end, const std::string& what) {
    if (begin - panel_.begin >= panel_.shown) return;
    const std::string when =
        end > begin ? "cycles " + at(begin) + " to " + at(end) : "cycle " + at(begin);
    rows_[slot].emplace(begin, when + ": " + what);
  }

  std::string block(const LaunchRecord& launch, std::uint64_t linear) const {
    return "block " + index_text(launch.grid, linear) +
           (panel_.launches.size() > 1 ? " of " + launch.kernel : "");
  }

  std::string tile(const LaunchRecord& launch, const Span& span) const {
    if (span.tiles > 1)
      return std::to_string(span.tiles) + " tiles of " + launch.kernel + ", " +
             std::to_string(span.stolen) + " stolen";
    return block(launch, span.block) +
           (span.stolen != 0
                ? " does the work of block " + index_text(launch.grid, span.tile) + ", stolen"
                : " does its own work") +
           (span.prologue != 0 ? ", with its prologue to " + at(span.begin + span.prologue) : "");
  }

  std::string answer(const LaunchRecord& launch, const RequestRecord& request) const {
    const std::string asks = block(launch, request.block) + " asks, ";
    if (request.answered == 0) return asks + "and there is no answer";
    if (request.granted) return asks + "and wins block " + index_text(launch.grid, request.stolen);
    return asks +
           (request.blocks_waited ? "and fails although blocks wait" : "and fails: no block waits");
  }

  const Panel& panel_;
  std::map<Slot, Lines> rows_;
};

}  // namespace

std::string timeline_text(const TimelineRecord& record, const TimelineView& view) {
  std::vector<Panel> panels = panels_of(record, view);
  choose_scale(panels, view.cycles);
  std::string text = "clcsim, GPU " + record.gpu + " (" +
                     count(static_cast<std::uint64_t>(record.sms), "SM") + ")";
  if (record.seed != 0) text += ", hostile schedule of seed " + std::to_string(record.seed);
  if (panels.empty()) text += ": no kernel ran";
  if (record.forgotten != 0)
    text += "; " + std::to_string(record.forgotten) + " earlier launches are not kept";
  text += "\n";
  for (const Panel& panel : panels) text += PanelText(panel).text();
  if (record.lost_requests != 0) text += count(record.lost_requests, "request") + " more\n";
  return text;
}

}  // namespace clcsim::report
