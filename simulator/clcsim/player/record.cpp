#include "player/record.h"

#include <algorithm>
#include <map>
#include <utility>

#include "player/columns.h"
#include "report/json.h"
#include "report/source.h"
#include "report/timeline_words.h"

namespace clcsim::player {
namespace {

using machine::Time;
using report::json_string;
using report::LaunchRecord;
using report::Panel;

// Above this many tiles, launches that repeat earlier ones are named only.
constexpr std::size_t kTilesKept = 12000;
// Of all launches together: what a warp or an mbarrier did, in items of about 7 characters.
constexpr std::size_t kItemsKept = 20000;
constexpr std::size_t kUseParts = 400;      // of the strip above the rows
constexpr std::uint32_t kLinesAround = 12;  // of source that are shown around those that ran

std::int64_t number(Time time) {
  return time == machine::kNever ? -1 : static_cast<std::int64_t>(time);
}

std::string dim(const machine::Dim3& size) {
  return "[" + std::to_string(size.x) + "," + std::to_string(size.y) + "," +
         std::to_string(size.z) + "]";
}

// "name":value, of an object that has begun.
std::string member(const char* name, const std::string& value) {
  return std::string(",\"") + name + "\":" + value;
}
std::string member(const char* name, std::uint64_t value) {
  return member(name, std::to_string(value));
}

// Each with all of its cycles.
std::vector<Panel> whole_panels(const report::TimelineRecord& timeline,
                                const report::TimelineView& view) {
  std::vector<Panel> panels = panels_of(timeline, view);
  for (Panel& panel : panels) panel.shown = std::max<Time>(1, panel.end - panel.begin);
  return panels;
}

class Writer {
 public:
  Writer(const report::TimelineRecord& timeline, const Details& details,
         const report::TimelineView& view)
      : timeline_(timeline), details_(details), panels_(whole_panels(timeline, view)) {}

  std::string text(const About& about) {
    choose();
    std::string text =
        "{\"version\":1" + member("gpu", json_string(timeline_.gpu)) +
        member("sms", static_cast<std::uint64_t>(timeline_.sms)) + member("seed", timeline_.seed) +
        member("command", json_string(about.command)) + member("latency", about.request_latency);
    std::string launches, panels;
    for (std::size_t p = 0; p < panels_.size(); ++p) {
      const Panel& panel = panels_[p];
      std::string numbers;
      for (const LaunchRecord* launch : panel.launches) {
        numbers += (numbers.empty() ? "" : ",") + std::to_string(launch_count_++);
        launches +=
            (launches.empty() ? "\n" : ",\n") + launch_text(panel, *launch, repeats_[p] < 0);
      }
      panels += (p == 0 ? "\n{\"launches\":[" : ",\n{\"launches\":[") + numbers + "]" +
                member("title", json_string(title_of(panel))) +
                member("facts", "[" + facts_text(panel) + "]") + member("begin", panel.begin) +
                member("end", panel.end) + member("slots", panel.slots) +
                member("colours", panel.colours) + member("use", json_string(use_text(panel))) +
                member("repeats", std::to_string(repeats_[p])) + "}";
    }
    text += ",\n\"panels\":[" + panels + "],\n\"launches\":[" + launches + "]";
    text += ",\n\"lines\":[" + lines_text() + "]";
    text += ",\n\"files\":[" + files_text() + "]";
    text += ",\n\"findings\":[" + findings_text() + "],\n\"notes\":[" + notes_text() + "]}\n";
    for (std::size_t at = 0; (at = text.find('<', at)) != text.npos;) {
      text.replace(at, 1, "\\u003c");
    }
    return text;
  }

 private:
  // Which panels are shown, and how many items of each launch.
  void choose() {
    std::size_t tiles = 0;
    for (const Panel& panel : panels_) tiles += tiles_of(panel);
    std::map<std::string, int> seen;
    std::size_t launches = 0;
    for (const Panel& panel : panels_) {
      std::string signature;
      for (const LaunchRecord* launch : panel.launches) {
        signature += launch->kernel + dim(launch->grid) + dim(launch->block) +
                     dim(launch->cluster) + std::to_string(launch->priority) + ";";
      }
      const int index = static_cast<int>(repeats_.size());
      const auto [first, is_new] = seen.try_emplace(signature, index);
      const bool dropped = !is_new && tiles > kTilesKept && !has_finding(panel);
      repeats_.push_back(dropped ? first->second : -1);
      dropped_ += dropped;
      if (!dropped) launches += panel.launches.size();
    }
    items_of_a_launch_ = kItemsKept / std::max<std::size_t>(1, launches);
  }

  // The words above the picture.
  static std::string facts_text(const Panel& panel) {
    std::string text = json_string(work_line(panel)) + "," + json_string(time_line(panel));
    for (const LaunchRecord* launch : panel.launches) {
      if (panel.urgent(*launch)) text += "," + json_string(waited(*launch));
    }
    return text;
  }

