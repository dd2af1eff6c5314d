#include "report/timeline_panel.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "report/svg.h"
#include "report/timeline_words.h"

namespace clcsim::report {
namespace {

using machine::Time;
using svg::box;
using svg::escape;
using svg::grouped;
using svg::tenths;

constexpr int kSmGap = 5;
constexpr std::size_t kNamedShapes = 512;  // so many get a text of their own, shown when pointed at
constexpr std::size_t kRequestsDrawn = 400;
constexpr std::size_t kRefusalsDrawn = 1000;
constexpr std::size_t kMeetingsDrawn = 400;
constexpr int kUseHeight = 110;
constexpr int kNumberSize = 12;         // as in the style
constexpr std::size_t kUseParts = 212;  // of 3 pixels

using Stretch = std::pair<std::int64_t, std::int64_t>;  // tenths of a pixel, from and to
using Stretches = std::vector<Stretch>;

std::string text_at(const char* style, std::int64_t x, int y, const std::string& words) {
  return std::string("<text class=\"") + style + "\" x=\"" + tenths(x) + "\" y=\"" +
         std::to_string(y) + "\">" + escape(words) + "</text>\n";
}

std::string path(const std::string& style, const std::string& pieces) {
  return pieces.empty() ? "" : "<path class=\"" + style + "\" d=\"" + pieces + "\"/>\n";
}

class PanelDrawing {
 public:
  PanelDrawing(const Panel& panel, std::size_t shapes, Legend& legend)
      : panel_(panel),
        legend_(legend),
        scale_{.begin = panel.begin,
               .length = panel.shown,
               .left = 10 * kPlotLeft,
               .width = 10 * kPlotWidth} {
    const int rows = static_cast<int>(panel.drawn.size() * panel.slots);
    row_height_ = std::clamp(panel.rows_height / rows, 6, 26);
    choose_shapes(shapes);
    std::size_t requests = 0;
    for (const LaunchRecord* launch : panel.launches) requests += launch->requests.size();
    show_requests_ = requests != 0 && requests <= kRequestsDrawn && row_height_ >= 12;
    legend.requests |= show_requests_;
  }

  Drawing draw() {
    text_ += text_at("tl-title", 160, y_ += 22, title_of(panel_));
    text_ += text_at("tl-text", 160, y_ += 21, work_line(panel_));
    text_ += text_at("tl-text", 160, y_ += 19, time_line(panel_));
    for (const LaunchRecord* launch : panel_.launches) {
      if (panel_.urgent(*launch)) text_ += text_at("tl-text", 160, y_ += 19, waited(*launch));
    }
    y_ += 10;
    const int picture = y_ - 4;
    if (panel_.launches.size() > 1) draw_launches();
    rows_top_ = y_;
    find_obstacles();
    const int bottom = row_top(panel_.drawn.size(), 0) - kSmGap;
    draw_ground(bottom);
    draw_tiles();
    draw_meetings();
    draw_requests();
    draw_arrivals(bottom);
    y_ = bottom;
    if (panel_.drawn.size() < panel_.sms) {
      y_ += 17;
      text_ += text_at("tl-small", 10 * kPlotLeft, y_,
                       count(panel_.drawn.size(), "SM") + " of " + std::to_string(panel_.sms) +
                           "; below, what the slots of all of them do");
      y_ += 8;
      draw_use();
    }
    draw_axis();
    return {std::move(text_), y_, picture, bottom + 2,
            std::max(names_end_, static_cast<int>(end() / 10) + 8)};
  }

 private:
  struct Placed {
    const LaunchRecord* launch;
    Slot slot;
    Shape shape;
  };

  std::int64_t end() const { return scale_.at(panel_.end); }

  // Of the SM that is drawn at a place.
  int row_top(std::size_t place, std::uint32_t slot) const {
    const int sm_height = static_cast<int>(panel_.slots) * row_height_ + kSmGap;
    return rows_top_ + static_cast<int>(place) * sm_height + static_cast<int>(slot) * row_height_;
  }
  bool drawn(const Slot& slot) const {
    return std::binary_search(panel_.drawn.begin(), panel_.drawn.end(), slot.sm);
  }
  int row_top(const Slot& slot) const {
    const auto place = std::lower_bound(panel_.drawn.begin(), panel_.drawn.end(), slot.sm);
    return row_top(static_cast<std::size_t>(place - panel_.drawn.begin()), slot.number);
  }

