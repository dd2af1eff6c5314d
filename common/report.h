// The report: a `key: value` line for each fact, or the same facts as one JSON object on one line.
#pragma once

#include "device.h"
#include "measure.h"

namespace clc {

inline int report(const Options& options, const cudaDeviceProp& gpu, const Problem& problem,
                  const std::vector<Run>& runs) {
  using std::to_string;
  std::string out;
  const auto say = [&](const std::string& key, const std::string& value) {
    out += options.json ? "\"" + key + "\":" + value + "," : key + ": " + value + "\n";
  };
  const auto word = [&](const std::string& text) { return options.json ? '"' + text + '"' : text; };
  const auto bandwidth = [&](double milliseconds) {  // 4 bytes read and 4 written for each float
    return to_string(milliseconds > 0 ? 8e-6 * problem.elements / milliseconds : 0);
  };
  const auto judge = [&](const Run& run) {
    const ExitCode code = run.verdict();
    const std::string tile = to_string(run.audit.first_bad_tile);
    if (code == kWrong) say("why", word("tile " + tile + " is the first one not done once"));
    if (code == kInconclusive)
      say("why", word("nothing was stolen: if all blocks fit on the GPU at once, give more "
                      "--elements"));
    if (run.fallback)
      say("why", word("nothing was stolen: this GPU can't, so each block did its own"));
    say("verdict", word(verdict_word(code)));
    if (options.json) out.back() = '}';
  };
  say("chapter", word(options.chapter));
  say("gpu", word(gpu.name));
  say("simulated", simulated(gpu) ? "true" : "false");
  say("elements", to_string(problem.elements));
  say("tiles", to_string(problem.tiles));
  say("tile", to_string(problem.tile));
  say("threads", to_string(options.threads));
  say("prologue", to_string(problem.prologue));
  say("skew", to_string(problem.skew));
  const Run* worst = &runs[0];
  for (const Run& run : runs) {
    const bool further = &run != &runs[0];
    if (further && options.json) out += "\"" + run.kernel + "\":{";
    say("kernel", word(run.kernel));
    say("blocks_launched", to_string(run.blocks));
    say("blocks_started", to_string(run.counts[kStarted]));
    say("prologues", to_string(run.counts[kPrologues]));
    say("steals", to_string(run.counts[kSteals]));
    say("milliseconds", to_string(run.milliseconds));
    say("gigabytes_per_second", bandwidth(run.milliseconds));
    say("copy_gigabytes_per_second", bandwidth(run.copy_milliseconds));
    if (options.urgent) {
      say("urgent_milliseconds", to_string(run.urgent_milliseconds));
      say("beside_urgent_milliseconds", to_string(run.beside_urgent_milliseconds));
    }
    say("missed", to_string(run.audit.missed));
    say("doubled", to_string(run.audit.doubled));
    say("wrong", to_string(run.audit.wrong));
    if (further && options.json) judge(run), out += ",";
    if (run.verdict() == kWrong || worst->verdict() == kPass) worst = &run;
  }
  judge(*worst);
  std::printf(options.json ? "{%s\n" : "%s", out.c_str());
  return worst->verdict();
}

}  // namespace clc