  // What all slots do in each part of the panel's time, in slot-cycles: prologue, own, stolen,
  // urgent.
  static std::string use_text(const Panel& panel) {
    Columns columns(4);
    for (const report::Use& use : report::use_of(panel, kUseParts)) {
      columns.add({number(use.prologue), number(use.own), number(use.stolen), number(use.urgent)});
    }
    return columns.text();
  }

  static std::size_t tiles_of(const Panel& panel) {
    std::size_t tiles = 0;
    for (const LaunchRecord* launch : panel.launches) {
      for (const auto& [slot, row] : launch->rows) tiles += row.size();
    }
    return tiles;
  }

  bool has_finding(const Panel& panel) const {
    return std::any_of(details_.findings.begin(), details_.findings.end(), [&](const auto& found) {
      return std::any_of(panel.launches.begin(), panel.launches.end(),
                         [&](const auto* launch) { return launch->serial == found.launch; });
    });
  }

  std::string launch_text(const Panel& panel, const LaunchRecord& launch, bool whole) {
    const machine::GridCounts& counts = launch.counts;
    std::string text = "{\"serial\":" + std::to_string(launch.serial) +
                       member("kernel", json_string(launch.kernel)) +
                       member("grid", dim(launch.grid)) + member("block", dim(launch.block)) +
                       member("cluster", dim(launch.cluster)) +
                       member("priority", std::to_string(launch.priority)) +
                       member("urgent", panel.urgent(launch) ? "true" : "false") +
                       member("submitted", launch.submitted) + member("started", launch.started) +
                       member("finished", launch.finished) +
                       member("complete", launch.complete ? "true" : "false") +
                       member("counts", "[" + std::to_string(counts.blocks_started) + "," +
                                            std::to_string(counts.blocks_stolen) + "," +
                                            std::to_string(counts.requests) + "," +
                                            std::to_string(counts.requests_granted) + "," +
                                            std::to_string(counts.requests_refused) + "]");
    if (whole) text += details_text(launch);
    return text + "}";
  }

  std::string details_text(const LaunchRecord& launch) {
    const auto found = details_.launches.find(launch.serial);
    static const LaunchDetail kNone;
    const LaunchDetail& detail = found == details_.launches.end() ? kNone : found->second;

    // sm, slot, idle cycles before, cycles, prologue, block, tile, tiles, request. Tiles are
    // counted from the one that the request got, or from the block's own.
    Columns rows(9);
    for (const auto& [slot, row] : launch.rows) {
      Time end = 0;
      for (const report::Span& span : row) {
        const bool kept = span.request != 0 && span.request <= detail.requests.size();
        const std::uint64_t from = kept ? detail.requests[span.request - 1].stolen : span.block;
        rows.add({slot.sm, slot.number, number(span.begin) - number(end),
                  number(span.end) - number(span.begin), number(span.prologue), number(span.block),
                  number(span.tile) - number(from), span.tiles, kept ? span.request : 0});
        end = span.end;
      }
    }
    std::string text = member("rows", json_string(rows.text()));
    Columns blocks(5);  // index, sm, started, finished, failure seen
    for (const BlockDetail& block : detail.blocks) {
      blocks.add({number(block.index), block.sm, number(block.started), number(block.finished),
                  number(block.failed)});
    }
    // issued, cycles until it was decided (-1: never), then until answered, block, warp, line,
    // response, mbarrier, what it says, stolen
    Columns requests(10);
    for (const RequestDetail& each : detail.requests) {
      const int says = each.granted ? 1 : each.blocks_waited ? 2 : 0;
      const bool decided = each.decided != 0;
      requests.add({number(each.issued), decided ? number(each.decided - each.issued) : -1,
                    decided ? number(each.answered - each.decided) : 0, number(each.block),
                    each.warp, each.line, each.response, each.mbarrier,
                    says | (each.multicast ? 4 : 0), number(each.stolen)});
    }
    return text + member("blocks", json_string(blocks.text())) +
           member("requests", json_string(requests.text())) + items_text(detail);
  }