  // Joins narrow tiles until there are few enough shapes.
  void choose_shapes(std::size_t most) {
    for (std::int64_t narrowest = 8;; narrowest *= 2) {
      shapes_.clear();
      for (const LaunchRecord* launch : panel_.launches) {
        for (const auto& [slot, row] : launch->rows) {
          if (!drawn(slot)) continue;
          for (const Shape& shape : shapes_of(row, scale_, narrowest)) {
            shapes_.push_back({launch, slot, shape});
          }
        }
      }
      if (shapes_.size() <= most || narrowest > 100) return;
    }
  }

  static bool stolen(const Shape& shape) { return 2 * shape.stolen > shape.tiles; }

  std::string style_of(const Placed& placed) const {
    if (panel_.urgent(*placed.launch)) return "tl-urgent";
    return stolen(placed.shape) ? "tl-stolen" : "tl-tile";
  }

  // One line for each launch: when it was submitted, when it ran.
  void draw_launches() {
    constexpr int kHeight = 12, kStep = 17;
    for (const LaunchRecord* launch : panel_.launches) {
      const std::int64_t submitted = scale_.at(launch->submitted);
      const std::int64_t started = scale_.at(launch->started), end = scale_.at(launch->finished);
      if (started - submitted > 10) {
        text_ += path("tl-waits", box(submitted, y_ + 1, started - submitted, kHeight - 2));
      }
      text_ += path(panel_.urgent(*launch) ? "tl-urgent" : "tl-launch",
                    box(started, y_, std::max<std::int64_t>(end - started, 10), kHeight));
      const int width = svg::text_width(launch->kernel, 12);
      const std::int64_t right = 10 * (kPlotLeft + kPlotWidth);
      const bool inside = end - started > 10 * (width + 8) && !panel_.urgent(*launch);
      const std::int64_t after = end + 60;
      if (inside) {
        text_ += text_at("tl-name", started + 50, y_ + 10, launch->kernel);
      } else if (after + 10 * width < right) {
        text_ += text_at("tl-small", after, y_ + 10, launch->kernel);
        names_end_ = std::max(names_end_, static_cast<int>(after / 10) + width + 8);
      } else {
        text_ += text_at("tl-small tl-end", submitted - 60, y_ + 10, launch->kernel);
      }
      y_ += kStep;
    }
    y_ += 5;
  }

  void draw_ground(int bottom) {
    std::string ground;
    const int height = static_cast<int>(panel_.slots) * row_height_;
    for (std::size_t place = 0; place < panel_.drawn.size(); ++place) {
      ground += box(scale_.left, row_top(place, 0), end() - scale_.left, height);
      text_ += text_at("tl-text tl-end", 10 * (kPlotLeft - 8), row_top(place, 0) + height / 2 + 5,
                       "SM " + std::to_string(panel_.drawn[place]));
    }
    text_ += path("tl-idle", ground);
    draw_grid(rows_top_, bottom);
  }

  void draw_grid(int top, int bottom) {
    const Time step = tick_step(panel_.shown, 8);
    std::string lines;
    for (Time tick = 0; tick <= panel_.shown; tick += step) {
      lines += "M" + tenths(scale_.at(panel_.begin + tick)) + " " + std::to_string(top) + "V" +
               std::to_string(bottom);
    }
    text_ += path("tl-grid", lines);
  }

