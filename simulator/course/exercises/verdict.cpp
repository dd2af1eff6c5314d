#include "exercises/verdict.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "exercises/judges.h"
#include "exercises/process.h"
#include "exercises/program_file.h"
#include "report/json_reader.h"

namespace clcsim::exercises {
namespace {

namespace fs = std::filesystem;

constexpr int kBadInput = 2;
constexpr const char kMargin[] = "=========";       // of clcsim's reports
constexpr std::size_t kMostShown = 20'000;          // characters of a student's output
constexpr int kMostReported = 40, kMostNoted = 10;  // lines

// The lines of clcsim's report, or all others.
std::string lines_of(const std::string& text, bool report, int most) {
  std::string chosen;
  std::istringstream lines(text);
  for (std::string line; most > 0 && std::getline(lines, line);) {
    if (line.starts_with(kMargin) != report || line.starts_with("clcsim: seed")) continue;
    chosen += line + '\n';
    --most;
  }
  return chosen;
}

std::string shortened(const std::string& text) {
  if (text.size() <= kMostShown) return text;
  return text.substr(0, kMostShown / 2) + "\n  [" + std::to_string(text.size() - kMostShown) +
         " characters left out]\n" + text.substr(text.size() - kMostShown / 2);
}

// The first of them; a note, if there is nothing else.
std::string read_finding(const fs::path& path) {
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  if (text.empty()) return {};  // the program has ended before it came to a GPU
  const report::Json run = report::Json::parse(text);
  std::string name;
  for (const report::Json& finding : run["findings"].array()) {
    const std::string& kind = finding["kind"].text();
    if (kind == "refusal" || (kind == "note" && !name.empty())) continue;
    name = finding["name"].text();
    if (kind == "error") break;
  }
  return name;
}

std::string where_it_passed(const Exercise& exercise) {
  std::string where;
  if (exercise.seeds > 1) where += ", under " + std::to_string(exercise.seeds) + " seeds";
  if (exercise.gpus.size() > 1) {
    where += std::string(where.empty() ? "," : "") + " on each of the GPUs";
    for (const std::string& gpu : exercise.gpus)
      where += (gpu == exercise.gpus[0] ? " " : ", ") + gpu;
  }
  return where;
}

std::string first_of(const std::string& a, const std::string& b) {
  return a.empty() ? b : a;
}

// What hints tell apart where the finding has one name.
std::string cause_of(const Verdict& verdict, bool half_a_fence) {
  const auto says = [&](const char* text) {
    return verdict.report.find(text) != std::string::npos;
  };
  // The report names a block where both are in one cluster.
  if (verdict.finding == "data-race" &&
      (says("a thread of another block") || (says("global memory") && says(") of block ("))))
    return "data-race between blocks";
  if (verdict.finding == "missing-proxy-fence" && half_a_fence) return "half a fence";
  return {};
}

// From how the run ended, and what was found: words, what follows them, and the reason.
void put_into_words(const Exercise& exercise, Verdict& verdict) {
  const std::string &finding = verdict.finding, &failed = verdict.failed;
  switch (verdict.status) {
    case kPass:
      verdict.words = "PASS";
      verdict.more = where_it_passed(exercise);
      return;
    case kTodo:
      verdict.words = "TODO";
      verdict.more = ": open " + exercise.file + ", and set kReady = true when it is to be checked";
      return;
    case kNothingStolen:
      verdict.words = "NOTHING STOLEN";
      verdict.reason = "nothing stolen";
      return;
    case kStopped:
      verdict.words = "TOO SLOW" + (finding.empty() ? "" : ", " + finding);
      verdict.reason = first_of(finding, failed);
      verdict.more = failed == "too much output" ? ": it prints without end"
                     : failed == "host too slow"
                         ? ": it does not end, and no kernel runs: the loop is in your host code"
                         : ": it does not end";
      return;
    case kWrong:
      verdict.reason = first_of(finding, failed);
      verdict.words = "WRONG, " + first_of(verdict.reason, "no word of what");
      return;
    default:
      verdict.reason = first_of(finding, verdict.status >= 128 ? "crash" : failed);
      verdict.words =
          finding.empty() ? "ERROR, " + first_of(verdict.reason, "no word of what") : finding;
  }
}

// A folder of one's own, which goes with this.
struct TemporaryFolder {
  std::string path = (fs::temp_directory_path() / "clc-check-XXXXXX").string();
  TemporaryFolder() {
    if (mkdtemp(path.data()) == nullptr)
      throw std::runtime_error("can't write to " + fs::temp_directory_path().string());
  }
  ~TemporaryFolder() { fs::remove_all(path); }
};

constexpr char kDrawn[] = "drawn";

// clcsim's options for a GPU of the list. One that is drawn is small, and its sizes depend on the
// seed, so that no answer knows them. Its blocks start slowly, so that some of the first are
// stolen; and it refuses requests while blocks wait. Every third has room for more blocks, but for
// the shared memory that the system keeps for each.
std::vector<std::string> options_for(const std::string& gpu, std::uint64_t seed,
                                     const fs::path& folder) {
  if (gpu != kDrawn) return {"--gpu", gpu};
  clc::set_seed(seed);
  const fs::path path = folder / ("drawn-" + std::to_string(seed) + ".gpu");
  const int sms = clc::draw(1, 6), blocks = clc::draw(3, 7), interval = clc::draw(0, 1000);
  std::ofstream file(path);
  file << "like mini\nblock_interval " << interval << '\n';
  if (seed % 3 == 1) {
    file << "sms 1\nthreads_per_sm 4096\nblocks_per_sm 64\nshared_per_block_optin 49152\n"
         << "shared_per_sm 50176\n";
  } else {
    file << "sms " << sms << "\nblocks_per_sm " << blocks << '\n';
  }
  return {"--gpu", path, "--refuse", std::to_string(clc::draw(2, 6))};
}

// One run: under one seed, on one GPU.
struct Run {
  std::uint64_t seed;
  fs::path findings;
  Process process;

