// The picture is well-formed, shows each tile where it was done, and stays small. The rest of it is
// compared with the chapters' pictures, each of which is what its command draws.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <regex>
#include <sstream>

#include "config/output_file.h"
#include "report/timeline_svg.h"
#include "tests/report/runs.h"
#include "tests/report/xml_reader.h"

using namespace clcsim;
using test::Element;
using test::WatchedRun;

namespace {

double number(const Element& element, const char* attribute) {
  return std::stod(element.attribute(attribute));
}

bool has_style(const Element& element, const std::string& style) {
  const std::string all = " " + element.attribute("class") + " ";
  return all.find(" " + style + " ") != std::string::npos;
}

// A tile as its tooltip tells it.
struct Told {
  const Element* rectangle = nullptr;
  std::string sm;
  std::uint64_t block = 0, tile = 0, begin = 0, end = 0;
  bool stolen = false;
};

std::vector<Told> told_in(const Element& picture) {
  static const std::regex kOwn(
      R"((SM \d+), slot \d+: block (\d+) does its own work, cycles (\d+) to (\d+))");
  static const std::regex kStolen(
      R"((SM \d+), slot \d+: block (\d+) does the work of block (\d+), stolen, cycles (\d+) to (\d+))");
  std::vector<Told> all;
  for (const Element* rectangle : picture.all("rect")) {
    if (rectangle->children.empty()) continue;
    const std::string words = rectangle->children[0].text;
    CAPTURE(words);
    std::smatch match;
    const bool own = std::regex_match(words, match, kOwn);
    REQUIRE((own || std::regex_match(words, match, kStolen)));
    all.push_back({.rectangle = rectangle,
                   .sm = match[1],
                   .block = std::stoull(match[2]),
                   .tile = std::stoull(match[own ? 2 : 3]),
                   .begin = std::stoull(match[own ? 3 : 4]),
                   .end = std::stoull(match[own ? 4 : 5]),
                   .stolen = !own});
  }
  return all;
}

// The SM whose label is nearest to the middle of a rectangle.
std::string sm_at(const Element& picture, const Element& rectangle) {
  const double middle = number(rectangle, "y") + number(rectangle, "height") / 2;
  std::string nearest;
  double distance = 1e9;
  for (const Element* text : picture.all("text")) {
    if (!text->text.starts_with("SM ")) continue;
    const double there = std::abs(number(*text, "y") - 5 - middle);
    if (there < distance) {
      distance = there;
      nearest = text->text;
    }
  }
  return nearest;
}

// Whether the path of the hatching has a piece that starts at the rectangle's corner.
bool hatched(const Element& picture, const Element& rectangle) {
  const std::string corner = "M" + rectangle.attribute("x") + " " + rectangle.attribute("y") + "h";
  for (const Element* path : picture.all("path")) {
    if (!has_style(*path, "tl-hatch")) continue;
    if (path->attribute("d").find(corner) != std::string::npos) return true;
  }
  return false;
}

// Texts and marks stay inside the frame.
void check_frame(const Element& picture) {
  std::istringstream box(picture.attribute("viewBox"));
  double left = 0, top = 0, width = 0, height = 0;
  box >> left >> top >> width >> height;
  CHECK(std::to_string(int(width)) == picture.attribute("width"));
  CHECK(std::to_string(int(height)) == picture.attribute("height"));
  for (const Element* rectangle : picture.all("rect")) {
    CHECK(number(*rectangle, "x") >= 0);
    CHECK(number(*rectangle, "x") + number(*rectangle, "width") <= width);
  }
}

std::string words_in(const Element& picture) {
  std::string all;
  for (const Element* text : picture.all("text")) all += text->text + "\n";
  return all;
}

}  // namespace