  void draw_tiles() {
    std::map<std::string, std::string> tiles;  // pieces of a path, by style
    std::string named, hatch, prologue, flags, labels;
    const bool name_each = shapes_.size() <= kNamedShapes;
    for (const Placed& placed : shapes_) {
      const Shape& shape = placed.shape;
      const int top = row_top(placed.slot), height = row_height_ - 1;
      const std::int64_t gap = shape.width >= 40 ? 10 : shape.width >= 20 ? 5 : 0;
      const std::int64_t width = shape.width - gap;
      const bool urgent = panel_.urgent(*placed.launch);
      (urgent ? legend_.urgent : stolen(shape) ? legend_.stolen : legend_.own) = true;
      legend_.joined |= shape.span == nullptr;
      if (name_each) {
        named += "<rect class=\"" + style_of(placed) + "\" x=\"" + tenths(shape.x) + "\" y=\"" +
                 std::to_string(top) + "\" width=\"" + tenths(width) + "\" height=\"" +
                 std::to_string(height) + "\"><title>" + escape(name_of(placed)) +
                 "</title></rect>\n";
      } else {
        tiles[style_of(placed)] += box(shape.x, top, width, height);
      }
      if (stolen(shape) && !urgent) hatch += box(shape.x, top, width, height);
      if (shape.prologue > 0 && !urgent) {
        legend_.prologue = true;
        prologue += box(shape.x, top, std::min(shape.prologue, width), height);
      }
      if (shape.span == nullptr) continue;
      if (stolen(shape) && width >= 60 && row_height_ >= 9) {
        flags += "M" + tenths(shape.x) + " " + std::to_string(top) + "h5l-5 5z";
      }
      add_label(placed, labels);
    }
    text_ += named;
    for (const auto& [style, pieces] : tiles) text_ += path(style, pieces);
    text_ += path("tl-hatch", hatch) + path("tl-prologue", prologue) + path("tl-flag", flags);
    text_ += labels;
  }

  template <class F>
  void for_each_meeting(F&& f) const {
    for (const LaunchRecord* launch : panel_.launches) {
      if (!launch->requests.empty() || launch->meetings.size() > kMeetingsDrawn) continue;
      for (const auto& [slot, time] : launch->meetings) {
        if (drawn(slot) && scale_.shows(time)) f(slot, time);
      }
    }
  }

  // Where all threads of a block met at a barrier, if it steals nothing: there its tiles end.
  void draw_meetings() {
    std::string lines;
    for_each_meeting([&](const Slot& slot, Time time) {
      lines += "M" + tenths(scale_.at(time)) + " " + std::to_string(row_top(slot)) + "v" +
               std::to_string(row_height_ - 1);
    });
    legend_.meetings |= !lines.empty();
    text_ += path("tl-meeting", lines);
  }

  std::string name_of(const Placed& placed) const {
    const Shape& shape = placed.shape;
    const std::string where = "SM " + std::to_string(placed.slot.sm) + ", slot " +
                              std::to_string(placed.slot.number) + ": ";
    const machine::Dim3& grid = placed.launch->grid;
    if (shape.span == nullptr) {
      return where + grouped(shape.tiles) + " tiles, " + grouped(shape.stolen) + " stolen";
    }
    const Span& span = *shape.span;
    const std::string block = "block " + index_text(grid, span.block);
    return where + block +
           (span.stolen != 0
                ? " does the work of block " + index_text(grid, span.tile) + ", stolen,"
                : " does its own work,") +
           " cycles " + std::to_string(span.begin - panel_.begin) + " to " +
           std::to_string(span.end - panel_.begin);
  }

  // The tile's number, where there is room for it.
  void add_label(const Placed& placed, std::string& labels) const {
    if (row_height_ < 11) return;
    const Shape& shape = placed.shape;
    const std::string number = index_text(placed.launch->grid, shape.span->tile);
    const bool urgent = panel_.urgent(*placed.launch);
    const std::int64_t prologue = urgent ? 0 : shape.prologue;
    const std::int64_t needed = 10 * svg::text_width(number, kNumberSize) + 20;
    const std::int64_t left = shape.x + prologue + 10, right = shape.x + shape.width - 10;
    auto [from, to] = free_room(left, right, obstacles_of(placed.slot));
    int drop = label_drop();
    if (to - from < needed &&
        row_height_ >= 24) {  // above the marks, where there is no room beside
      std::tie(from, to) = free_room(left, right, {});
      drop = 10;
    }
    if (to - from < needed) return;
    legend_.numbers = true;
    labels += text_at(urgent ? "tl-number tl-on-urgent" : "tl-number", from + (to - from) / 2,
                      row_top(placed.slot) + drop, number);
  }

