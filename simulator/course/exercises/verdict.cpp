#include "exercises/verdict.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <stdexcept>

#include "exercises/process.h"
#include "report/json_reader.h"

namespace clcsim::exercises {
namespace {

namespace fs = std::filesystem;

constexpr int kStopped = 124, kKilled = 137;
constexpr const char kMargin[] = "=========";       // of clcsim's reports
constexpr std::size_t kMostShown = 20'000;          // characters of a student's output
constexpr int kMostReported = 40, kMostNoted = 10;  // lines

// Takes the lines that begin with `start` out of `text`, and returns the last of them without it.
std::string take_word(std::string& text, const std::string& start) {
  std::string word, rest;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(start)) {
      word = line.substr(start.size());
    } else {
      rest += line + '\n';
    }
  }
  text = rest;
  return word;
}

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

void read_findings(const fs::path& path, Verdict& verdict) {
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  if (text.empty()) return;  // the program has ended before it came to a GPU
  const report::Json run = report::Json::parse(text);
  verdict.seed = std::to_string(run["seed"].integer());
  for (const report::Json& finding : run["findings"].array()) {
    const std::string& kind = finding["kind"].text();
    if (kind == "refusal" || (kind == "note" && !verdict.finding.empty())) continue;
    verdict.finding = finding["name"].text();
    if (kind == "error") return;
  }
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

// From how the run ended, and what was found: words, what follows them, and the reason.
void judge(const Exercise& exercise, Verdict& verdict) {
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
    case kKilled:
      verdict.words = "TOO SLOW" + (finding.empty() ? "" : ", " + finding);
      verdict.more = ": it does not end";
      verdict.reason = first_of(finding, "too slow");
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

// One GPU, all seeds.
void run_on(const std::string& gpu, const Exercise& exercise, const fs::path& build,
            const std::vector<std::string>& program, int seconds, const std::string& word,
            Verdict& verdict) {
  const TemporaryFolder folder;
  const fs::path findings = fs::path(folder.path) / "findings.json";
  std::vector<std::string> command = {
      build / "bin/clcsim",          "--gpu",        gpu,      "--limit-seconds",
      std::to_string(seconds),       "--check-json", findings, "--explore",
      std::to_string(exercise.seeds)};
  command.insert(command.end(), program.begin(), program.end());
  Ended ended = run(command, std::chrono::seconds(6 * seconds));
  verdict.status = ended.too_late ? kStopped : ended.status;
  verdict.gpu = gpu;
  verdict.failed = take_word(ended.out, "check " + word + ": ");
  verdict.output = std::move(ended.out);
  verdict.report = lines_of(ended.err, true, kMostReported);
  verdict.notes = lines_of(ended.err, false, kMostNoted);
  read_findings(findings, verdict);
}

}  // namespace

Verdict check(const Exercise& exercise, const fs::path& build,
              const std::vector<std::string>& program, int seconds) {
  // A word that nothing else which is printed can know: what the check says begins with it.
  std::random_device random;
  const std::string word = std::to_string(random()) + std::to_string(random());
  setenv("CLC_EXERCISE_WORD", word.c_str(), 1);
  Verdict verdict{
      .exercise = exercise.id, .file = exercise.file, .seed = "0", .seeds = exercise.seeds};
  for (const std::string& gpu : exercise.gpus) {
    run_on(gpu, exercise, build, program, seconds, word, verdict);
    if (verdict.status != kPass || verdict.failed != "passed") break;
  }
  unsetenv("CLC_EXERCISE_WORD");
  if (verdict.status == kPass && verdict.failed != "passed") {  // it didn't come to its end
    verdict.status = kWrong;
    verdict.failed = "ended";
    verdict.output += "  your code has ended the program before the check was done   <--\n";
  }
  if (verdict.failed == "passed") verdict.failed.clear();
  verdict.output = shortened(verdict.output);
  judge(exercise, verdict);
  if (verdict.status != kPass && verdict.status != kTodo)
    verdict.hints = find_hints(exercise.folder() / "hints.txt",
                               course() / "simulator/course/exercises/hints.txt", verdict.reason,
                               verdict.failed);
  return verdict;
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
  // Under a seed the output of seed 0 comes first.
  text << verdict.output << verdict.report << verdict.notes;
  if (const int all = static_cast<int>(verdict.hints.steps.size()); all > 0) {
    step = std::min(step, all);
    text << "  hint " << step << " of " << all << " (" << verdict.hints.key
         << "): " << verdict.hints.steps[step - 1] << '\n';
    if (step < all) text << "  (the next hint comes if this fails again)\n";
  }
  return text.str();
}

std::string text_of(const Verdict& verdict, int step) {
  std::string text = explanation_of(verdict, step);
  if (verdict.status == kPass || verdict.status == kTodo) return text;
  return text + "  more: " + fs::path(verdict.file).parent_path().parent_path().string() +
         "/README.md\n  this run again: build/bin/clcsim --gpu " + verdict.gpu + " --seed " +
         verdict.seed + " build/exercises/" + verdict.exercise + '\n';
}

}  // namespace clcsim::exercises