TEST_CASE("in the chapters' pictures no number stands on a mark, and none is small") {
  for (const char* name : {"01_fixed_work/fixed", "02_grid_stride/stride", "02_grid_stride/queue",
                           "03_clc_basic/clc", "04_clc_cluster/cluster"}) {
    CAPTURE(name);
    const std::string text = config::text_of_file(std::string(CLC_COURSE "/") + name + ".svg");
    REQUIRE(!text.empty());
    const Element picture = test::read_xml(text);
    static const std::regex kSize("font-size:([0-9]+)px");
    for (std::sregex_iterator it(text.begin(), text.end(), kSize), end; it != end; ++it)
      CHECK(std::stoi((*it)[1]) >= 11);
    int numbers = 0;
    for (const Element* number_text : picture.all("text")) {
      if (!has_style(*number_text, "tl-number") || number_text->attribute("y") == "-1") continue;
      const double x = number(*number_text, "x"), y = number(*number_text, "y");
      const double half = 3.4 * static_cast<double>(number_text->text.size());
      CAPTURE(number_text->text);
      ++numbers;
      for (const Element* path : picture.all("path")) {
        const bool refused = has_style(*path, "tl-refused"), line = has_style(*path, "tl-arrival");
        if (!refused && !line && !has_style(*path, "tl-meeting")) continue;
        static const std::regex kMove("M([0-9.]+) ([0-9.]+)(V[0-9]+|v[0-9]+|l8|a6)?");
        const std::string d = path->attribute("d");
        for (std::sregex_iterator it(d.begin(), d.end(), kMove), end; it != end; ++it) {
          const std::string kind = (*it)[3];
          const double from = std::stod((*it)[1]), top = std::stod((*it)[2]);
          const double wide = kind == "l8" ? 8 : kind == "a6" ? 12 : 0;
          const double above = kind == "a6" ? top - 6 : top;  // the upper end of the mark
          const bool beside = x + half <= from || x - half >= from + wide;
          const bool over = !line && y <= above + 0.5;
          const double high = line ? 1e4 : wide != 0 ? wide : 25;
          const bool under = y - 9 > above + high;
          CHECK_MESSAGE((beside || over || under), "on ", kind, " at ", from, " ", top);
        }
      }
    }
    CHECK(numbers >= 8);
  }
}

TEST_CASE("each tile is drawn where and when it was done, stolen ones hatched") {
  WatchedRun run(test::kStealingLoop);
  run.harness.gpu.run_until(12345);  // the axis starts with the launch, not with the clock
  run.steal(100, 256);
  const report::TimelineRecord& record = run.finish();
  REQUIRE(run.finished);
  const std::string text = report::timeline_svg(record, {});
  CHECK(text == report::timeline_svg(record, {}));
  const Element picture = test::read_xml(text);
  check_frame(picture);
  const std::vector<Told> tiles = told_in(picture);
  REQUIRE(tiles.size() == 100);

  // Time runs from left to right at one scale.
  const machine::Time origin = record.launches[0].submitted;
  const auto [first, last] = std::minmax_element(
      tiles.begin(), tiles.end(), [](const Told& a, const Told& b) { return a.begin < b.begin; });
  const double scale = (number(*last->rectangle, "x") - number(*first->rectangle, "x")) /
                       double(last->begin - first->begin);
  REQUIRE(scale > 0);
  std::map<std::uint64_t, const Told*> by_tile;
  for (const Told& tile : tiles) {
    const double x =
        number(*first->rectangle, "x") + scale * (double(tile.begin) - double(first->begin));
    CHECK(number(*tile.rectangle, "x") == doctest::Approx(x).epsilon(0.001));
    const double width = scale * double(tile.end - tile.begin);
    CHECK(std::abs(number(*tile.rectangle, "width") - width) < 1.3);  // a gap, and rounding
    CHECK(sm_at(picture, *tile.rectangle) == tile.sm);
    CHECK(hatched(picture, *tile.rectangle) == tile.stolen);
    CHECK(by_tile.emplace(tile.tile, &tile).second);
  }
  for (const auto& [serial, block] : run.witness.blocks) {
    const Told& own = *by_tile.at(block.index);
    CHECK(own.sm == "SM " + std::to_string(block.sm));
    CHECK(own.begin == block.started - origin);
    CHECK_FALSE(own.stolen);
    for (const auto& [index, when] : block.stole) {
      const Told& stolen = *by_tile.at(index);
      CHECK(stolen.stolen);
      CHECK(stolen.block == block.index);
      CHECK(stolen.begin == when - origin);
      CHECK(stolen.rectangle->attribute("y") == own.rectangle->attribute("y"));
      CHECK(stolen.rectangle->attribute("class") == own.rectangle->attribute("class"));
    }
  }
}