  // What a number must not stand on: the marks of refusals and of barriers, and the line where a
  // launch came in.
  void find_obstacles() {
    const auto around = [&](Time time, int size) {
      const std::int64_t x = scale_.at(time);
      return Stretch{x - 10 * size, x + 10 * size};
    };
    for (const RequestRecord* request : refusals()) {
      const int size = cross_size() + (request->blocks_waited ? 4 : 1);
      obstacles_[request->slot].push_back(around(request->answered, size));
    }
    for_each_meeting(
        [&](const Slot& slot, Time time) { obstacles_[slot].push_back(around(time, 2)); });
    for (const LaunchRecord* launch : panel_.launches) {
      if (panel_.urgent(*launch)) arrivals_.push_back(around(launch->submitted, 3));
    }
  }
  Stretches obstacles_of(const Slot& slot) const {
    const auto found = obstacles_.find(slot);
    return found == obstacles_.end() ? Stretches() : found->second;
  }

  // The widest part of a tile on which nothing else is drawn.
  Stretch free_room(std::int64_t from, std::int64_t to, Stretches taken) const {
    taken.insert(taken.end(), arrivals_.begin(), arrivals_.end());
    std::sort(taken.begin(), taken.end());
    Stretch widest{from, from};
    const auto consider = [&](std::int64_t until) {
      if (until - from > widest.second - widest.first) widest = {from, until};
    };
    for (const auto& [begin, end] : taken) {
      consider(std::min(begin, to));
      from = std::max(from, end);
    }
    consider(to);
    return widest;
  }

  int label_drop() const { return show_requests_ && row_height_ >= 20 ? 13 : row_height_ / 2 + 4; }

  void draw_requests() {
    std::string lines, crosses, rings;
    if (show_requests_) {
      for_each_request([&](const RequestRecord& request) {
        lines += "M" + tenths(scale_.at(request.issued)) + " " +
                 std::to_string(row_top(request.slot) + row_height_ - 5) + "H" +
                 tenths(scale_.at(request.answered));
      });
    }
    for (const RequestRecord* request : refusals()) {
      const std::int64_t x = scale_.at(request->answered);
      const int y = cross_y(row_top(request->slot));
      add_cross(x, y, crosses);
      if (request->blocks_waited) add_ring(x, y, rings);
      (request->blocks_waited ? legend_.refused_waiting : legend_.refused) = true;
    }
    text_ += path("tl-request", lines);
    text_ += path("tl-halo", crosses + rings);
    text_ += path("tl-refused", crosses + rings);
  }

  template <class F>
  void for_each_request(F&& f) const {
    for (const LaunchRecord* launch : panel_.launches) {
      for (const RequestRecord& request : launch->requests) {
        if (drawn(request.slot) && request.answered != 0 && scale_.shows(request.answered))
          f(request);
      }
    }
  }

  // The refusals to mark: marks of a row that would lie on one another are drawn once.
  std::vector<const RequestRecord*> refusals() const {
    std::vector<const RequestRecord*> chosen;
    for (std::int64_t distance = 40;; distance *= 2) {
      std::map<Slot, std::int64_t> last;
      chosen.clear();
      for_each_request([&](const RequestRecord& request) {
        if (request.granted) return;
        const std::int64_t x = scale_.at(request.answered);
        const auto [entry, is_first] = last.try_emplace(request.slot, x);
        if (!is_first && x - entry->second < distance) return;
        entry->second = x;
        chosen.push_back(&request);
      });
      if (chosen.size() <= kRefusalsDrawn || distance > 10 * kPlotWidth) return chosen;
    }
  }

  // At the end of the request's line, where there is room for one.
  int cross_y(int top) const {
    return show_requests_ && row_height_ >= 20 ? top + row_height_ - 8
                                               : top + (row_height_ - 1) / 2;
  }
  int cross_size() const { return row_height_ >= 12 ? 4 : 3; }

  void add_cross(std::int64_t x, int y, std::string& crosses) const {
    const int size = cross_size();
    const std::string s = std::to_string(size), d = std::to_string(2 * size);
    crosses += "M" + tenths(x - 10 * size) + " " + std::to_string(y - size) + "l" + d + " " + d +
               "m0-" + d + "l-" + d + " " + d;
  }

