// clcsim's conformance suite. See the usage below; record.sh records on a GPU.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "conformance/bounds.h"
#include "conformance/recording.h"
#include "conformance/run.h"
#include "machine/isa/instruction_set.h"

namespace clcsim::conformance {
namespace {

constexpr const char* kUsage = R"(usage:
  conformance check RECORDING [FAMILY]   run the cases on clcsim and compare with a GPU's results
  conformance complete RECORDING TESTS FAMILY...
                                         is every form recorded, or exempt with a reason and with
                                         a test of its values in the folder TESTS, and is every
                                         case in one of these families?
  conformance record RECORDING [FAMILY]  run the cases on this machine's GPU
  conformance verify RECORDING [FAMILY]  and compare them with what another one computed
  conformance drop RECORDING             forgets what is recorded of cases that are no more
  conformance show FORM                  the kernels of one form
)";

const ptx::FormTable& table() {
  return machine::isa::instruction_set();
}

bool is_nan(std::uint64_t bits) {
  return (bits & 0x7fffffff) > 0x7f800000;
}

/// Prints the first threads whose results differ; how many do.
int compare(const Case& c, const Results& expected, const Results& got) {
  int differing = 0;
  for (std::uint32_t i = 0; i < c.count(); ++i) {
    for (std::size_t k = 0; k < c.results.size(); ++k) {
      const int bits = c.results[k].bits;
      const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
      if (((expected[k][i] ^ got[k][i]) & mask) == 0) continue;
      if (c.results[k].any_nan && is_nan(expected[k][i]) && is_nan(got[k][i])) continue;
      if (c.operands.size() > 1 &&  // the first says which threads are active
          within_bound(c.form, c.operands[1].values[i], expected[k][i] & mask, got[k][i] & mask))
        continue;
      if (++differing > 4) break;
      std::printf("    thread %u:", i);
      for (const Operand& operand : c.operands) {
        std::printf(" %s %#llx", operand.name.c_str(),
                    static_cast<unsigned long long>(operand.values[i]));
      }
      std::printf(": result %zu is %#llx in the recording, %#llx here\n", k,
                  static_cast<unsigned long long>(expected[k][i] & mask),
                  static_cast<unsigned long long>(got[k][i] & mask));
    }
  }
  return differing;
}

/// Runs the cases with `run` and compares what they give with the recording.
int check(const std::string& path, const std::string& family, Results (*run)(const Case&)) {
  const Recording recording = read_recording(path);
  int equal = 0, different = 0, missing = 0;
  for (const Case& c : all_cases(table())) {
    if (!family.empty() && c.family != family) continue;
    Results expected;
    if (!recording.find(c, expected)) {
      std::printf("not recorded: %s\n", c.name().c_str());
      ++missing;
      continue;
    }
    try {
      const Results got = run(c);
      const bool same = compare(c, expected, got) == 0;
      if (!same) std::printf("  in %s\n", c.name().c_str());
      ++(same ? equal : different);
    } catch (const std::runtime_error& error) {
      std::printf("failed: %s: %s\n", c.name().c_str(), error.what());
      ++different;
    }
  }
  std::printf("%d cases equal to %s (driver %s, %s), %d different, %d not recorded\n", equal,
              recording.gpu.c_str(), recording.driver.c_str(), recording.date.c_str(), different,
              missing);
  return different == 0 && missing == 0 && equal > 0 ? 0 : 1;
}

int complete(const std::string& path, const std::string& tests,
             const std::set<std::string>& families) {
  const Recording recording = read_recording(path);
  std::set<std::pair<std::string, std::string>> recorded;  // forms: name and signature
  std::set<std::string> names;
  int problems = 0;
  for (const Case& c : all_cases(table())) {
    Results results;
    names.insert(c.name());
    if (!families.contains(c.family)) {
      std::printf("no test runs the family %s of %s\n", c.family.c_str(), c.name().c_str());
      ++problems;
    }
    if (recording.find(c, results)) {
      recorded.emplace(c.form, c.signature);
    } else {
      std::printf("not recorded, or changed since: %s\n", c.name().c_str());
      ++problems;
    }
  }
  int forms = 0, exempt = 0;
  for (const ptx::Form* form : table().all()) {
    if (exemption(*form) != nullptr) {
      ++exempt;
    } else if (recorded.contains({form->name, form->signature})) {
      ++forms;
    } else {
      std::printf(
          "no case: %s (%s); where no GPU of compute capability 9.0 can record it, kExempt in "
          "conformance/cases.cpp says why, and which test compares its values\n",
          form->name.c_str(), form->signature.c_str());
      ++problems;
    }
  }
  for (const std::string& rule : untested_exemptions(tests)) {
    std::printf("exempt, but the test of its values that kExempt gives doesn't name it: %s\n",
                rule.c_str());
    ++problems;
  }
  for (const auto& [name, entry] : recording.entries) {
    if (names.contains(name)) continue;
    std::printf("recorded, but there is no such case: %s\n", name.c_str());
    ++problems;
  }
  std::printf("%d forms recorded on %s, %d exempt, %d problems\n", forms, recording.gpu.c_str(),
              exempt, problems);
  return problems == 0 && forms > 0 ? 0 : 1;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
  return text;
}

int record(const std::string& path, const std::string& family) {
  Recording recording;
  if (!family.empty()) recording = read_recording(path);
  recording.gpu = name_of_gpu();
  recording.driver = version_of_driver();
  recording.date = today();

  // A kernel that hangs can't be stopped: keep what there is and name it.
  std::atomic<const Case*> running{nullptr};
  std::atomic<int> started{0};
  std::thread([&] {
    for (int before = -1;; before = started) {
      std::this_thread::sleep_for(std::chrono::seconds(20));
      const Case* c = running;
      if (c == nullptr || started != before) continue;
      std::printf("hangs: %s\n", c->name().c_str());
      write_recording(path, recording);
      std::fflush(stdout);
      _exit(1);
    }
  }).detach();

  int recorded = 0, failed = 0;
  const std::vector<Case> cases = all_cases(table());
  for (const Case& c : cases) {
    if (!family.empty() && c.family != family) continue;
    ++started;
    running = &c;
    try {
      recording.add(c, run_on_gpu(c));
      ++recorded;
    } catch (const std::runtime_error& error) {
      std::printf("failed: %s: %s\n", c.name().c_str(), error.what());
      ++failed;
    }
    running = nullptr;
  }
  write_recording(path, recording);
  std::printf("%d cases recorded on %s (driver %s), %d failed\n", recorded, recording.gpu.c_str(),
              recording.driver.c_str(), failed);
  return failed == 0 ? 0 : 1;
}

int drop(const std::string& path) {
  Recording recording = read_recording(path);
  std::set<std::string> names;
  for (const Case& c : all_cases(table())) names.insert(c.name());
  const std::size_t dropped = std::erase_if(
      recording.entries, [&](const auto& each) { return !names.contains(each.first); });
  write_recording(path, recording);
  std::printf("%zu dropped, %zu kept\n", dropped, recording.entries.size());
  return 0;
}

int show(const std::string& form) {
  int found = 0;
  for (const Case& c : all_cases(table())) {
    if (c.form != form) continue;
    std::printf("// %s\n%s\n", c.name().c_str(), c.ptx.c_str());
    ++found;
  }
  return found > 0 ? 0 : 1;
}

int run(int count, char** words) {
  const std::string verb = count > 1 ? words[1] : "";
  const std::string first = count > 2 ? words[2] : "", second = count > 3 ? words[3] : "";
  if (verb == "check" && !first.empty()) return check(first, second, run_on_clcsim);
  if (verb == "verify" && !first.empty()) {
    std::printf("on %s, driver %s\n", name_of_gpu().c_str(), version_of_driver().c_str());
    return check(first, second, run_on_gpu);
  }
  if (verb == "complete" && !second.empty())
    return complete(first, second, {words + 4, words + count});
  if (verb == "record" && !first.empty()) return record(first, second);
  if (verb == "drop" && !first.empty()) return drop(first);
  if (verb == "show" && !first.empty()) return show(first);
  std::fputs(kUsage, stderr);
  return 2;
}

}  // namespace
}  // namespace clcsim::conformance

int main(int count, char** words) {
  try {
    return clcsim::conformance::run(count, words);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "conformance: %s\n", error.what());
    return 2;
  }
}
