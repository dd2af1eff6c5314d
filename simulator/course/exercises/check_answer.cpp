#include "exercises/check_answer.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "commands/process.h"
#include "config/output_file.h"
#include "exercises/compile_errors.h"

namespace clcsim::exercises {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostShown = 20'000;  // characters of a student's output
constexpr int kMostNoted = 10, kMostPrinted = 40;
constexpr int kPatience = 4;  // how much longer than its time a run may take beside other work
constexpr std::chrono::minutes kForCompiling(5);

// The student's own output, with a bar before each line.
std::string barred(const std::string& text) {
  std::string all;
  std::istringstream lines(text);
  int shown = 0;
  for (std::string line; all.size() < kMostShown && std::getline(lines, line);) {
    if (++shown > kMostPrinted) return all + "  | ... and so on\n";
    all += "  | " + line + '\n';
  }
  return all;
}

// What clcsim says besides its report.
std::string notes_in(const std::string& text) {
  std::string notes;
  std::istringstream lines(text);
  int left = kMostNoted;
  for (std::string line; left > 0 && std::getline(lines, line);) {
    if (line.starts_with("=========") || line.starts_with("clcsim: seed")) continue;
    notes += line + '\n';
    --left;
  }
  return notes;
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

// What came of a run: from how it has ended, and from what clcsim has written of it.
void look_at(const commands::Ended& ended, const std::string& written, Verdict& verdict) {
  const report::Json run = written.empty() ? report::Json() : report::Json::parse(written);
  const report::Json& check = run["check"];
  if (!written.empty()) verdict.seed = std::to_string(run["seed"].whole(0));
  take_findings(run["findings"], ended.err, verdict);
  verdict.notes = notes_in(ended.err);
  verdict.output = barred(ended.out);
  verdict.status = ended.status;
  verdict.failed.clear();
  if (ended.too_much || ended.too_late || run["stopped"]["at_limit"].truth()) {
    verdict.status = kStopped;
    verdict.failed = ended.too_much                        ? "too much output"
                     : run["stopped"]["in_kernel"].truth() ? "too slow"
                                                           : "host too slow";
  } else if (!check["failed"].is_null()) {  // it has come to its end
    take_check(check, verdict);
  } else if (verdict.status == kBadInput && !run["failed_call"].is_null()) {
    verdict.failed = "call failed";  // CUDA_CHECK has said which
  } else if (verdict.status < 128 && verdict.status != kTodo) {
    verdict.status = kWrong;
    verdict.failed = "ended";
    verdict.output += "  your code has ended the program before the check was done   <--\n";
  }
}

// On one GPU, under so many seeds; 0: under seed 0 alone.
void run_on(const std::string& gpu, int seeds, const fs::path& root,
            const std::vector<std::string>& program, int seconds, Verdict& verdict) {
  const TemporaryFolder folder;
  const std::string findings = folder.path + "/run.json";
  const std::chrono::seconds most(kPatience * seconds);
  verdict.gpu =
      gpu.ends_with(".gpu") ? course() / "simulator/course/exercises/gpus" / gpu : fs::path(gpu);
  std::vector<std::string> command = {
      root / "bin/clcsim",          "--gpu",        verdict.gpu, "--limit-seconds",
      std::to_string(most.count()), "--check-json", findings};
  if (seeds > 0) command.insert(command.end(), {"--explore", std::to_string(seeds)});
  command.insert(command.end(), program.begin(), program.end());
  const commands::Ended ended = seeds > 0
                                    ? commands::run(command, seeds * most)
                                    : commands::run(command, most, std::chrono::seconds(seconds));
  look_at(ended, config::text_of_file(findings), verdict);
}

// False: it isn't ready.
bool says_ready(const std::string& text) {
  static const std::regex not_ready("[^/]*kReady *[={] *false.*");  // not where a comment says it
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (std::regex_match(line, not_ready)) return false;
  return true;
}

bool is_compiled(const Workspace& workspace, const Exercise& exercise) {
  return fs::exists(workspace.program(exercise)) &&
         config::text_of_file(workspace.program(exercise, ".compiled")) ==
             workspace.made_of(exercise);
}

// In the file's folder, as clcsim names its lines from there; nvcc takes no path with a space.
bool compile(const Workspace& workspace, const Exercise& exercise, Verdict& verdict) {
  if (is_compiled(workspace, exercise)) return true;
  const fs::path path = workspace.file(exercise);
  const commands::Ended ended = commands::run(
      {"/bin/bash", "-c", "cd \"$0\" && exec bash \"$@\"", path.parent_path(),
       workspace.kit / "compile.sh", exercise.id, path.filename(), workspace.program(exercise)},
      kForCompiling);
  std::ofstream(workspace.program(exercise, ".compiled"))
      << (ended.status == 0 ? workspace.made_of(exercise) : "");
  if (ended.status == 0) return true;
  verdict.status = kWrong;
  verdict.words = "DOES NOT COMPILE";
  verdict.output = explain_compiler(path, verdict.file, ended.err + ended.out);
  return false;
}

// As Ninja is told where many work on one machine (SETUP.md); each takes up to half a gigabyte.
unsigned compilers_at_a_time() {
  const char* told = std::getenv("CMAKE_BUILD_PARALLEL_LEVEL");
  const int most = told == nullptr ? 8 : std::max(1, std::atoi(told));
  return std::clamp(std::thread::hardware_concurrency(), 1u, static_cast<unsigned>(most));
}

std::string in_seconds(Clock::duration took) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f s", std::chrono::duration<double>(took).count());
  return text;
}

}  // namespace