TEST_CASE("launches after one another get panels at one scale; of many the last are drawn") {
  WatchedRun run(test::kStealingLoop);
  for (int i = 0; i < 9; ++i) {
    run.steal(40, 256);
    REQUIRE(run.harness.run());
  }
  const report::TimelineRecord& record = run.finish();
  const Element picture = test::read_xml(report::timeline_svg(record, {}));
  check_frame(picture);
  const std::string words = words_in(picture);
  CHECK(words.find("Launch 3:") == std::string::npos);
  CHECK(words.find("Launch 4:") != std::string::npos);
  CHECK(words.find("Launch 9:") != std::string::npos);
  CHECK(words.find("3 earlier launches are not drawn") != std::string::npos);

  const Element one = test::read_xml(report::timeline_svg(record, {.launch = 2, .cycles = 123456}));
  CHECK(words_in(one).find("Launch 2:") != std::string::npos);
  CHECK(words_in(one).find("Launch 3:") == std::string::npos);
  CHECK(words_in(one).find("120,000") != std::string::npos);  // a tick near the end
}

TEST_CASE("a picture that is cut ends at the axis and says so") {
  WatchedRun run(test::kStealingLoop);
  run.steal(300, 256);
  const report::TimelineRecord& record = run.finish();
  const machine::Time length = record.launches[0].finished - record.launches[0].submitted;
  const Element picture = test::read_xml(report::timeline_svg(record, {.cycles = length / 2}));
  CHECK(words_in(picture).find(", drawn to ") != std::string::npos);
  std::size_t tiles = 0;
  for (const Told& tile : told_in(picture)) {
    ++tiles;
    CHECK(tile.begin < length / 2);
    CHECK(number(*tile.rectangle, "x") + number(*tile.rectangle, "width") <= 66 + 636);
  }
  CHECK(tiles > 100);
  CHECK(tiles < 250);
}

TEST_CASE("a run of millions of tiles makes a small picture") {
  for (const std::uint64_t tiles : {400, 3500}) {  // of each of 148 x 8 slots
    report::TimelineRecord record{.gpu = "b200", .sms = 148};
    report::LaunchRecord launch{.serial = 1, .kernel = "big", .grid = {1 << 22, 1, 1}};
    launch.complete = true;
    const machine::Time length = 3'600'000 / tiles;
    for (std::uint32_t sm = 0; sm < 148; ++sm) {
      for (std::uint32_t slot = 0; slot < 8; ++slot) {
        auto& row = launch.rows[{sm, slot}];
        for (std::uint64_t i = 0; i < tiles; ++i) {
          row.push_back({.begin = length * i,
                         .end = length * (i + 1) - 5,
                         .busy = length - 5,
                         .prologue = length / 3,
                         .block = i * 1184 + sm,
                         .tile = i,
                         .stolen = static_cast<std::uint32_t>(i % 2)});
          launch.requests.push_back({.issued = row.back().begin,
                                     .answered = row.back().end,
                                     .slot = {sm, slot},
                                     .blocks_waited = true});
        }
      }
    }
    launch.finished = 3'600'000;
    record.launches.push_back(std::move(launch));
    const std::string text = report::timeline_svg(record, {});
    CHECK(text.size() < 500'000);
    const Element picture = test::read_xml(text);
    std::size_t pieces = 0;
    for (const Element* path : picture.all("path")) {
      const std::string d = path->attribute("d");
      if (!path->attribute("class").starts_with("tl-c")) continue;
      pieces += std::size_t(std::count(d.begin(), d.end(), 'M'));
    }
    CHECK(pieces > 1000);
    CHECK(pieces < 5500);
    check_frame(picture);
    CHECK(words_in(picture).find("9 SMs of 148") != std::string::npos);
    CHECK(words_in(picture).find("joined") != std::string::npos);
  }
}

TEST_CASE("no launch, empty launches and odd names make a picture too") {
  report::TimelineRecord record{.gpu = "mini", .sms = 4};
  CHECK(words_in(test::read_xml(report::timeline_svg(record, {}))).find("no kernel ran") !=
        std::string::npos);
  record.launches.push_back({.serial = 1, .kernel = "less<a & \"b\">\x01\xff"});
  const Element picture = test::read_xml(report::timeline_svg(record, {}));
  CHECK(words_in(picture).find("less<a & \"b\">??") != std::string::npos);
}
