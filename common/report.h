// The report: a `key: value` line for each fact, or the same facts as one JSON object on one line.
#pragma once

#include "measure.h"

namespace clc {

inline int report(const Options& options, const cudaDeviceProp& gpu, const Problem& problem,
                  const std::vector<Run>& runs) {
  std::string out;
  const auto say = [&](const std::string& key, const auto& value) {
    std::string text;
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, bool>)
      text = value ? "true" : "false";
    else if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>)
      text = std::to_string(value);
    else
      text = options.json ? "\"" + std::string(value) + "\"" : value;
    out += options.json ? "\"" + key + "\":" + text + "," : key + ": " + text + "\n";
  };
  const auto bandwidth = [&](double milliseconds) {  // 4 bytes read and 4 written for each float
    return milliseconds > 0 ? 8e-6 * problem.elements / milliseconds : 0;
  };
  const auto judge = [&](const Run& run) {
    const ExitCode code = run.verdict();
    if (code == kWrong)
      say("why",
          "tile " + std::to_string(run.audit.first_bad_tile) + " is the first one not done once");
    if (code == kInconclusive)
      say("why", "nothing was stolen: if all blocks fit on the GPU at once, give more --elements");
    say("verdict", code == kPass ? "PASS" : code == kWrong ? "WRONG" : "INCONCLUSIVE");
    if (options.json) out.back() = '}';
  };
  say("chapter", options.chapter);
  say("gpu", gpu.name);
  // The name labels the numbers. Nothing else may depend on whether the GPU is simulated.
  say("simulated", std::string(gpu.name).rfind("clcsim", 0) == 0);
  say("elements", problem.elements);
  say("tiles", problem.tiles);
  say("tile", problem.tile);
  say("threads", options.threads);
  say("prologue", problem.prologue);
  say("skew", problem.skew);
  const Run* worst = &runs[0];
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Run& run = runs[i];
    if (i > 0 && options.json) out += "\"" + run.kernel + "\":{";
    say("kernel", run.kernel);
    say("blocks_launched", run.blocks);
    say("blocks_started", run.counts[kStarted]);
    say("prologues", run.counts[kPrologues]);
    say("steals", run.counts[kSteals]);
    say("milliseconds", run.milliseconds);
    say("gigabytes_per_second", bandwidth(run.milliseconds));
    say("copy_gigabytes_per_second", bandwidth(run.copy_milliseconds));
    say("missed", run.audit.missed);
    say("doubled", run.audit.doubled);
    say("wrong", run.audit.wrong);
    if (i > 0 && options.json) judge(run), out += ",";
    if (run.verdict() == kWrong || worst->verdict() == kPass) worst = &run;
  }
  judge(*worst);
  std::printf(options.json ? "{%s\n" : "%s", out.c_str());
  return worst->verdict();
}

}  // namespace clc
