#include "tour/results.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "report/svg.h"

namespace clcsim::tour {
namespace {

// The value behind a key of a chapter's object: these objects are flat, and no text in them holds
// a quote.
std::string value_of(const std::string& object, const std::string& key) {
  const std::string head = '"' + key + "\":";
  const std::size_t found = object.find(head);
  if (found == std::string::npos) return {};
  std::size_t begin = found + head.size();
  const bool quoted = object[begin] == '"';
  begin += quoted;
  return object.substr(begin, object.find_first_of(quoted ? "\"" : ",}", begin) - begin);
}

double number_of(const std::string& object, const std::string& key) {
  return std::atof(value_of(object, key).c_str());
}

Result parse(const std::string& line, const std::string& file) {
  Result result;
  std::istringstream words(line);
  words >> result.experiment >> result.variant >> result.strategy;
  const std::size_t brace = line.find('{');
  if (brace == std::string::npos) {
    throw std::runtime_error("'" + file + "' has a line that measure.sh didn't write: " + line);
  }
  const std::string object = line.substr(brace);
  result.gpu = value_of(object, "gpu");
  result.simulated = value_of(object, "simulated") == "true";
  result.passed = value_of(object, "verdict") == "PASS";
  result.tiles = static_cast<long long>(number_of(object, "tiles"));
  result.started = static_cast<long long>(number_of(object, "blocks_started"));
  result.prologues = static_cast<long long>(number_of(object, "prologues"));
  result.steals = static_cast<long long>(number_of(object, "steals"));
  const std::string unit = result.simulated ? "cycles" : "milliseconds";
  const std::string rate = result.simulated ? "bytes_per_cycle" : "gigabytes_per_second";
  result.time = number_of(object, unit);
  result.bandwidth = number_of(object, rate);
  result.copy_bandwidth = number_of(object, "copy_" + rate);
  result.urgent_time = number_of(object, "urgent_" + unit);
  result.beside_urgent = number_of(object, "beside_urgent_" + unit);
  return result;
}

}  // namespace

const std::vector<Strategy>& strategies() {
  static const std::vector<Strategy> all = {
      {"fixed", "fixed work", "01_fixed_work/fixed.svg"},
      {"stride", "grid stride", "02_grid_stride/stride.svg"},
      {"queue", "tile queue", "02_grid_stride/queue.svg"},
      {"clc", "CLC", "03_clc_basic/clc.svg"},
      {"double", "CLC, two slots", "03_clc_basic/double.svg"},
      {"cluster", "CLC, clusters of 2", "04_clc_cluster/cluster.svg"},
      {"for-each", "for_each_canceled_block", "06_for_each_canceled_block/for-each.svg"},
  };
  return all;
}

const Result* Results::find(const std::string& experiment, const std::string& variant,
                            const std::string& strategy) const {
  const Result* found = nullptr;
  for (const Result& result : all) {
    if (result.experiment != experiment || result.variant != variant || result.strategy != strategy)
      continue;
    if (found == nullptr || found->simulated) found = &result;
  }
  return found;
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
      if (line.starts_with("#")) {
        results.remarks.push_back(line.substr(line.find_first_not_of("# ")));
      } else if (!line.empty()) {
        results.all.push_back(parse(line, file));
      }
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
