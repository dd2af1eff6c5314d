// Compares clcsim's clock with a GPU: ratios between strategies, from two outputs of measure.sh.
//
//   clcsim_calibration h200.txt clcsim.txt      prints the table of simulator/README.md
//
// Ends with 1 where a ratio is off by more than 25 %.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Times = std::map<std::string, double>;
struct Ratio {
  std::string what, above, below;
};

Times read(const char* path) {
  std::ifstream file(path);
  Times times;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    double time;
    if (!line.starts_with("#") && words >> name >> time) times[name] = time;
  }
  return times;
}

std::vector<Ratio> ratios() {
  std::vector<Ratio> all = {
      {"prologue 16: stride / fixed work", "stride-16", "fixed-16"},
      {"prologue 16: queue / fixed work", "queue-16", "fixed-16"},
      {"prologue 2000: fixed work / stride", "fixed-2000", "stride-2000"},
      {"prologue 2000: fixed work / queue", "fixed-2000", "queue-2000"},
      {"fixed work: prologue 2000 / 16", "fixed-2000", "fixed-16"},
      {"skew 50: stride / fixed work", "stride-skew-50", "fixed-skew-50"},
      {"skew 50: queue / fixed work", "queue-skew-50", "fixed-skew-50"},
      {"skew 200: stride / fixed work", "stride-skew-200", "fixed-skew-200"},
      {"skew 200: queue / fixed work", "queue-skew-200", "fixed-skew-200"},
      {"fixed work: skew 200 / 50", "fixed-skew-200", "fixed-skew-50"},
  };
  for (const auto& [what, name] : {std::pair("wait, memory, tiles of 1024", "memory-1024"),
                                   std::pair("wait, memory, tiles of 2048", "memory-2048"),
                                   std::pair("wait, arithmetic", "arithmetic")}) {
    const std::string begin = what, fixed = std::string("waited-fixed-") + name;
    all.push_back(
        {begin + ": fixed work / its whole time", fixed, std::string("whole-fixed-") + name});
    all.push_back({begin + ": stride / fixed work", std::string("waited-stride-") + name, fixed});
    all.push_back({begin + ": queue / fixed work", std::string("waited-queue-") + name, fixed});
  }
  const char* last = "arithmetic-sms-100";
  all.push_back(
      {"one wave, arithmetic: an SM's oldest block ends / the last", "arithmetic-age-1", last});
  all.push_back(
      {"one wave, arithmetic: the fourth of eight ends / the last", "arithmetic-age-4", last});
  all.push_back(
      {"one wave, memory: the first SMs end / the last", "memory-sms-10", "memory-sms-100"});
  return all;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3)
    throw std::invalid_argument("give two outputs of measure.sh: of a GPU, and of clcsim");
  const Times real = read(argv[1]), model = read(argv[2]);
  int status = 0;
  std::puts("| ratio | H200 | clcsim h200 | off by |\n|---|---|---|---|");
  for (const Ratio& ratio : ratios()) {
    const auto of = [&](const Times& times) {
      return times.at(ratio.above) / times.at(ratio.below);
    };
    const double off = of(model) / of(real) - 1;
    if (!(std::fabs(off) <= 0.25)) status = 1;
    std::printf("| %s | %.2f | %.2f | %+.0f %% |\n", ratio.what.c_str(), of(real), of(model),
                100 * off);
  }
  return status;
} catch (const std::exception& error) {
  std::fprintf(stderr, "clcsim_calibration: something was not measured: %s\n", error.what());
  return 2;
}