  std::string items_text(const LaunchDetail& detail) {
    std::vector<Item> items = detail.first;
    items.insert(items.end(), detail.last.begin(), detail.last.end());
    std::stable_sort(items.begin(), items.end(),
                     [](const Item& a, const Item& b) { return a.time < b.time; });
    Time from = detail.lost_from, to = detail.lost_to;
    if (items.size() > items_of_a_launch_) {
      const std::size_t ahead = items_of_a_launch_ * 2 / 3;
      from = std::min(from, items[ahead].time);
      to = std::max(to, items[items.size() - (items_of_a_launch_ - ahead)].time);
    }
    if (from != machine::kNever) {
      std::erase_if(items, [&](const Item& item) { return item.time >= from && item.time <= to; });
      thinned_ = true;
    }
    std::vector<const Item*> steps, operations;
    for (const Item& item : items) {
      (item.kind <= Kind::exits ? steps : operations).push_back(&item);
    }
    std::stable_sort(steps.begin(), steps.end(), [](const Item* a, const Item* b) {
      return std::pair(a->block, a->warp) < std::pair(b->block, b->warp);
    });
    Columns step_columns(5);  // block and warp, time, line, kind and a, b
    for (const Item* item : steps) {
      step_columns.add({number(item->block) * 64 + item->warp, number(item->time), item->line,
                        static_cast<int>(item->kind) + 4 * item->a, item->b});
    }
    Columns columns(11);  // time, kind, block, warp, line, a, b, c, d, e, f
    for (const Item* item : operations) {
      columns.add({number(item->time), static_cast<int>(item->kind), number(item->block),
                   item->warp, item->line, item->a, item->b, item->c, item->d, item->e, item->f});
    }
    std::string text = member("steps", json_string(step_columns.text())) +
                       member("operations", json_string(columns.text()));
    if (from != machine::kNever) {
      text += member("gap", "[" + std::to_string(from) + "," + std::to_string(to) + "]");
    }
    return text;
  }

  // Pairs of a file and a line of it.
  std::string lines_text() {
    std::string text;
    for (const Line& line : details_.lines) {
      const auto [file, is_new] = files_.try_emplace(line.path, order_.size());
      if (is_new) order_.push_back({&line, line.number, line.number});
      Shown& shown = order_[file->second];
      shown.first = std::min(shown.first, line.number);
      shown.last = std::max(shown.last, line.number);
      text += (text.empty() ? "[" : ",[") + std::to_string(file->second) + "," +
              std::to_string(line.number) + "]";
    }
    return text;
  }

  std::string files_text() const {
    std::string text;
    for (const Shown& shown : order_) {
      const std::vector<std::string>& lines = report::lines_of(shown.line->path);
      const std::uint32_t first = shown.first > kLinesAround ? shown.first - kLinesAround : 1;
      const auto last = std::min<std::size_t>(lines.size(), std::size_t{shown.last} + kLinesAround);
      text += (text.empty() ? "\n{\"name\":" : ",\n{\"name\":") + json_string(shown.line->file) +
              member("first", first) + ",\"text\":[";
      for (std::size_t i = first; i <= last; ++i) {
        text += (i == first ? "" : ",") + json_string(lines[i - 1]);
      }
      text += "]}";
    }
    return text;
  }

  std::string findings_text() const {
    std::string text;
    for (const FindingDetail& found : details_.findings) {
      text += (text.empty() ? "\n{\"launch\":" : ",\n{\"launch\":") + std::to_string(found.launch) +
              member("time", found.time) +
              member("block", found.has_block ? std::to_string(found.block) : "-1") +
              member("warp", found.warp) + member("line", found.line) +
              member("name", json_string(found.name)) + member("what", json_string(found.what)) +
              member("where", json_string(found.where)) + member("text", json_string(found.text)) +
              member("fix", json_string(found.fix)) + member("times", found.times) + "}";
    }
    return text;
  }

  std::string notes_text() const {
    std::vector<std::string> notes;
    if (timeline_.forgotten != 0) {
      notes.push_back("The first " + std::to_string(timeline_.forgotten) +
                      " launches were too many to keep.");
    }
    if (dropped_ != 0) {
      notes.push_back(std::to_string(dropped_) +
                      (dropped_ == 1 ? " launch repeats" : " launches repeat") +
                      " an earlier one with the same kernel and grid: only the name is "
                      "here; --timeline-launch N shows launch N.");
    }
    if (timeline_.resolution != 0) {
      notes.push_back("Tiles that lie within " + std::to_string(timeline_.resolution) +
                      " cycles of each other were joined: there were too many to keep.");
    }
    if (timeline_.lost_requests != 0 || details_.lost) {
      notes.push_back("Of the blocks and requests the first ones were kept: there were too many.");
    }
    if (thinned_) {
      notes.push_back(
          "Lines of warps, mbarriers and barriers are kept for the beginning and the end of a "
          "launch; the stretch between is marked on the time axis.");
    }
    std::string text;
    for (const std::string& note : notes) text += (text.empty() ? "" : ",") + json_string(note);
    return text;
  }

  struct Shown {
    const Line* line;  // any of the file
    std::uint32_t first, last;
  };

  const report::TimelineRecord& timeline_;
  const Details& details_;
  const std::vector<Panel> panels_;
  std::vector<int> repeats_;  // by panel: the one that it repeats and that is shown instead; -1
  std::size_t launch_count_ = 0, dropped_ = 0, items_of_a_launch_ = 0;
  bool thinned_ = false;
  std::map<std::string, std::size_t> files_;
  std::vector<Shown> order_;
};

}  // namespace

std::string record_json(const report::TimelineRecord& timeline, const Details& details,
                        const report::TimelineView& view, const About& about) {
  return Writer(timeline, details, view).text(about);
}

}  // namespace clcsim::player
