#include "tour/results.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "report/json_reader.h"
#include "report/svg.h"

namespace clcsim::tour {
namespace {

using report::Json;

Result parse(const std::string& line, const std::string& file) {
  Result result;
  std::istringstream words(line);
  words >> result.experiment >> result.variant >> result.strategy;
  const std::size_t brace = line.find('{');
  if (brace == std::string::npos) {
    throw std::runtime_error("'" + file + "' has a line that measure.sh didn't write: " + line);
  }
  const Json object = Json::parse(std::string_view(line).substr(brace));
  result.gpu = object["gpu"].text();
  result.simulated = object["simulated"].truth();
  result.passed = object["verdict"].text() == "PASS";
  result.tiles = object["tiles"].whole(0);
  result.started = object["blocks_started"].whole(0);
  result.prologues = object["prologues"].whole(0);
  result.steals = object["steals"].whole(0);
  const std::string unit = result.simulated ? "cycles" : "milliseconds";
  const std::string rate = result.simulated ? "bytes_per_cycle" : "gigabytes_per_second";
  result.time = object[unit].number(0);
  result.bandwidth = object[rate].number(0);
  result.copy_bandwidth = object["copy_" + rate].number(0);
  result.urgent_time = object["urgent_" + unit].number(0);
  result.beside_urgent = object["beside_urgent_" + unit].number(0);
  return result;
}

// The text before the next bar, which it takes away with the bar and the spaces around it.
std::string take_cell(std::string& line) {
  const std::size_t bar = line.find(" | ");
  const std::string cell = line.substr(0, bar);
  line.erase(0, bar == std::string::npos ? bar : bar + 3);
  return cell;
}

std::vector<Strategy> read_strategies() {
  std::vector<std::filesystem::path> files;
  for (const auto& folder : std::filesystem::directory_iterator(CLC_COURSE))
    if (exists(folder.path() / "strategies.txt")) files.push_back(folder.path() / "strategies.txt");
  std::sort(files.begin(), files.end());
  std::vector<Strategy> all;
  for (const auto& file : files) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
      if (line.starts_with("#")) continue;
      Strategy& strategy = all.emplace_back();
      strategy.chapter = file.parent_path().filename();
      strategy.name = take_cell(line);
      take_cell(line);  // the kernel
      strategy.title = take_cell(line);
      strategy.sentence = line;
    }
  }
  if (all.empty()) throw std::runtime_error("no chapter in '" CLC_COURSE "' has a strategies.txt");
  return all;
}

}  // namespace

const std::vector<Strategy>& strategies() {
  static const std::vector<Strategy> all = read_strategies();
  return all;
}

const Result* Results::find(const std::string& experiment, const std::string& variant,
                            const std::string& strategy) const {
  return all.empty() ? nullptr : find_on(all.front().gpu, experiment, variant, strategy);
}

const Result* Results::find_on(const std::string& gpu, const std::string& experiment,
                               const std::string& variant, const std::string& strategy) const {
  for (const Result& result : all) {
    if (result.gpu == gpu && result.experiment == experiment && result.variant == variant &&
        result.strategy == strategy)
      return &result;
  }
  return nullptr;
}

Results read_results(const std::vector<std::string>& files) {
  Results results;
  for (const std::string& file : files) {
    std::ifstream in(file);
    if (!in) throw std::runtime_error("'" + file + "' can't be read; give a file of measure.sh");
    for (std::string line; std::getline(in, line);) {
      if (!line.empty() && !line.starts_with("#")) results.all.push_back(parse(line, file));
    }
  }
  return results;
}

std::string time_text(const Result& result, double time) {
  if (result.simulated) {
    return report::svg::grouped(static_cast<std::uint64_t>(std::llround(time))) + " cycles";
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.3f ms", time);
  return text;
}

}  // namespace clcsim::tour
