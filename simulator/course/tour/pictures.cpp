#include "tour/pictures.h"

#include <cstdio>
#include <filesystem>
#include <stdexcept>

#include "commands/process.h"
#include "measure/files.h"
#include "measure/measure.h"
#include "report/svg.h"
#include "tour/derived.h"

namespace clcsim::tour {
namespace {

namespace fs = std::filesystem;
using measure::read_file, measure::write_file;

constexpr std::chrono::minutes kLimit(10);
// Launch 4 meets the urgent kernel; before it come the counted one, one of that kernel alone and
// the timed one.
const std::string kLaunch = "--timeline-launch 4";
const std::string kScale = " --timeline-cycles 36000";

measure::Target target(const std::string& bin) {
  return {.bin = bin, .gpu = "mini:1"};
}

void draw(const std::string& bin, const Strategy& strategy, const std::string& picture,
          const std::string& options) {
  std::vector<std::string> command = measure::launcher(target(bin));
  for (const std::string& word : {std::string("--timeline"), picture}) command.push_back(word);
  measure::append(command, options);
  for (const std::string& word : measure::program(target(bin), strategy)) command.push_back(word);
  measure::append(command, measure::experiments("claim", true).front().options);
  const commands::Ended ended = commands::run(command, kLimit);
  if (ended.status != 0) throw std::runtime_error(ended.out + ended.err);
}

void say(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
}

bool is_shown(const Strategy& strategy, const std::string& picture, bool update) {
  const std::string chapter = CLC_COURSE "/" + strategy.chapter + "/";
  const std::string link = "pictures/" + strategy.name + ".svg", shown = chapter + link;
  if (update) write_file(shown, read_file(picture));
  const bool same = read_file(picture) == read_file(shown);
  if (!same) say(shown + " is not what the program does now");
  const bool linked = read_file(chapter + "README.md").find("(" + link + ")") != std::string::npos;
  if (!linked) say(chapter + "README.md doesn't show " + link);
  return same && linked;
}

}  // namespace

void draw_pictures(const std::string& bin, const std::string& folder) {
  fs::create_directories(folder);
  for (const Strategy& strategy : strategies()) {
    if (!fs::exists(bin + "/" + strategy.chapter)) continue;  // the toolkit can't hold this chapter
    const std::string picture = folder + "/" + strategy.name;
    draw(bin, strategy, picture + ".svg", kLaunch + kScale);
    draw(bin, strategy, picture + ".html", kLaunch);
  }
}

bool pictures_are_shown(const std::string& folder, bool update) {
  bool shown = true;
  int pictures = 0;
  for (const Strategy& strategy : strategies()) {
    const std::string picture = folder + "/" + strategy.name + ".svg";
    if (!fs::exists(picture)) continue;
    shown &= is_shown(strategy, picture, update);
    ++pictures;
  }
  if (pictures < 3) throw std::runtime_error("there are fewer than three pictures");
  if (!shown) say("If that is right: cmake --build build --target pictures");
  return shown;
}

std::string cheap_table(const std::string& bin) {
  const Results results =
      measure::results_of(measure::measure(measure::experiments("claim", true), target(bin), {}));
  std::string rows = "| strategy | 1024 even tiles | 9 tiles, 2 long |\n|---|---:|---:|\n";
  for (const Strategy& strategy : strategies()) {
    const Result* even = results.find("claim", "even", strategy.name);
    const Result* nine = results.find("claim", "nine", strategy.name);
    if (even == nullptr || nine == nullptr) continue;
    rows += "| " + strategy.name;
    for (const double number : {even->time, nine->time})
      rows += " | " + report::svg::grouped(static_cast<std::uint64_t>(number));
    rows += " |\n";
  }
  return rows;
}

}  // namespace clcsim::tour
