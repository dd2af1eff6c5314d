#include "exercises/verdict.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "config/options.h"
#include "config/output_file.h"
#include "exercises/answer_file.h"
#include "exercises/drawn_gpu.h"
#include "exercises/judges.h"
#include "exercises/process.h"
#include "exercises/program_file.h"
#include "exercises/verdict_words.h"
#include "report/json_reader.h"

namespace clcsim::exercises {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostShown = 20'000;  // characters of a student's output
constexpr int kMostNoted = 10;              // lines
constexpr int kPatience = 4;  // how much longer than its time a run may take beside other work

std::string shortened(const std::string& text) {
  if (text.size() <= kMostShown) return text;
  return text.substr(0, kMostShown / 2) + "\n  [" + std::to_string(text.size() - kMostShown) +
         " characters left out]\n" + text.substr(text.size() - kMostShown / 2);
}

std::string read_finding(const fs::path& path) {
  const std::string text = config::text_of_file(path);
  if (text.empty()) return {};  // the program has ended before it came to a GPU
  return first_finding(report::Json::parse(text)["findings"]);
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

// clcsim's options for a GPU of the list.
std::vector<std::string> options_for(const std::string& gpu, std::uint64_t seed,
                                     const fs::path& folder) {
  if (gpu != kDrawn) return {"--gpu", gpu};
  const DrawnGpu drawn = draw_gpu(seed);
  const fs::path path = folder / ("drawn-" + std::to_string(seed) + ".gpu");
  std::ofstream(path) << drawn.text;
  return {"--gpu", path, "--refuse", std::to_string(drawn.refuse)};
}

// One run: under one seed, on one GPU.
struct Run {
  std::uint64_t seed;
  fs::path findings;
  std::vector<std::string> options;
  std::string settings;  // that they are
  Process process;

  Run(std::uint64_t number, const std::string& gpu, const fs::path& folder, const fs::path& build,
      const std::vector<std::string>& program, int seconds)
      : seed(number),
        findings(folder / (gpu + "-" + std::to_string(number) + ".json")),
        options(options_for(gpu, number, folder)),
        settings(add_options(seconds)),
        process(command(build, program), std::chrono::seconds(seconds),
                kPatience * std::chrono::seconds(seconds)) {}

 private:
  std::string add_options(int seconds) {
    options.insert(options.end(), {"--seed", std::to_string(seed), "--limit-seconds",
                                   std::to_string(kPatience * seconds), "--check-json", findings});
    const config::Options all =
        config::with_absolute_paths(config::read_command_line(options, {}).options);
    return config::in_words(all, *config::find_profile(all.gpu));
  }
  std::vector<std::string> command(const fs::path& build,
                                   const std::vector<std::string>& program) const {
    std::vector<std::string> words = {build / "bin/clcsim"};
    words.insert(words.end(), options.begin(), options.end());
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
  const clc::Judged judged = clc::judge(check, ended.account, run.seed, ended.key);
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
  } else if (judged.settings != run.settings && !ended.account.empty()) {
    verdict.status = kWrong;
    verdict.finding.clear();
    verdict.failed = "other settings";
    verdict.output = "  the simulator did not run with the check's settings   <--\n";
  } else if (ended.status >= 128) {
    verdict.status = ended.status;
  } else if (ended.status == kBadInput && judged.failed == "ended" &&
             !verdict.notes.starts_with("clcsim: the program ended")) {
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
  verdict.drawn = config::text_of_file(options[1]);
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
              const std::vector<std::string>& program, const fs::path& answer, int seconds) {
  Verdict verdict{
      .exercise = exercise.id, .file = exercise.file, .seed = "0", .seeds = exercise.seeds};
  const TemporaryFolder folder;
  Objection objection = objection_to_answer(answer, exercise);
  if (!objection) objection = objection_to_program(program[0]);
  if (objection) {
    verdict.status = kWrong;
    verdict.failed = objection.key;
    verdict.gpu = exercise.gpus[0];
    verdict.output = objection.sentence;
  } else {
    for (const std::string& gpu : exercise.gpus) {
      run_on(gpu, exercise, folder.path, build, program, seconds, verdict);
      if (verdict.status != kPass) break;
    }
  }
  put_into_words(exercise, verdict);
  if (verdict.status != kTodo)
    verdict.hints =
        find_hints(config::text_of_file(exercise.folder() / "hints.txt"),
                   config::text_of_file(course() / "simulator/course/exercises/hints.txt"),
                   {verdict.cause, verdict.reason, verdict.failed});
  return verdict;
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
