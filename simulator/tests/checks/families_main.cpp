// Runs the families of correct kernels, and each of them without one of its synchronisations:
//   clcsim_families [SEEDS [EVERY]]
// The first must compute what they should and stay silent, under SEEDS seeds (50); of the others
// each must be reported, under one of these seeds, but for those that say why nothing breaks. EVERY
// takes each so manieth member only. Prints both rates; exit status 1 where one is not 100 %, but
// for what is known to be open.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <string>

#include "checks/checks.h"
#include "tests/checks/families.h"
#include "tests/checks/run.h"

using namespace clcsim;
using namespace clcsim::test;

namespace {

struct MemberRun {
  std::string findings;
  bool finished = false, right = false;
};

MemberRun run_member(const Member& member, const std::string& module, std::uint64_t seed) {
  Harness harness(module, seed);
  std::vector<machine::Finding> findings;
  checks::Checker checker(checks::Level::all, harness.gpu.memory(),
                          [&](const machine::Finding& finding) { findings.push_back(finding); });
  harness.gpu.attach(&checker);
  std::vector<std::uint32_t> in(kInputs);
  for (std::uint32_t i = 0; i < kInputs; ++i) in[i] = input(i);
  const std::uint64_t out = harness.upload(std::vector<std::uint32_t>(kOutputs));
  harness.launch("kernel", member.shape, out, harness.upload(in));
  harness.gpu.run_until([&] {
    return harness.pending == 0 || harness.gpu.now() > kLongEnough || findings.size() > 100;
  });
  MemberRun outcome{.findings = text_of(findings), .finished = harness.pending == 0};
  const auto results = harness.download<std::uint32_t>(out);
  outcome.right = outcome.finished;
  for (std::uint32_t i = 0; i < member.words && outcome.right; ++i) {
    outcome.right = results[i] == member.expected(i);
  }
  return outcome;
}

// What the checks don't see yet.
struct Open {
  std::string family, line;  // any line where it is empty
};
const Open kOpen[] = {{"bulk stores", ""},
                      {"cp.async groups", "x_wait"},
                      {"cluster", "x_started"},
                      {"grid barrier", "x_hear"},
                      {"stealing", "x_free"}};
bool is_open(const Member& member, const std::string& line) {
  return std::any_of(std::begin(kOpen), std::end(kOpen), [&](const Open& open) {
    return open.family == member.family && (open.line.empty() || open.line == line);
  });
}

struct Rate {
  unsigned all = 0, good = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t seeds = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 50;
  const std::size_t every = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const std::vector<Member> members = all_members();
  std::map<std::string, std::pair<Rate, Rate>> families;
  std::map<std::string, unsigned> harmless;
  Rate silent, found;
  unsigned open = 0;
  for (std::size_t i = 0; i < members.size(); i += every) {
    const Member& member = members[i];
    const Template text(member.text);
    const std::string name = member.family + ": " + member.name;
    auto& [of_silent, of_found] = families[member.family];
    bool good = true;
    const std::string module = text.module();
    for (std::uint64_t seed = 0; seed < seeds && good; ++seed) {
      const MemberRun outcome = run_member(member, module, seed);
      good = outcome.findings.empty() && outcome.right;
      if (good) continue;
      std::printf("%s, seed %llu: %s\n%s", name.c_str(), static_cast<unsigned long long>(seed),
                  outcome.right      ? "right, and reported"
                  : outcome.finished ? "wrong"
                                     : "did not end",
                  outcome.findings.c_str());
    }
    for (Rate* rate : {&silent, &of_silent}) {
      ++rate->all;
      rate->good += good;
    }
    for (const Change& removal : member.changes) {
      const auto& [line, left] = removal.edits.front();
      const std::string broken = text.module(removal.edits);
      bool reported = false, right = true;
      for (std::uint64_t seed = 0; seed < seeds && !reported; ++seed) {
        const MemberRun outcome = run_member(member, broken, seed);
        reported = !outcome.findings.empty();
        right = right && outcome.right;
      }
      if (!removal.head.empty()) {
        if (!reported && right) {
          ++harmless[member.family + ", " + line.substr(2) + ": " + removal.head];
          continue;
        }
        reported = false;  // the argument is wrong
      }
      for (Rate* rate : {&found, &of_found}) {
        ++rate->all;
        rate->good += reported;
      }
      if (reported) continue;
      if (is_open(member, line)) {
        ++open;
        continue;
      }
      std::printf("%s, without %s%s%s: %s\n", name.c_str(), line.substr(2).c_str(),
                  left.empty() ? "" : ", but ", left.c_str(),
                  right ? "right, and not found" : "wrong, and not found");
    }
  }
  for (const auto& [family, rates] : families) {
    std::printf("%-24s %4u of %4u silent and right, %4u of %4u removals found\n", family.c_str(),
                rates.first.good, rates.first.all, rates.second.good, rates.second.all);
  }
  for (const auto& [why, count] : harmless) {
    std::printf("harmless, %u times: %s\n", count, why.c_str());
  }
  std::printf("%u of %u correct kernels are silent and right under %llu seeds\n", silent.good,
              silent.all, static_cast<unsigned long long>(seeds));
  std::printf("%u of %u removals are found, %u are known to be not\n", found.good, found.all, open);
  return silent.good == silent.all && found.good + open == found.all && silent.all != 0 ? 0 : 1;
}
