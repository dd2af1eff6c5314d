#include "player/record.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <utility>

#include "report/finding_text.h"
#include "report/json.h"
#include "report/source.h"
#include "report/table.h"
#include "report/timeline_words.h"

namespace clcsim::player {
namespace {

using machine::Time;
using report::LaunchRecord;
using report::Panel;

// Above this many tiles, launches that repeat earlier ones are named only.
constexpr std::size_t kTilesKept = 12000;
// What warps and mbarriers did: of each launch as much as lets the record have kMostText
// characters, so that the page stays smaller than 500 kB; but of all together the fewest always.
constexpr std::size_t kMostItems = 60000, kFewestItems = 18000, kMostText = 325'000;
constexpr std::size_t kUseParts = 400;      // of the strip above the rows
constexpr std::uint32_t kLinesAround = 12;  // of source that are shown around those that ran

std::int64_t number(Time time) {
  return time == machine::kNever ? -1 : static_cast<std::int64_t>(time);
}

// Tables of whole numbers as short text. A row is first a mask of the columns that are other
// numbers than in the row above, 5 columns a digit; then for each of these the difference, in the
// base 64 of source maps: 5 bits a digit, the sign lowest, the sixth bit says that more follow.
class Columns {
 public:
  explicit Columns(std::size_t columns) : above_(columns) {}
  void add(std::initializer_list<std::int64_t> row);
  const std::string& text() const { return text_; }

 private:
  std::vector<std::int64_t> above_;
  std::string text_;
};

constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void append(std::string& text, std::int64_t value) {
  const auto magnitude = static_cast<std::uint64_t>(value < 0 ? -value : value);
  std::uint64_t rest = magnitude << 1 | (value < 0);
  do {
    const std::uint64_t digit = rest & 31;
    rest >>= 5;
    text += kDigits[digit | (rest != 0 ? 32 : 0)];
  } while (rest != 0);
}

void Columns::add(std::initializer_list<std::int64_t> row) {
  std::string differences;
  std::size_t column = 0;
  unsigned mask = 0;
  for (const std::int64_t value : row) {
    if (value != above_[column]) {
      mask |= 1u << column % 5;
      append(differences, value - above_[column]);
      above_[column] = value;
    }
    if (++column % 5 == 0 || column == above_.size()) {
      text_ += kDigits[mask];
      mask = 0;
    }
  }
  text_ += differences;
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
         const report::FindingReport& findings, const report::TimelineView& view, std::size_t items)
      : items_of_a_launch_(items),
        timeline_(timeline),
        details_(details),
        findings_(findings.entries()),
        panels_(whole_panels(timeline, view)) {}

  std::string text(const std::string& command) {
    choose();
    json_.value([&] {
      json_.members("gpu", timeline_.gpu, "sms", timeline_.sms, "seed", timeline_.seed, "command",
                    command);
      json_.new_line();
      json_.array("panels", [&] { add_panels(); });
      json_.new_line();
      json_.array("launches", [&] {
        for (std::size_t p = 0; p < panels_.size(); ++p) {
          for (const LaunchRecord* launch : panels_[p].launches) {
            add_launch(panels_[p], *launch, repeats_[p] < 0);
          }
        }
      });
      json_.new_line();
      json_.array("lines", [&] { add_lines(); });
      json_.new_line();
      json_.array("files", [&] { add_files(); });
      json_.new_line();
      json_.array("findings", [&] { add_findings(); });
      json_.new_line();
      json_.members("notes", notes());
    });
    std::string text = json_.take() + "\n";
    for (std::size_t at = 0; (at = text.find('<', at)) != text.npos;) {
      text.replace(at, 1, "\\u003c");
    }
    return text;
  }

