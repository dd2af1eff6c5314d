#include "measure/measure.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "commands/process.h"
#include "report/json.h"

namespace clcsim::measure {
namespace {

using Words = std::vector<std::string>;
using report::json_string;

constexpr std::chrono::hours kLimit(1);

struct Run {
  Words command;
  std::string names;  // of experiment, variant and strategy, as the beginning of an object
  std::string said;   // by the program: an object; empty if it can't run
  std::string error;
};

std::string names(const Experiment& experiment, const std::string& strategy) {
  return "{\"experiment\":" + json_string(experiment.name) +
         ",\"variant\":" + json_string(experiment.variant) +
         ",\"strategy\":" + json_string(strategy) + ",";
}

bool is_there(const std::string& program) {
  return access(program.c_str(), X_OK) == 0;
}

std::vector<Run> runs_of(const std::vector<Experiment>& experiments, const Target& target) {
  std::vector<Run> runs;
  for (const Experiment& experiment : experiments) {
    const Words begin = launcher(target, experiment.gpu);
    const auto add = [&](Words command, const std::string& strategy) {
      if (!is_there(command[0])) return;  // the toolkit or the target can't hold this chapter
      append(command, experiment.options);
      command.insert(command.begin(), begin.begin(), begin.end());
      runs.push_back({command, names(experiment, strategy), {}, {}});
    };
    if (!experiment.program.empty()) {
      add({target.bin + "/" + experiment.program}, {});
      continue;
    }
    const auto& wanted = experiment.strategies;
    for (const Strategy& strategy : strategies()) {
      if (wanted.empty() || std::find(wanted.begin(), wanted.end(), strategy.name) != wanted.end())
        add(program(target, strategy), strategy.name);
    }
  }
  return runs;
}

// Exit status 4: nothing was stolen. 77: the GPU is too old.
void execute(Run& run) {
  const commands::Ended ended = commands::run(run.command, kLimit);
  if (ended.status == 0 || ended.status == 4) {
    if (ended.out.find("this GPU can't") == std::string::npos) run.said = ended.out;
  } else if (ended.status != 77) {
    for (const std::string& word : run.command) run.error += word + " ";
    run.error += "ended with " + std::to_string(ended.status) + "\n" + ended.out + ended.err;
  }
}

void execute(std::vector<Run>& runs, const Target& target) {
  if (target.dots) std::fprintf(stderr, "%zu runs, a dot for each\n", runs.size());
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> failed = false;
  std::vector<std::thread> workers;
  for (int i = 0; i < target.jobs; ++i) {
    workers.emplace_back([&] {
      for (std::size_t mine; !failed && (mine = next++) < runs.size();) {
        execute(runs[mine]);
        if (!runs[mine].error.empty()) failed = true;
        if (target.dots) std::fputc('.', stderr);
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  if (target.dots) std::fputc('\n', stderr);
}

}  // namespace

Words launcher(const Target& target, const std::string& add_to_gpu) {
  if (!target.simulated()) return {};
  return {target.bin + "/clcsim", "--check", "off", "--gpu", target.gpu + add_to_gpu};
}

Words program(const Target& target, const Strategy& strategy) {
  return {target.bin + "/" + strategy.chapter, "--kernel", strategy.kernel, "--json"};
}

void append(Words& command, const std::string& words) {
  std::istringstream in(words);
  for (std::string word; in >> word;) command.push_back(word);
}

std::string measure(const std::vector<Experiment>& experiments, const Target& target,
                    const std::string& about) {
  std::vector<Run> runs = runs_of(experiments, target);
  if (runs.empty()) throw std::runtime_error("'" + target.bin + "' has none of the programs");
  execute(runs, target);
  std::string text = "{\"about\":" + json_string(about) + ",\n\"measurements\":[";
  const char* before = "\n";
  for (const Run& run : runs) {
    if (!run.error.empty()) throw std::runtime_error(run.error);
    if (run.said.empty()) continue;
    text += before + run.names + run.said.substr(1, run.said.find('\n') - 1);
    before = ",\n";
  }
  return text + "\n]}\n";
}

}  // namespace clcsim::measure