  Run(std::uint64_t number, const std::string& gpu, const fs::path& folder, const fs::path& build,
      const std::vector<std::string>& program, int seconds)
      : seed(number),
        findings(folder / (gpu + "-" + std::to_string(number) + ".json")),
        process(command(options_for(gpu, number, folder), build, program, seconds),
                std::chrono::seconds(seconds + 1)) {}

 private:
  std::vector<std::string> command(const std::vector<std::string>& gpu, const fs::path& build,
                                   const std::vector<std::string>& program, int seconds) const {
    std::vector<std::string> words = {build / "bin/clcsim",
                                      "--seed",
                                      std::to_string(seed),
                                      "--limit-seconds",
                                      std::to_string(seconds),
                                      "--check-json",
                                      findings};
    words.insert(words.end(), gpu.begin(), gpu.end());
    words.insert(words.end(), program.begin(), program.end());
    return words;
  }
};

// clcsim has stopped the run, and says where it was.
bool was_stopped(const Ended& ended) {
  return ended.too_late ||
         ended.err.find("the program was stopped at its limit") != std::string::npos;
}
bool in_host_code(const Ended& ended) {
  return ended.err.find("the program was stopped") == std::string::npos ||
         ended.err.find("; no kernel was running") != std::string::npos;
}

// What came of it, from how it has ended, the findings and the account.
void look_at(Run& run, void (*check)(), Verdict& verdict) {
  const Ended ended = run.process.wait();
  const clc::Judged judged = clc::judge(check, ended.account, run.seed);
  verdict.seed = std::to_string(run.seed);
  verdict.finding = read_finding(run.findings);
  verdict.failed = judged.failed;
  verdict.status = judged.code;
  verdict.report = lines_of(ended.err, true, kMostReported);
  verdict.notes = lines_of(ended.err, false, kMostNoted);
  verdict.output = shortened(ended.out) + judged.text;
  verdict.cause = cause_of(verdict, judged.half_a_fence);
  if (ended.too_much || was_stopped(ended)) {
    verdict.status = kStopped;
    verdict.failed = ended.too_much        ? "too much output"
                     : in_host_code(ended) ? "host too slow"
                                           : "too slow";
    verdict.output = shortened(ended.out);
  } else if (ended.status == kTodo && ended.account.empty()) {
    verdict.status = kTodo;
  } else if (ended.status >= 128) {
    verdict.status = ended.status;
  } else if (ended.status == kBadInput && judged.failed == "ended") {
    verdict.status = kBadInput;  // CUDA_CHECK has said what
    verdict.failed = "call failed";
    verdict.output = shortened(ended.out);
  } else if (judged.code == kPass && (ended.status != 0 || judged.findings > 0)) {
    verdict.status = ended.status > 1 ? ended.status : kWrong;
    verdict.failed = "ended";
  }
}

// So that the same run can be had again.
void keep_drawn(std::uint64_t seed, const fs::path& folder, const fs::path& path,
                Verdict& verdict) {
  const std::vector<std::string> options = options_for(kDrawn, seed, folder);
  std::error_code failed;
  fs::copy_file(options[1], path, fs::copy_options::overwrite_existing, failed);
  verdict.gpu = failed ? path.filename() : path;
  verdict.refuse = options[3];
  std::ifstream file(options[1]);
  verdict.drawn.assign(std::istreambuf_iterator<char>(file), {});
}

// One GPU, all seeds, as many at a time as there are cores.
void run_on(const std::string& gpu, const Exercise& exercise, const fs::path& folder,
            const fs::path& build, const std::vector<std::string>& program, int seconds,
            Verdict& verdict) {
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  std::deque<Run> runs;
  int started = 0;
  verdict.gpu = gpu;
  std::string output_of_first;
  for (int seed = 0; seed < exercise.seeds; ++seed) {
    // The first alone: most mistakes show at once.
    while (started < exercise.seeds && runs.size() < (seed == 0 ? 1 : cores))
      runs.emplace_back(started++, gpu, folder, build, program, seconds);
    look_at(runs.front(), check_of(exercise.id), verdict);
    runs.pop_front();
    if (verdict.status != kPass) {
      if (gpu == kDrawn) keep_drawn(seed, folder, program[0] + ".gpu", verdict);
      return;
    }
    if (seed == 0) output_of_first = verdict.output;
  }
  verdict.output = output_of_first;
}

}  // namespace

Verdict check(const Exercise& exercise, const fs::path& build,
              const std::vector<std::string>& program, int seconds) {
  Verdict verdict{
      .exercise = exercise.id, .file = exercise.file, .seed = "0", .seeds = exercise.seeds};
  const TemporaryFolder folder;
  if (const std::string what = meddles_with(program[0]); !what.empty()) {
    verdict.status = kWrong;
    verdict.failed = "replaced function";
    verdict.gpu = exercise.gpus[0];
    verdict.output = "  your file has " + what + ": the check needs the system's own   <--\n";
  } else {
    for (const std::string& gpu : exercise.gpus) {
      run_on(gpu, exercise, folder.path, build, program, seconds, verdict);
      if (verdict.status != kPass) break;
    }
  }
  put_into_words(exercise, verdict);
  if (verdict.status != kPass && verdict.status != kTodo)
    verdict.hints = find_hints(exercise.folder() / "hints.txt",
                               course() / "simulator/course/exercises/hints.txt",
                               {verdict.cause, verdict.reason, verdict.failed});
  return verdict;
}

std::vector<std::string> run_options(const Verdict& verdict) {
  std::vector<std::string> options = {"--gpu", verdict.gpu, "--seed", verdict.seed};
  if (!verdict.refuse.empty()) options.insert(options.end(), {"--refuse", verdict.refuse});
  return options;
}

std::string joined(const std::vector<std::string>& options) {
  std::string text;
  for (const std::string& option : options) text += ' ' + option;
  return text;
}

std::string explanation_of(const Verdict& verdict, int step) {
  std::ostringstream text;
  text << "exercise " << verdict.exercise << ", " << verdict.file << ": " << verdict.words
       << verdict.more << '\n';
  if (verdict.status == kTodo) return text.str();
  if (verdict.status == kPass) return text.str() + verdict.output;
  if (verdict.seeds != 1 && verdict.seed != "0")
    text << "  It was right under seed 0, the natural schedule, but not under seed " << verdict.seed
         << ". (A seed makes clcsim draw another\n  order of events and other sizes, as a real GPU "
            "may have them. The same seed is the same run again.)\n";
  text << verdict.output << verdict.report << verdict.notes;
  if (const int all = static_cast<int>(verdict.hints.steps.size()); all > 0) {
    step = std::min(step, all);
    text << "  hint " << step << " of " << all << " (" << verdict.hints.key
         << "): " << verdict.hints.steps[step - 1] << '\n';
    if (step < all) text << "  (the next hint comes if this fails again)\n";
  }
  return text.str();
}

// The command that writes the GPU's file, where the next one needs it and it wasn't kept.
std::string written_before(const Verdict& verdict) {
  if (verdict.drawn.empty() || fs::path(verdict.gpu).has_parent_path()) return {};
  std::string text;
  for (const char sign : verdict.drawn) text += sign == '\n' ? "\\n" : std::string(1, sign);
  return "printf '" + text + "' >" + verdict.gpu + "\n                  ";
}

std::string text_of(const Verdict& verdict, int step) {
  std::string text = explanation_of(verdict, step);
  if (verdict.status == kPass || verdict.status == kTodo) return text;
  return text + "  more: " + fs::path(verdict.file).parent_path().parent_path().string() +
         "/README.md\n  this run again: " + written_before(verdict) + "build/bin/clcsim" +
         joined(run_options(verdict)) + " build/exercises/" + verdict.exercise + '\n';
}

}  // namespace clcsim::exercises