Verdict check(const Exercise& exercise, const fs::path& root,
              const std::vector<std::string>& program, int seconds) {
  Verdict verdict{.exercise = exercise.id, .file = exercise.file, .seeds = exercise.seeds};
  run_on(exercise.gpus[0], 0, root, program, seconds, verdict);
  for (const std::string& gpu : exercise.gpus)
    if (verdict.status == kPass && (exercise.seeds > 1 || gpu != exercise.gpus[0]))
      run_on(gpu, exercise.seeds, root, program, seconds, verdict);
  put_into_words(exercise, config::text_of_file(exercise.folder() / "hints.txt"),
                 config::text_of_file(course() / "simulator/course/exercises/hints.txt"), verdict);
  return verdict;
}

Checked check_answer(const Workspace& workspace, const Exercise& exercise) {
  Verdict verdict{.exercise = exercise.id, .file = workspace.shown(exercise)};
  workspace.remember(exercise, false);
  if (!says_ready(config::text_of_file(workspace.file(exercise)))) {
    verdict.status = kTodo;
    put_into_words(exercise, "", "", verdict);
    return {verdict, ""};
  }
  const Clock::time_point began = Clock::now();
  const bool before = is_compiled(workspace, exercise);
  const bool compiled = compile(workspace, exercise, verdict);
  const Clock::time_point then = Clock::now();
  const std::string times =
      before ? "as compiled before" : "compiled in " + in_seconds(then - began);
  if (!compiled) return {verdict, times};
  verdict = check(exercise, workspace.root, {workspace.program(exercise)}, kSeconds);
  verdict.file = workspace.shown(exercise);
  if (verdict.status == kPass) workspace.remember(exercise, true);
  return {verdict, times + ", checked in " + in_seconds(Clock::now() - then)};
}

void compile_all(const Workspace& workspace) {
  std::vector<const Exercise*> ready;
  for (const Exercise& exercise : workspace.exercises)
    if (!workspace.passed(exercise) && says_ready(config::text_of_file(workspace.file(exercise))))
      ready.push_back(&exercise);
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> compilers(std::min<std::size_t>(ready.size(), compilers_at_a_time()));
  for (std::jthread& compiler : compilers)
    compiler = std::jthread([&] {
      for (std::size_t i; (i = next++) < ready.size();) {
        try {
          Verdict verdict;
          compile(workspace, *ready[i], verdict);
        } catch (const std::exception&) {
        }  // the check of each compiles again what is not compiled, and says what is wrong
      }
    });
}

bool draw_player(const Verdict& verdict, const Workspace& workspace, const Exercise& exercise) {
  const fs::path page = workspace.program(exercise, ".html");
  std::error_code none;
  fs::remove(page, none);
  if (exercise.folder().filename().string().ends_with("predict")) return false;
  std::vector<std::string> command = {workspace.root / "bin/clcsim", "--limit-seconds", "5",
                                      "--timeline", page};
  const std::vector<std::string> options = run_options(verdict);
  command.insert(command.end(), options.begin(), options.end());
  command.push_back(workspace.program(exercise));
  commands::run(command, std::chrono::seconds(10));
  return fs::file_size(page, none) > 0 && !none;
}

}  // namespace clcsim::exercises
