#include "exercises/verdict.h"

#include <chrono>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

#include "config/output_file.h"
#include "exercises/verdict_words.h"
#include "process/process.h"
#include "report/json_reader.h"

namespace clcsim::exercises {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostShown = 20'000;  // characters of a student's output
constexpr int kMostNoted = 10;              // lines
constexpr int kPatience = 4;  // how much longer than its time a run may take beside other work

// The student's own output, with a bar before each line.
std::string barred(const std::string& text) {
  std::string all;
  std::istringstream lines(text);
  for (std::string line; all.size() < kMostShown && std::getline(lines, line);)
    all += "  | " + line + '\n';
  return all;
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

bool contains(const std::string& text, const char* part) {
  return text.find(part) != text.npos;
}

// What came of a run: from how it has ended, and from what clcsim has written of it.
void look_at(const process::Ended& ended, const std::string& written, Verdict& verdict) {
  const report::Json run = written.empty() ? report::Json() : report::Json::parse(written);
  const report::Json& told = run["check"];
  const bool is_whole = !told["failed"].is_null();
  if (!written.empty()) verdict.seed = std::to_string(run["seed"].whole(0));
  verdict.finding = written.empty() ? "" : first_finding(run["findings"]);
  verdict.report = findings_of(ended.err);
  verdict.notes = lines_of(ended.err, false, kMostNoted);
  verdict.output = barred(ended.out);
  verdict.cause = cause_of(verdict.finding, ended.err);
  verdict.status = ended.status;
  verdict.failed.clear();
  if (ended.too_much || ended.too_late || contains(ended.err, "was stopped at its limit")) {
    const bool in_host = !contains(ended.err, "the program was stopped") ||
                         contains(ended.err, "; no kernel was running");
    verdict.status = kStopped;
    verdict.failed = ended.too_much ? "too much output" : in_host ? "host too slow" : "too slow";
  } else if (is_whole) {
    verdict.output += told["text"].text();
    verdict.failed = told["failed"].text();
    if (verdict.status == kPass || told["code"].whole(0) != kPass)
      verdict.status = static_cast<int>(told["code"].whole(0));
    if (verdict.cycles == 0)
      verdict.cycles = told["cycles"].whole(0), verdict.solution = told["solution"].whole(0);
    if (verdict.status == kPass && is_slow(verdict) && told["must"].whole(0) != 0)
      verdict.status = kWrong, verdict.failed = "slow";
  } else if (verdict.status == kBadInput && contains(ended.err, ": cudaError")) {
    verdict.failed = "call failed";  // CUDA_CHECK has said which
  } else if (verdict.status < 128 && verdict.status != kTodo) {
    verdict.status = kWrong;
    verdict.failed = "ended";
    verdict.output += "  your code has ended the program before the check was done   <--\n";
  }
}

// On one GPU, under so many seeds; 0: under seed 0 alone.
void run_on(const std::string& gpu, int seeds, const fs::path& build,
            const std::vector<std::string>& program, int seconds, Verdict& verdict) {
  const TemporaryFolder folder;
  const fs::path findings = fs::path(folder.path) / "run.json";
  verdict.gpu = path_of_gpu(gpu);
  std::vector<std::string> command = {build / "bin/clcsim",
                                      "--gpu",
                                      verdict.gpu,
                                      "--limit-seconds",
                                      std::to_string(kPatience * seconds),
                                      "--check-json",
                                      findings};
  if (seeds > 0) command.insert(command.end(), {"--explore", std::to_string(seeds)});
  command.insert(command.end(), program.begin(), program.end());
  const int most = kPatience * seconds;
  const process::Ended ended =
      seeds > 0 ? process::run(command, std::chrono::seconds(seeds * most))
                : process::run(command, std::chrono::seconds(most), std::chrono::seconds(seconds));
  look_at(ended, config::text_of_file(findings), verdict);
}

}  // namespace

Verdict check(const Exercise& exercise, const fs::path& build,
              const std::vector<std::string>& program, int seconds) {
  Verdict verdict{
      .exercise = exercise.id, .file = exercise.file, .seed = "0", .seeds = exercise.seeds};
  run_on(exercise.gpus[0], 0, build, program, seconds, verdict);
  for (const std::string& gpu : exercise.gpus)
    if (verdict.status == kPass && (exercise.seeds > 1 || gpu != exercise.gpus[0]))
      run_on(gpu, exercise.seeds, build, program, seconds, verdict);
  put_into_words(exercise, verdict);
  const std::string own = config::text_of_file(exercise.folder() / "hints.txt");
  if (verdict.status != kTodo)
    verdict.hints =
        find_hints(own, config::text_of_file(course() / "simulator/course/exercises/hints.txt"),
                   {verdict.cause, verdict.reason, verdict.failed});
  return verdict;
}

std::string text_of(const Verdict& verdict, int step) {
  const std::string text = explanation_of(verdict, step);
  if (verdict.status == kPass || verdict.status == kTodo) return text;
  return text + "  more: " + fs::path(verdict.file).parent_path().parent_path().string() +
         "/README.md\n  this run again: build/bin/clcsim" + joined(run_options(verdict)) +
         " build/exercises/" + verdict.exercise + '\n';
}

}  // namespace clcsim::exercises
