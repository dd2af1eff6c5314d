#include <stdexcept>

#include "measure/measure.h"

namespace clcsim::measure {
namespace {

using Experiments = std::vector<Experiment>;

std::string launches(bool simulated, int warmup, int runs) {
  if (simulated) warmup = 0, runs = 1;
  return " --warmup " + std::to_string(warmup) + " --runs " + std::to_string(runs);
}

// ---- The programming guide's table: overheads, balance, preemption ------------------------------

struct Size {
  std::string copied;  // for the overheads, with equal tiles
  int costly;          // FMAs of an expensive prologue
  std::string uneven;  // for the balance
  std::string urgent;  // for preemption
};

Experiments guide(const Size& size, const std::string& runs,
                  const std::vector<std::string>& strategies = {}) {
  Experiments all;
  for (const int prologue : {16, size.costly}) {
    const std::string fmas = std::to_string(prologue);
    all.push_back({"overheads", fmas, size.copied + " --prologue " + fmas + runs, strategies});
  }
  int shape = 0;
  for (const char* name : {"heavy-tail", "random", "growing", "periodic", "even"}) {
    const std::string number = std::to_string(shape++);
    all.push_back({"balance", name, size.uneven + " --shape " + number + runs, strategies});
  }
  all.push_back({"preemption", "even", size.urgent + " --urgent 1" + runs, strategies});
  return all;
}

Experiments gpu(bool simulated) {  // 128 MiB: more than an L2 holds
  const std::string tiles = "--threads 256 --elements 33554432 --tile 2048";
  return guide({tiles, 2000, tiles + " --skew 200", tiles + " --shape 4 --skew 2000"},
               launches(simulated, 2, 11));
}

Experiments mini(bool simulated) {
  const std::string copied = "--threads 256 --elements 614400 --tile 1024";
  return guide({copied, 2000, "--threads 256 --elements 221184 --tile 256 --skew 60", copied},
               launches(simulated, 0, 1));
}

Experiments b200(bool simulated) {
  const std::string copied = "--threads 256 --elements 16777216 --tile 1024";
  return guide({copied, 1000, "--threads 64 --elements 12288000 --tile 64 --skew 10", copied},
               launches(simulated, 0, 1));
}

Experiments part(bool simulated) {  // for b200:8, an eighteenth of a b200
  const std::string copied = "--threads 256 --elements 1048576 --tile 1024";
  return guide({copied, 1000, "--threads 64 --elements 442368 --tile 64 --skew 10", copied},
               launches(simulated, 0, 1), {"fixed", "stride", "clc", "double"});
}

// ---- How the cost grows -------------------------------------------------------------------------

Experiment tiles(int power, bool simulated, const std::string& gpu) {
  return {.name = "scale",
          .variant = std::to_string(power),
          .options = "--threads 32 --tile 32 --elements " + std::to_string(32LL << power) +
                     launches(simulated, 1, 3),
          .gpu = gpu};
}

Experiments scale(bool simulated) {
  Experiments all;
  if (simulated) {
    for (const char* sms : {":1", ":4", ":16", ":64", ":148"})
      all.push_back(tiles(14, simulated, sms));
  }
  for (int power = 6; power <= 22; power += 2) all.push_back(tiles(power, simulated, ""));
  return all;
}

// ---- The pictures, and the table of chapter 03 --------------------------------------------------

Experiments claim(bool simulated) {
  const std::string small = "--threads 32 --tile 32" + launches(simulated, 0, 1);
  const std::vector<std::string> which = {"fixed", "stride", "queue", "clc"};
  // 36 tiles on the 8 slots of one SM, about one tile in four long: the pictures' problem. Then two
  // where CLC loses: many short tiles; and nine, of which the first and the last are long.
  return {{"claim", "uneven",
           small + " --elements 1152 --prologue 900 --skew 60 --shape 1 --urgent 1", which},
          {"claim", "even", small + " --elements 32768 --prologue 16", which},
          {"claim", "nine", small + " --elements 288 --prologue 16 --skew 100 --shape 3", which}};
}

// ---- The clock's ratios -------------------------------------------------------------------------

constexpr int kWaits = 25;  // a wait varies, and a program measures it once in its run

Experiments clock(bool simulated) {
  const std::vector<std::string> which = {"fixed", "stride", "queue"};
  const std::string runs = launches(simulated, 1, 11), once = launches(simulated, 1, 1);
  const std::string large = "--elements 67108864", half = "--elements 33554432";
  Experiments all;
  for (const char* fmas : {"16", "2000"})
    all.push_back({"prologue", fmas, large + " --prologue " + fmas + runs, which});
  for (const char* skew : {"50", "200"}) {
    all.push_back(
        {"skew", skew, large + " --threads 256 --tile 2048 --skew " + skew + runs, which});
  }
  // Blocks that fill the SMs; each tile takes as long as the others.
  for (const char* tile : {"1024", "2048"}) {
    all.push_back({"wait", std::string("memory-") + tile,
                   large + " --threads 256 --urgent 1 --tile " + tile + once, which});
    all.back().repetitions = kWaits;
  }
  all.push_back({"wait", "arithmetic",
                 half + " --threads 256 --urgent 1 --tile 2048 --skew 200 --shape 4" + once,
                 which});
  all.back().repetitions = kWaits;
  for (const char* kernel : {"arithmetic", "memory"}) {
    all.push_back(
        {.name = "wave", .variant = kernel, .options = kernel, .program = "hardware_wave"});
  }
  return all;
}

Experiments clock_part(bool simulated) {  // the first of each kind
  Experiments all;
  for (Experiment& one : clock(simulated))
    if (all.empty() || all.back().name != one.name) all.push_back(std::move(one));
  return all;
}

struct Set {
  const char* name;
  const char* meaning;
  Experiments (*experiments)(bool simulated);
};

constexpr Set kSets[] = {
    {"gpu", "the programming guide's table on a GPU", gpu},
    {"mini", "the same, as large as is worth its time on --gpu mini", mini},
    {"b200", "the same on --gpu b200", b200},
    {"part", "the same on --gpu b200:8, of four strategies", part},
    {"scale", "how the cost grows with tiles, and on clcsim with SMs", scale},
    {"claim", "the pictures' problem, and two on which CLC loses, on --gpu mini:1", claim},
    {"clock",
     "the ratios that clcsim's clock should give, on a GPU and on --gpu h200; with --bin "
     "build/clock",
     clock},
    {"clock-part", "the first of each kind of those: what CI compares", clock_part}};

}  // namespace

Experiments experiments(const std::string& set, bool simulated) {
  for (const Set& one : kSets) {
    if (one.name != set) continue;
    const Experiments once = one.experiments(simulated);
    Experiments all;
    for (int i = 0; i < (simulated ? 1 : kWaits); ++i)
      for (const Experiment& experiment : once)
        if (i < experiment.repetitions) all.push_back(experiment);
    return all;
  }
  throw std::invalid_argument("there is no set '" + set + "'");
}

std::string sets_in_words() {
  std::string words;
  for (const Set& set : kSets) words += std::string("  ") + set.name + ": " + set.meaning + "\n";
  return words;
}

}  // namespace clcsim::measure
