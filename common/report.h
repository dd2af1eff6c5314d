// What came of a kernel: its counts, its verdict, its times; and the report of them, a `key: value`
// line for each fact, or the same facts as one JSON object.
#pragma once

#include <algorithm>

#include "options.h"

namespace clc {

struct Run {
  std::string kernel;
  int blocks = 0;           // launched
  bool must_steal = false;  // a run without a steal shows nothing
  bool fallback = false;    // this GPU can't steal, and the kernel knows how to do without
  unsigned long long counts[kEvents] = {};
  Audit audit = {};
  double milliseconds = 0, copy_milliseconds = 0;
  double urgent_milliseconds = 0, beside_urgent_milliseconds = 0;

  ExitCode verdict() const {
    if (!audit.exactly_once()) return kWrong;
    return must_steal && !fallback && counts[kSteals] == 0 ? kInconclusive : kPass;
  }
};

inline int report(const Options& options, const cudaDeviceProp& gpu, const Problem& problem,
                  const std::vector<Run>& runs) {
  std::string out;
  const auto raw = [&](const std::string& key, const std::string& value) {
    out += options.json ? "\"" + key + "\":" + value + "," : key + ": " + value + "\n";
  };
  const auto word = [&](const std::string& key, const std::string& text) {
    raw(key, options.json ? '"' + text + '"' : text);
  };
  const auto say = [&](const std::string& key, auto value) { raw(key, std::to_string(value)); };
  // A simulated GPU has cycles of a model's clock, which are no GPU's milliseconds.
  int kilohertz = 0;
  if (simulated(gpu)) CUDA_CHECK(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0));
  const auto time = [&](const std::string& key, double milliseconds) {
    if (kilohertz == 0) return say(key + "milliseconds", milliseconds);
    say(key + "cycles", std::llround(milliseconds * kilohertz));
  };
  const auto rate = [&](const std::string& key, double milliseconds) {
    const double bytes = 8.0 * problem.elements;  // 4 read and 4 written for each float
    if (kilohertz == 0) return say(key + "gigabytes_per_second", 1e-6 * bytes / milliseconds);
    say(key + "bytes_per_cycle", bytes / (milliseconds * kilohertz));
  };
  const auto judge = [&](const Run& run) {
    const ExitCode code = run.verdict();
    if (code == kWrong)
      word("why", "tile " + std::to_string(run.audit.first_bad_tile) +
                      " is the first one not done exactly once");
    if (code == kInconclusive)
      word("why", "nothing was stolen: if all blocks fit on the GPU at once, give more --elements");
    if (run.fallback)
      word("why", "nothing was stolen: this GPU can't, so each block did its own tile");
    word("verdict", verdict_word(code));
    if (options.json) out.back() = '}';
  };
  word("chapter", options.chapter), word("gpu", gpu.name);
  raw("simulated", simulated(gpu) ? "true" : "false");
  say("elements", problem.elements), say("tiles", problem.tiles), say("tile", problem.tile);
  say("threads", options.threads), say("prologue", problem.prologue), say("skew", problem.skew);
  const Run* worst = &runs[0];
  for (const Run& run : runs) {
    const bool nested = options.json && &run != &runs[0];
    if (nested) out += "\"" + run.kernel + "\":{";
    word("kernel", run.kernel);
    say("blocks_launched", run.blocks), say("blocks_started", run.counts[kStarted]);
    say("prologues", run.counts[kPrologues]), say("steals", run.counts[kSteals]);
    time("", run.milliseconds);
    rate("", run.milliseconds), rate("copy_", run.copy_milliseconds);
    if (options.urgent != 0) {
      time("urgent_", run.urgent_milliseconds);
      time("beside_urgent_", run.beside_urgent_milliseconds);
    }
    say("missed", run.audit.missed), say("doubled", run.audit.doubled);
    say("wrong", run.audit.wrong);
    if (nested) judge(run), out += ",";
    if (run.verdict() == kWrong || worst->verdict() == kPass) worst = &run;
  }
  judge(*worst);
  std::printf(options.json ? "{%s\n" : "%s", out.c_str());
  return worst->verdict();
}

}  // namespace clc
