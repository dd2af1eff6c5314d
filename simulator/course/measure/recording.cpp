#include "measure/recording.h"

#include <stdexcept>

#include "measure/files.h"

namespace clcsim::measure {
namespace {

using report::Json;

Result result_of(const Json& said) {
  Result result;
  result.experiment = said["experiment"].text();
  result.variant = said["variant"].text();
  result.strategy = said["strategy"].text();
  result.gpu = said["gpu"].text();
  result.simulated = said["simulated"].truth();
  result.passed = said["verdict"].text() == "PASS";
  result.tiles = said["tiles"].whole(0);
  result.started = said["blocks_started"].whole(0);
  result.prologues = said["prologues"].whole(0);
  result.steals = said["steals"].whole(0);
  const std::string unit = result.simulated ? "cycles" : "milliseconds";
  const std::string rate = result.simulated ? "bytes_per_cycle" : "gigabytes_per_second";
  result.time = said[unit].number(0);
  result.bandwidth = said[rate].number(0);
  result.copy_bandwidth = said["copy_" + rate].number(0);
  result.urgent_time = said["urgent_" + unit].number(0);
  result.beside_urgent = said["beside_urgent_" + unit].number(0);
  result.said = said;
  return result;
}

}  // namespace

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

Results results_of(const std::string& recording) {
  Results results;
  const Json all = Json::parse(recording);
  for (const Json& said : all["measurements"].array()) results.all.push_back(result_of(said));
  return results;
}

Results read_results(const std::vector<std::string>& files) {
  Results results;
  for (const std::string& file : files) {
    try {
      for (Result& result : results_of(read_file(file)).all)
        results.all.push_back(std::move(result));
    } catch (const report::JsonError& error) {
      throw std::runtime_error("'" + file + "' is no recording of clc_measure: " + error.what());
    }
  }
  return results;
}

}  // namespace clcsim::measure
