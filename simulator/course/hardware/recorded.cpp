#include "hardware/recorded.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <sstream>

#include "measure/files.h"
#include "measure/strategies.h"
#include "process/process.h"

namespace clcsim::hardware {
namespace {

using measure::Result;
using report::Json;
using Lines = std::vector<std::string>;
using Repetitions = std::vector<const Result*>;

constexpr std::chrono::minutes kLimit(15);  // report.sh has shorter ones
constexpr const char* kRecording = ".measured.json";

template <class F>
void add(Lines& lines, const std::string& quantity, const char* format, std::size_t count,
         F&& value) {
  std::string line = quantity;
  for (std::size_t i = 0; i < count; ++i) {
    char text[32];
    std::snprintf(text, sizeof text, format, value(i));
    line += std::string(" ") + text;
  }
  if (count > 0) lines.push_back(line);
}

double time_of(const Result& result) {
  return result.time;
}
double wait_of(const Result& result) {
  return result.urgent_time;
}

void add_ratio(Lines& lines, const std::string& quantity, const Repetitions& above,
               const Repetitions& below, double (*of)(const Result&)) {
  add(lines, quantity + " ratio", "%.3f", std::min(above.size(), below.size()),
      [&](std::size_t i) { return of(*above[i]) / of(*below[i]); });
}

std::vector<std::filesystem::path> files_in(const std::string& folder, const std::string& end) {
  std::vector<std::filesystem::path> files;
  for (const auto& file : std::filesystem::directory_iterator(folder))
    if (file.path().string().ends_with(end)) files.push_back(file.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<Json> objects_in(const std::string& text) {
  std::vector<Json> objects;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("{")) objects.push_back(Json::parse(line));
  return objects;
}

}  // namespace

Lines quantities_of(const measure::Results& results) {
  Lines lines;
  for (const measure::Strategy& strategy : measure::strategies()) {
    const std::string& name = strategy.name;
    const Repetitions copied = results.repetitions("bandwidth", "copy", name);
    add(lines, "bandwidth." + name + ".of-copy percent", "%.2f", copied.size(),
        [&](std::size_t i) { return 100 * copied[i]->bandwidth / copied[i]->copy_bandwidth; });
    add_ratio(lines, "prologue." + name + ".over-fixed",
              results.repetitions("prologue", "500", name),
              results.repetitions("prologue", "500", "fixed"), time_of);
    for (const std::string shape : {"heavy-tail", "periodic"}) {
      add_ratio(lines, shape + "." + name + ".over-even",
                results.repetitions(shape, "uneven", name),
                results.repetitions(shape, "even", name), time_of);
    }
    add_ratio(lines, "preemption." + name + ".over-fixed",
              results.repetitions("preemption", "even", name),
              results.repetitions("preemption", "even", "fixed"), wait_of);
  }
  const Repetitions counts = results.repetitions("report", "counts", "clc");
  const auto started = [&](std::size_t i) { return static_cast<double>(counts[i]->started); };
  const auto stolen = [&](std::size_t i) { return static_cast<double>(counts[i]->steals); };
  add(lines, "report.started blocks", "%.0f", counts.size(), started);
  add(lines, "report.stolen blocks", "%.0f", counts.size(), stolen);
  return lines;
}

Lines observed_in(const std::string& folder) {
  Lines all;
  for (const auto& file : files_in(folder, "")) {
    const std::string path = file.string();
    Lines lines;
    if (path.ends_with(".txt")) lines = measure::lines_of(path);
    if (path.ends_with(kRecording)) lines = quantities_of(measure::read_results({path}));
    all.insert(all.end(), lines.begin(), lines.end());
  }
  return all;
}

Lines not_run_in(const std::string& folder) {
  Lines all;
  for (const std::string kind : {"skipped", "failed"}) {
    for (const auto& file : files_in(folder, "." + kind)) {
      std::string why = measure::read_file(file);
      why.erase(why.find_last_not_of('\n') + 1);
      all.push_back(kind + " " + file.stem().string() + " " + why);
    }
  }
  return all;
}

std::string end_of_pitfall(const std::vector<std::string>& command) {
  const process::Ended ended = process::run(command, kLimit);
  const std::vector<Json> objects = objects_in(ended.out);
  const Json said = objects.empty() ? Json() : objects.back();
  const std::string& error = said["error"].text();
  // clcsim ends a deadlock with that error, and at its limit with 124.
  if (ended.err.find("still ran after") != std::string::npos || ended.status == 124 ||
      error == "cudaErrorLaunchTimeout")
    return "hangs";
  if (error.empty()) return "ended-with-" + std::to_string(ended.status);
  if (error != "cudaSuccess") return error;
  const std::string& verdict = said["verdict"].text();
  if (verdict == "WRONG") return "wrong-result";
  return verdict == "INCONCLUSIVE" ? "steals-nothing" : "right-by-luck";
}

Lines pitfalls_of(const std::string& program) {
  Lines names;
  for (const Json& pitfall : objects_in(process::run({program, "--json"}, kLimit).out))
    names.push_back(pitfall["pitfall"].text());
  return names;
}

}  // namespace clcsim::hardware
