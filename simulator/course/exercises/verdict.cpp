#include "exercises/verdict.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <stdexcept>
#include <tuple>

#include "exercises/process.h"
#include "report/json_reader.h"

namespace clcsim::exercises {
namespace {

namespace fs = std::filesystem;

constexpr int kStopped = 124, kKilled = 137;

// Takes the lines that begin with `start` out of `text`, and returns the last of them without it.
std::string take_word(std::string& text, const std::string& start) {
  std::string word, rest;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(start)) {
      word = line.substr(start.size());
    } else {
      rest += line + '\n';
    }
  }
  text = rest;
  return word;
}

void read_findings(const fs::path& path, Outcome& outcome) {
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  if (text.empty()) return;  // the program has ended before it came to a GPU
  const report::Json run = report::Json::parse(text);
  outcome.seed = std::to_string(run["seed"].integer());
  for (const report::Json& finding : run["findings"].array()) {
    if (finding["kind"].text() != "error") continue;
    outcome.finding = finding["name"].text();
    return;
  }
}

}  // namespace

Outcome check(const Exercise& exercise, const fs::path& build,
              const std::vector<std::string>& program, int seconds) {
  const std::string word =
      std::to_string(std::random_device()()) + std::to_string(std::random_device()());
  // Nothing else that is printed looks like what the check says.
  setenv("CLC_EXERCISE_WORD", word.c_str(), 1);
  std::string folder = (fs::temp_directory_path() / "clc-check-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr)
    throw std::runtime_error("can't write to " + fs::temp_directory_path().string());
  const fs::path findings = fs::path(folder) / "findings.json";
  Outcome outcome;
  for (const std::string& gpu : exercise.gpus) {
    std::vector<std::string> command = {
        build / "bin/clcsim",          "--gpu",        gpu,      "--limit-seconds",
        std::to_string(seconds),       "--check-json", findings, "--explore",
        std::to_string(exercise.seeds)};
    command.insert(command.end(), program.begin(), program.end());
    Ended ended = run(command, std::chrono::seconds(6 * seconds));
    outcome = {.status = ended.too_late ? kStopped : ended.status,
               .gpu = gpu,
               .out = std::move(ended.out),
               .err = std::move(ended.err)};
    outcome.failed = take_word(outcome.out, "check " + word + ": ");
    read_findings(findings, outcome);
    if (outcome.status != kPass || outcome.failed != "passed") break;
  }
  fs::remove_all(folder);
  unsetenv("CLC_EXERCISE_WORD");
  if (outcome.status == kPass && outcome.failed != "passed") {  // it didn't come to its end
    outcome.status = kWrong;
    outcome.failed = "ended";
    outcome.out += "  your code has ended the program before the check was done   <--\n";
  }
  if (outcome.failed == "passed") outcome.failed.clear();
  return outcome;
}

Verdict judge(const Exercise& exercise, const Outcome& outcome) {
  const auto& [finding, failed] = std::tie(outcome.finding, outcome.failed);
  const auto first = [](const std::string& a, const std::string& b) { return a.empty() ? b : a; };
  if (outcome.status == kPass) {
    std::string more;
    if (exercise.seeds > 1) more += ", under " + std::to_string(exercise.seeds) + " seeds";
    if (exercise.gpus.size() > 1) {
      more += std::string(more.empty() ? "," : "") + " on each of the GPUs";
      for (const std::string& gpu : exercise.gpus)
        more += (gpu == exercise.gpus[0] ? " " : ", ") + gpu;
    }
    return {"PASS", more, ""};
  }
  if (outcome.status == kTodo)
    return {"TODO", ": open " + exercise.file + ", and set kReady = true when it is to be checked",
            ""};
  if (outcome.status == kNothingStolen) return {"NOTHING STOLEN", "", "nothing stolen"};
  if (outcome.status == kStopped || outcome.status == kKilled)
    return {"TOO SLOW" + (finding.empty() ? "" : ", " + finding), ": it does not end",
            first(finding, "too slow")};
  if (outcome.status == kWrong) {
    const std::string key = first(finding, failed);
    return {"WRONG, " + first(key, "no word of what"), "", key};
  }
  const bool crashed = outcome.status >= 128;
  const std::string key = first(finding, crashed ? "crash" : failed);
  return {finding.empty() ? "ERROR, " + first(key, "no word of what") : finding, "", key};
}

}  // namespace clcsim::exercises