  void add_ring(std::int64_t x, int y, std::string& rings) const {
    const int radius = cross_size() + 2;
    const std::string r = std::to_string(radius), d = std::to_string(2 * radius);
    rings += "M" + tenths(x - 10 * radius) + " " + std::to_string(y) + "a" + r + " " + r +
             " 0 1 0 " + d + " 0a" + r + " " + r + " 0 1 0-" + d + " 0";
  }

  // Where a launch of high priority came in.
  void draw_arrivals(int bottom) {
    std::string lines;
    for (const LaunchRecord* launch : panel_.launches) {
      if (!panel_.urgent(*launch)) continue;
      lines += "M" + tenths(scale_.at(launch->submitted)) + " " + std::to_string(rows_top_ - 4) +
               "V" + std::to_string(bottom + 3);
    }
    text_ += path("tl-edge", lines) + path("tl-arrival", lines);
  }

  // Slots of the whole GPU over time, stacked: at the bottom the work, above it the prologues.
  void draw_use() {
    const std::vector<Use> uses = use_of(panel_, kUseParts);
    const Time whole = std::max<Time>(1, panel_.shown * panel_.sms * panel_.slots / kUseParts);
    const int top = y_, bottom = y_ + kUseHeight;
    text_ += path("tl-idle", box(scale_.left, top, end() - scale_.left, kUseHeight));
    draw_grid(top, bottom);
    text_ += text_at("tl-small tl-end", 10 * (kPlotLeft - 8), top + 11, "100 %");
    text_ += text_at("tl-small tl-end", 10 * (kPlotLeft - 8), bottom, "0 %");
    std::array<std::string, 4> layers;
    constexpr const char* kStyles[] = {"tl-stolen", "tl-tile", "tl-prologue", "tl-urgent"};
    const std::int64_t width = 10 * kPlotWidth / static_cast<std::int64_t>(kUseParts);
    for (std::size_t part = 0; part < kUseParts; ++part) {
      const Use& use = uses[part];
      Time below = 0;
      const Time values[] = {use.stolen, use.own, use.prologue, use.urgent};
      for (std::size_t layer = 0; layer < layers.size(); ++layer) {
        const auto height_of = [&](Time sum) {
          return static_cast<int>(std::min<Time>(whole, sum) * kUseHeight / whole);
        };
        const int from = height_of(below), to = height_of(below += values[layer]);
        if (to == from) continue;
        layers[layer] += box(10 * kPlotLeft + static_cast<std::int64_t>(part) * width, bottom - to,
                             width, to - from);
      }
    }
    for (std::size_t layer = 0; layer < layers.size(); ++layer) {
      text_ += path(kStyles[layer], layers[layer]);
      if (layer == 0) text_ += path("tl-hatch", layers[layer]);
    }
    y_ = bottom;
  }

  void draw_axis() {
    const Time step = tick_step(panel_.shown, 8);
    std::string ticks =
        "M" + tenths(scale_.left) + " " + std::to_string(y_ + 3) + "h" + std::to_string(kPlotWidth);
    for (Time tick = 0; tick <= panel_.shown; tick += step) {
      const std::int64_t x = scale_.at(panel_.begin + tick);
      ticks += "M" + tenths(x) + " " + std::to_string(y_ + 3) + "v5";
      const std::string words = tick == 0 ? "0" : grouped(tick);
      const bool last = tick + step > panel_.shown;
      const bool fits = x + 5 * svg::text_width(words, 13) < 10 * (kPictureWidth - 6);
      if (fits || !last) text_ += text_at("tl-tick", x, y_ + 22, words);
    }
    text_ += path("tl-axis", ticks);
    text_ += text_at("tl-text tl-end", 10 * (kPlotLeft + kPlotWidth), y_ + 40,
                     "model cycles since the launch");
    y_ += 46;
  }

  const Panel& panel_;
  Legend& legend_;
  Scale scale_;
  std::string text_;
  std::vector<Placed> shapes_;
  std::map<Slot, Stretches> obstacles_;  // of a row
  Stretches arrivals_;
  bool show_requests_ = false;
  int row_height_ = 0, rows_top_ = 0, names_end_ = 0, y_ = 0;
};

}  // namespace

Drawing draw_panel(const Panel& panel, std::size_t shapes, Legend& legend) {
  return PanelDrawing(panel, shapes, legend).draw();
}

}  // namespace clcsim::report