 private:
  // Which panels are shown.
  void choose() {
    std::size_t tiles = 0;
    for (const Panel& panel : panels_) tiles += tiles_of(panel);
    std::map<std::string, int> seen;
    for (const Panel& panel : panels_) {
      std::string signature;
      for (const LaunchRecord* launch : panel.launches) {
        signature += launch->kernel;
        for (const machine::Dim3& size : {launch->grid, launch->block, launch->cluster}) {
          signature += report::text_of(size);
        }
        signature += std::to_string(launch->priority) + ";";
      }
      const int index = static_cast<int>(repeats_.size());
      const auto [first, is_new] = seen.try_emplace(signature, index);
      const bool dropped = !is_new && tiles > kTilesKept && !has_finding(panel);
      repeats_.push_back(dropped ? first->second : -1);
      dropped_ += dropped;
    }
  }

  void add_panels() {
    std::size_t launches = 0;
    for (std::size_t p = 0; p < panels_.size(); ++p) {
      const Panel& panel = panels_[p];
      std::vector<std::size_t> numbers;
      for (std::size_t i = 0; i < panel.launches.size(); ++i) numbers.push_back(launches++);
      json_.new_line();
      json_.value([&] {
        json_.members("launches", numbers, "title", title_of(panel), "facts", facts_of(panel),
                      "begin", panel.begin, "end", panel.end, "slots", panel.slots, "use",
                      repeats_[p] < 0 ? use_text(panel) : "", "repeats", repeats_[p]);
      });
    }
  }

