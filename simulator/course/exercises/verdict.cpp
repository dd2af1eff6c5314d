#include "exercises/verdict.h"

#include <algorithm>
#include <regex>
#include <sstream>

#include "report/svg.h"

namespace clcsim::exercises {
namespace {

constexpr const char kReport[] = "========= clcsim:";  // a finding begins so

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

std::string both_times(const Verdict& verdict) {
  return "yours " + report::svg::grouped(verdict.cycles) + " cycles, a solution takes " +
         report::svg::grouped(verdict.solution);
}

std::string first_of(const std::string& a, const std::string& b) {
  return a.empty() ? b : a;
}

// Those below [key].
std::vector<std::string> steps_for(const std::string& key, const std::string& text) {
  std::vector<std::string> steps;
  std::istringstream lines(text);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('['))
      inside = line == "[" + key + "]";
    else if (inside && !line.empty() && !line.starts_with('#'))
      steps.push_back(line);
  }
  return steps;
}

void choose_words(const Exercise& exercise, Verdict& verdict) {
  const std::string &finding = verdict.finding, &failed = verdict.failed;
  switch (verdict.status) {
    case kPass:
      verdict.words = "PASS";
      verdict.more =
          is_slow(verdict) ? ", but slow: " + both_times(verdict) : where_it_passed(exercise);
      verdict.reason = is_slow(verdict) ? "slow" : "passed";
      return;
    case kTodo:
      verdict.words = "TODO";
      verdict.more = ": edit " + verdict.file + ", and set kReady = true when it is to be checked";
      return;
    case kNothingStolen:
      verdict.words = "NOTHING STOLEN";
      verdict.reason = first_of(finding, "nothing stolen");
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
      if (failed == "slow") verdict.output += "  " + both_times(verdict) + "   <--\n";
      verdict.reason = first_of(finding, failed);
      verdict.words = "WRONG, " + first_of(verdict.reason, "no word of what");
      return;
    default:
      verdict.reason = first_of(finding, verdict.status >= 128 ? "crash" : failed);
      verdict.words =
          finding.empty() ? "ERROR, " + first_of(verdict.reason, "no word of what") : finding;
  }
}

}  // namespace

void take_findings(const report::Json& findings, const std::string& printed, Verdict& verdict) {
  verdict.finding.clear(), verdict.cause.clear(), verdict.report.clear();
  for (const report::Json& finding : findings.array()) {
    const std::string& kind = finding["kind"].text();
    if (kind == "refusal" || kind == "accepted" || (kind == "note" && !verdict.finding.empty()))
      continue;
    verdict.finding = finding["name"].text();
    if (kind == "error") break;
  }
  const auto says = [&](const char* text) { return printed.find(text) != std::string::npos; };
  // The report names a block where both are in one cluster.
  if (verdict.finding == "data-race" &&
      (says("a thread of another block") || (says("global memory") && says(") of block ("))))
    verdict.cause = "data-race between blocks";
  std::istringstream lines(printed);
  int reports = 0;
  for (std::string line; std::getline(lines, line);) {
    const bool begins = line.starts_with(kReport);
    reports += begins;
    if (begins || (reports < 2 && line.starts_with("========="))) verdict.report += line + '\n';
  }
}

bool is_slow(const Verdict& verdict) {
  return verdict.solution > 0 && verdict.cycles * 10 > verdict.solution * 12;
}

void take_check(const report::Json& check, Verdict& verdict) {
  verdict.output += check["text"].text();
  verdict.failed = check["failed"].text();
  const auto code = static_cast<int>(check["code"].whole(0));
  if (verdict.status == kPass || code != kPass) verdict.status = code;
  if (verdict.cycles == 0)
    verdict.cycles = check["cycles"].whole(0), verdict.solution = check["solution"].whole(0);
  if (verdict.status == kPass && is_slow(verdict) && check["must"].truth())
    verdict.status = kWrong, verdict.failed = "slow";
}

void put_into_words(const Exercise& exercise, const std::string& own_hints,
                    const std::string& common_hints, Verdict& verdict) {
  choose_words(exercise, verdict);
  if (verdict.status != kTodo)
    verdict.hints =
        find_hints(own_hints, common_hints, {verdict.cause, verdict.reason, verdict.failed});
}

Hints find_hints(const std::string& own, const std::string& common,
                 const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    for (const std::string& text : {own, common}) {
      if (key.empty()) continue;
      if (std::vector<std::string> steps = steps_for(key, text); !steps.empty())
        return {key, std::move(steps)};
    }
  }
  return {"any", steps_for("any", own)};
}

std::string text_of(const Verdict& verdict, int step) {
  std::ostringstream text;
  text << "exercise " << verdict.exercise << ", " << verdict.file << ": " << verdict.words
       << verdict.more << '\n';
  if (verdict.status == kTodo) return text.str();
  const Hints& hints = verdict.hints;
  if (verdict.status == kPass) {
    if (hints.key == verdict.reason)
      for (const std::string& line : hints.steps) text << "  " << line << '\n';
    return text.str();
  }
  if (verdict.seeds != 1 && verdict.seed != "0")
    text << "  It was right under seed 0, the natural schedule, but not under seed " << verdict.seed
         << ". (A seed makes clcsim draw another order of events and other sizes, "
            "as a real GPU may have them. The same seed is the same run again.)\n";
  text << verdict.output << verdict.report << verdict.notes;
  if (const int all = static_cast<int>(hints.steps.size()); all > 0) {
    step = std::min(step, all);
    text << "  hint " << step << " of " << all << " (" << hints.key
         << "): " << hints.steps[step - 1] << '\n';
    if (step < all) text << "  (the next hint comes if this fails again)\n";
  }
  return text.str();
}

std::vector<std::string> run_options(const Verdict& verdict) {
  return {"--gpu", verdict.gpu, "--seed", verdict.seed};
}

std::string quoted(const std::string& word) {
  if (word.find_first_of(" '\"$&();") == std::string::npos) return word;
  return '\'' + std::regex_replace(word, std::regex("'"), R"('\'')") + '\'';
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += ' ' + quoted(word);
  return text;
}

}  // namespace clcsim::exercises
