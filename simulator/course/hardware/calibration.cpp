// Compares clcsim's clock with a GPU: ratios between strategies, from two recordings of
// `clc_measure clock`.
//
//   hardware_calibration h200.rec clcsim-h200.rec        prints the table of simulator/README.md
//
// Ends with 1 where a ratio is off by more than 25 %.
//
//   hardware_calibration RECORDING                        prints what the ratios are made of
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "measure/recording.h"

namespace {

using clcsim::measure::Result, clcsim::measure::Results, clcsim::measure::read_results;

// Of a recording a time, a wait or a share.
struct Value {
  std::string experiment, variant, strategy;
  double (*of)(const Result&) = [](const Result& result) { return result.time; };
};
struct Ratio {
  std::string what;
  Value above, below;
};

double waited(const Result& result) {
  return result.urgent_time;
}
double beside(const Result& result) {
  return result.beside_urgent;
}

// Of several repetitions the one with the median wait.
double value_of(const Results& results, const Value& value) {
  std::vector<const Result*> found;
  for (const Result& result : results.all)
    if (result.experiment == value.experiment && result.variant == value.variant &&
        result.strategy == value.strategy)
      found.push_back(&result);
  if (found.empty()) throw std::runtime_error(value.experiment + " " + value.variant);
  std::sort(found.begin(), found.end(),
            [](const Result* a, const Result* b) { return waited(*a) < waited(*b); });
  return value.of(*found[(found.size() - 1) / 2]);
}

std::vector<Ratio> ratios() {
  const auto ratio = [](const char* what, const char* experiment, const char* above,
                        const char* above_variant, const char* below, const char* below_variant) {
    return Ratio{what, {experiment, above_variant, above}, {experiment, below_variant, below}};
  };
  std::vector<Ratio> all = {
      ratio("prologue 16: stride / fixed work", "prologue", "stride", "16", "fixed", "16"),
      ratio("prologue 16: queue / fixed work", "prologue", "queue", "16", "fixed", "16"),
      ratio("prologue 2000: fixed work / stride", "prologue", "fixed", "2000", "stride", "2000"),
      ratio("prologue 2000: fixed work / queue", "prologue", "fixed", "2000", "queue", "2000"),
      ratio("fixed work: prologue 2000 / 16", "prologue", "fixed", "2000", "fixed", "16"),
      ratio("skew 50: stride / fixed work", "skew", "stride", "50", "fixed", "50"),
      ratio("skew 50: queue / fixed work", "skew", "queue", "50", "fixed", "50"),
      ratio("skew 200: stride / fixed work", "skew", "stride", "200", "fixed", "200"),
      ratio("skew 200: queue / fixed work", "skew", "queue", "200", "fixed", "200"),
      ratio("fixed work: skew 200 / 50", "skew", "fixed", "200", "fixed", "50"),
  };
  for (const auto& [begin, variant] : {std::pair("wait, memory, tiles of 1024", "memory-1024"),
                                       std::pair("wait, memory, tiles of 2048", "memory-2048"),
                                       std::pair("wait, arithmetic", "arithmetic")}) {
    const std::string what = begin;
    const Value fixed{"wait", variant, "fixed", waited};
    all.push_back(
        {what + ": fixed work / its whole time", fixed, {"wait", variant, "fixed", beside}});
    all.push_back({what + ": stride / fixed work", {"wait", variant, "stride", waited}, fixed});
    all.push_back({what + ": queue / fixed work", {"wait", variant, "queue", waited}, fixed});
  }
  const auto share = [](const char* variant, double (*of)(const Result&)) {
    return Value{"wave", variant, "", of};
  };
  const auto last = [](const Result& wave) { return wave.said["sms-100"].number(0); };
  const auto oldest = [](const Result& wave) { return wave.said["age-1"].number(0); };
  const auto fourth = [](const Result& wave) { return wave.said["age-4"].number(0); };
  const auto first = [](const Result& wave) { return wave.said["sms-10"].number(0); };
  all.push_back({"one wave, arithmetic: an SM's oldest block ends / the last",
                 share("arithmetic", oldest), share("arithmetic", last)});
  all.push_back({"one wave, arithmetic: the fourth of eight ends / the last",
                 share("arithmetic", fourth), share("arithmetic", last)});
  all.push_back({"one wave, memory: the first SMs end / the last", share("memory", first),
                 share("memory", last)});
  return all;
}

void print_values(const Results& results) {
  for (const Result& result : results.all) {
    std::printf("%s %s %s", result.experiment.c_str(), result.variant.c_str(),
                result.strategy.c_str());
    if (result.experiment == "wave") {
      for (const auto& [name, share] : result.said.object())
        if (name.starts_with("age-") || name.starts_with("sms-"))
          std::printf(" %s=%.2f", name.c_str(), share.number(0));
    } else if (result.experiment == "wait") {
      std::printf(" %.10g %.10g", result.urgent_time, result.beside_urgent);
    } else {
      std::printf(" %.10g", result.time);
    }
    std::puts("");
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc == 2) {
    print_values(read_results({argv[1]}));
    return 0;
  }
  if (argc != 3) throw std::invalid_argument("give two recordings: of a GPU, and of clcsim");
  const Results real = read_results({argv[1]}), model = read_results({argv[2]});
  int status = 0;
  std::puts("| ratio | H200 | clcsim h200 | off by |\n|---|---|---|---|");
  for (const Ratio& ratio : ratios()) {
    const auto of = [&](const Results& results) {
      return value_of(results, ratio.above) / value_of(results, ratio.below);
    };
    const double off = of(model) / of(real) - 1;
    if (!(std::fabs(off) <= 0.25)) status = 1;
    std::printf("| %s | %.2f | %.2f | %+.0f %% |\n", ratio.what.c_str(), of(real), of(model),
                100 * off);
  }
  return status;
} catch (const std::exception& error) {
  std::fprintf(stderr, "hardware_calibration: something was not measured: %s\n", error.what());
  return 2;
}