  // The words above the picture.
  static std::vector<std::string> facts_of(const Panel& panel) {
    std::vector<std::string> facts{work_line(panel), time_line(panel)};
    for (const LaunchRecord* launch : panel.launches) {
      if (panel.urgent(*launch)) facts.push_back(waited(*launch));
    }
    return facts;
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

  void add_launch(const Panel& panel, const LaunchRecord& launch, bool whole) {
    json_.new_line();
    json_.value([&] {
      json_.members("serial", launch.serial, "kernel", launch.kernel, "grid", launch.grid, "block",
                    launch.block, "cluster", launch.cluster, "urgent", panel.urgent(launch),
                    "submitted", launch.submitted, "started", launch.started, "finished",
                    launch.finished, "complete", launch.complete);
      if (whole) add_details(launch);
    });
  }

  void add_details(const LaunchRecord& launch) {
    const auto found = details_.launches.find(launch.serial);
    static const LaunchDetail kNone;
    const LaunchDetail& detail = found == details_.launches.end() ? kNone : found->second;

    // sm, slot, idle cycles before, cycles, prologue, block, tile, tiles, request. Tiles are
    // counted from the one that the request got, or from the block's own.
    Columns rows(9);
    for (const auto& [slot, row] : launch.rows) {
      Time end = 0;
      for (const report::Span& span : row) {
        const bool kept = span.request != 0 && span.request <= launch.requests.size();
        const std::uint64_t from = kept ? launch.requests[span.request - 1].stolen : span.block;
        rows.add({slot.sm, slot.number, number(span.begin) - number(end),
                  number(span.end) - number(span.begin), number(span.prologue), number(span.block),
                  number(span.tile) - number(from), span.tiles, kept ? span.request : 0});
        end = span.end;
      }
    }
    Columns blocks(4);  // index, sm, started, finished
    for (const BlockDetail& block : detail.blocks) {
      blocks.add({number(block.index), block.sm, number(block.started), number(block.finished)});
    }
    // issued, cycles until it was decided (-1: never), then until answered, block, warp, line,
    // response, mbarrier, granted, blocks waited, multicast, stolen
    Columns requests(12);
    for (const report::RequestRecord& each : launch.requests) {
      const bool decided = each.decided != 0;
      requests.add({number(each.issued), decided ? number(each.decided - each.issued) : -1,
                    decided ? number(each.answered - each.decided) : 0, number(each.block),
                    each.thread / machine::kLanes + 1,
                    details_.line_at(launch.serial, each.location), each.response, each.mbarrier,
                    each.granted, each.blocks_waited, each.multicast, number(each.stolen)});
    }
    json_.members("rows", rows.text(), "blocks", blocks.text(), "requests", requests.text());
    add_items(detail);
  }

  void add_items(const LaunchDetail& detail) {
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
    const auto operations = std::stable_partition(
        items.begin(), items.end(), [](const Item& item) { return is_step(item.kind); });
    std::stable_sort(items.begin(), operations, [](const Item& a, const Item& b) {
      return std::pair(a.block, a.warp) < std::pair(b.block, b.warp);
    });
    Columns step_columns(7);  // block, warp, time, line, kind, a, b
    for (auto item = items.begin(); item != operations; ++item) {
      step_columns.add({number(item->block), item->warp, number(item->time), item->line,
                        static_cast<int>(item->kind), item->a, item->b});
    }
    Columns columns(11);  // time, kind, block, warp, line, a, b, c, d, e, f
    for (auto item = operations; item != items.end(); ++item) {
      columns.add({number(item->time), static_cast<int>(item->kind), number(item->block),
                   item->warp, item->line, item->a, item->b, item->c, item->d, item->e, item->f});
    }
    json_.members("steps", step_columns.text(), "operations", columns.text());
    if (from != machine::kNever) json_.members("gap", std::array{from, to});
  }

  // Pairs of a file and a line of it.
  void add_lines() {
    for (const Line& line : details_.lines) {
      const auto [file, is_new] = files_.try_emplace(line.path, order_.size());
      if (is_new) order_.push_back({&line, line.number, line.number});
      Shown& shown = order_[file->second];
      shown.first = std::min(shown.first, line.number);
      shown.last = std::max(shown.last, line.number);
      json_.value(std::array<std::size_t, 2>{file->second, line.number});
    }
  }

  void add_files() {
    for (const Shown& shown : order_) {
      const std::vector<std::string>& lines = report::lines_of(shown.line->path);
      const std::uint32_t first = shown.first > kLinesAround ? shown.first - kLinesAround : 1;
      const auto last = std::min<std::size_t>(lines.size(), std::size_t{shown.last} + kLinesAround);
      json_.new_line();
      json_.value([&] {
        json_.members("name", shown.line->file, "first", first);
        json_.array("text", [&] {
          for (std::size_t i = first; i <= last; ++i) json_.value(lines[i - 1]);
        });
      });
    }
  }

  void add_findings() {
    for (std::size_t i = 0; i < details_.findings.size(); ++i) {
      const FindingDetail& at = details_.findings[i];
      json_.new_line();
      json_.value([&] {
        json_.members(
            "launch", at.launch, "time", at.time, "block", at.has_block ? number(at.block) : -1,
            "warp", at.warp, "line", at.line, "again", again_text(at), "finding",
            [&] { write(json_, findings_[i]); }, "text", text_of(findings_[i].finding));
      });
    }
  }

  // Where it was found again: time, block.
  static std::string again_text(const FindingDetail& finding) {
    Columns columns(2);
    for (const auto& [time, block] : finding.again) columns.add({number(time), number(block)});
    return columns.text();
  }

  std::vector<std::string> notes() const {
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
    return notes;
  }

  struct Shown {
    const Line* line;  // any of the file
    std::uint32_t first, last;
  };

  const std::size_t items_of_a_launch_;  // that are kept
  const report::TimelineRecord& timeline_;
  const Details& details_;
  const std::vector<report::FindingReport::Entry>& findings_;
  const std::vector<Panel> panels_;
  std::vector<int> repeats_;  // by panel: the one that it repeats and that is shown instead; -1
  std::size_t dropped_ = 0;
  bool thinned_ = false;
  report::JsonWriter json_;
  std::map<std::string, std::size_t> files_;
  std::vector<Shown> order_;
};

}  // namespace

std::string record_json(const report::TimelineRecord& timeline, const Details& details,
                        const report::FindingReport& findings, const report::TimelineView& view,
                        const std::string& command) {
  const std::size_t fewest = kFewestItems / std::max<std::size_t>(1, details.launches.size());
  for (std::size_t items = kMostItems;; items = std::max(fewest, items * 2 / 3)) {
    std::string text = Writer(timeline, details, findings, view, items).text(command);
    if (text.size() <= kMostText || items == fewest) return text;
  }
}

}  // namespace clcsim::player
