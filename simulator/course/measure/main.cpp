// Measures the strategies of the chapters, on this machine's GPU or on a simulated one, and prints
// a recording: see usage().
#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>

#include "measure/files.h"
#include "measure/measure.h"
#include "measure/recording.h"
#include "report/table.h"

namespace {

using namespace clcsim::measure;

std::string usage() {
  return "usage: clc_measure SET... [options] >recording.json\n"
         "       clc_measure --with \"--elements 1048576 --tile 256\" [options]\n" +
         sets_in_words() +
         "options:\n"
         "  --with OPTIONS    a table of all strategies, which get these options of the chapters\n"
         "  --gpu NAME|FILE   no GPU, but clcsim with this one\n"
         "  --bin FOLDER      the programs (default: build/bin)\n"
         "  --jobs N          runs at a time (default 1: on a GPU they would disturb each other)\n"
         "  --about TEXT      goes into the recording: GPU, driver, toolkit, date\n"
         "  --out FILE        the recording, in place of standard output\n";
}

int positive(const std::string& name, const std::string& text) {
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  const int value = digits && text.size() < 5 ? std::stoi(text) : 0;
  if (value == 0) throw std::invalid_argument(name + " can't be '" + text + "'; give a number");
  return value;
}

// What every strategy did with the same options.
std::string table_of(const Results& results) {
  if (results.all.empty())
    throw std::runtime_error("no chapter runs on this machine's GPU: give --gpu mini for clcsim");
  const bool simulated = results.all.front().simulated;
  std::vector<std::vector<std::string>> rows = {{"strategy", "on", "tiles", "started", "stolen",
                                                 "prologues", simulated ? "cycles" : "microseconds",
                                                 simulated ? "bytes/cycle" : "GB/s", "verdict"}};
  const auto number = [](double value) { return std::to_string(std::llround(value)); };
  for (const Result& one : results.all)
    rows.push_back({one.strategy, one.gpu, number(one.tiles), number(one.started),
                    number(one.steals), number(one.prologues),
                    number(one.time * (simulated ? 1 : 1000)), number(one.bandwidth),
                    one.said["verdict"].text()});
  return clcsim::report::table(rows, 2);
}

int run(const std::vector<std::string>& words) {
  Target target{.bin = "build/bin", .dots = true};
  std::vector<std::string> sets;
  std::string about, with, out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& name = words[i];
    if (!name.starts_with("--")) {
      sets.push_back(name);
      continue;
    }
    if (++i == words.size()) throw std::invalid_argument(name + " needs a value");
    if (name == "--gpu")
      target.gpu = words[i];
    else if (name == "--bin")
      target.bin = words[i];
    else if (name == "--about")
      about = words[i];
    else if (name == "--with")
      with = words[i];
    else if (name == "--out")
      out = words[i];
    else if (name == "--jobs")
      target.jobs = positive(name, words[i]);
    else
      throw std::invalid_argument("unknown option '" + name + "'");
  }
  if (sets.empty() == with.empty())
    throw std::invalid_argument("give sets of experiments, or --with options of the chapters");
  if (sets.empty()) {
    const std::string recording =
        measure({{.name = "with", .variant = with, .options = with}}, target, about);
    std::fputs(table_of(results_of(recording)).c_str(), stdout);
    return 0;
  }
  std::vector<Experiment> all;
  for (const std::string& set : sets)
    for (Experiment& experiment : experiments(set, target.simulated()))
      all.push_back(std::move(experiment));
  const std::string recording = measure(all, target, about);
  if (out.empty())
    std::fputs(recording.c_str(), stdout);
  else
    write_file(out, recording);
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  return run({argv + 1, argv + argc});
} catch (const std::invalid_argument& error) {
  std::fprintf(stderr, "clc_measure: %s\n%s", error.what(), usage().c_str());
  return 2;
} catch (const std::exception& error) {
  std::fprintf(stderr, "clc_measure: %s\n", error.what());
  return 1;
}
