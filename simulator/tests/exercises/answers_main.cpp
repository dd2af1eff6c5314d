// Whether each answer to an exercise gets its verdict, and a hint for it:
//   exercise_answers ID SEEDS RIGHT [WRONG]    two programs, which hold the chapter's right answers
//                                              and its wrong ones; right answers are tried under so
//                                              many seeds, the solution under all
//   exercise_answers --cycles ID PROGRAM  writes what the solution takes into its check.h
//   exercise_answers --complete    what is missing in the exercises' folders
#include <fnmatch.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <regex>

#include "answers.h"
#include "exercises/check_answer.h"

namespace clcsim::exercises {
namespace {

namespace fs = std::filesystem;

const fs::path kBuild = CLC_BUILD;
constexpr int kSeconds = 20, kFewSeconds = 3;  // for a run

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

// What is wrong with the verdict, or nothing.
std::string complaint(const Answer& answer, const Verdict& verdict) {
  const std::string all = verdict.words + verdict.more;
  if (verdict.status == kPass && is_slow(verdict) && !contains(answer.expected, "but slow"))
    return "it is slow";
  if (fnmatch(answer.expected.c_str(), all.c_str(), FNM_EXTMATCH) != 0)
    return "expected " + answer.expected;
  if (verdict.status == kPass) return verdict.report.empty() ? "" : "it passes with a finding";
  if (verdict.status == kTodo)
    return contains(verdict.more, verdict.file) ? "" : "it doesn't say what to open";
  if (verdict.status == kWrong && !contains(verdict.output, "is the first that differs") &&
      !contains(verdict.output, "<--"))
    return "nothing to compare";
  const Hints& hints = verdict.hints;
  if (hints.steps.empty()) return "no hint";
  if (hints.key == "nothing stolen" && !verdict.finding.empty()) return "it hides the finding's";
  // With a finding and a wrong result the exercise may have a hint for what is wrong with the
  // result.
  const bool of_result = verdict.status == kWrong && !verdict.finding.empty() && hints.key != "any";
  const bool of_cause = hints.key == verdict.cause;
  return hints.key == verdict.reason || of_cause || of_result ? ""
                                                              : "not a hint for " + verdict.reason;
}

bool try_answer(Exercise exercise, const Answer& answer, const std::string& program) {
  if (answer.variation()) exercise.seeds = 2;  // a long run
  const int seconds = answer.expected.starts_with("TOO SLOW") ? kFewSeconds : kSeconds;
  const Verdict verdict =
      check(exercise, kBuild, {program, exercise.id + "." + answer.name}, seconds);
  std::string wrong = complaint(answer, verdict);
  if (wrong.empty() && answer.name == "solution" &&
      std::abs(verdict.cycles - verdict.solution) * 100 > 3 * verdict.solution &&
      verdict.solution > 0)
    wrong = "check.h says that it takes " + std::to_string(verdict.solution) +
            " cycles, and now it takes " + std::to_string(verdict.cycles) +
            "; exercise_answers --cycles " + exercise.id + " PROGRAM writes that";
  std::cout << (wrong.empty() ? "ok   " : "FAIL ") << answer.name << ": " << verdict.words
            << verdict.more << '\n';
  if (!wrong.empty()) std::cout << text_of(verdict, 1) << wrong << "\n\n";
  return wrong.empty();
}

int try_answers(const std::string& id, int seeds, const std::string& right,
                const std::string& wrong) {
  const Exercise exercise = find_exercise(read_list(kBuild / "exercises/list.txt"), id);
  Exercise in_short = exercise;
  in_short.seeds = std::min(seeds, exercise.seeds);
  bool good = try_answer(exercise, {.name = "shipped", .expected = "TODO*"}, right);
  good &= try_answer(exercise, {.name = "solution", .expected = "PASS*"}, right);
  for (const Answer& answer : read_answers(exercise.folder())) {
    if (answer.right())
      good &= try_answer(in_short, answer, right);
    else if (!wrong.empty())
      good &= try_answer(exercise, answer, wrong);
  }
  return good ? 0 : 1;
}

// What the solution takes becomes what its check says.
int write_cycles(const std::string& id, const std::string& program) {
  const Exercise exercise = find_exercise(read_list(kBuild / "exercises/list.txt"), id);
  const Verdict verdict = check(exercise, kBuild, {program, id + ".solution"}, kSeconds);
  std::string digits = std::to_string((verdict.cycles + 50) / 100 * 100);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, "'");
  const fs::path path = exercise.folder() / "check.h";
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  std::ofstream(path) << std::regex_replace(text, std::regex(R"((takes?\()[0-9']+\))"),
                                            "$01" + digits + ")");
  return 0;
}

int complete() {
  const std::vector<std::string> sentences = what_is_missing(kBuild / "exercises/list.txt");
  for (const std::string& sentence : sentences) std::cout << sentence << '\n';
  return sentences.empty() ? 0 : 1;
}

int main(const std::vector<std::string>& words) {
  if (words.size() == 3 && words[0] == "--cycles") return write_cycles(words[1], words[2]);
  if (words.size() == 3 || words.size() == 4)
    return try_answers(words[0], std::stoi(words[1]), words[2], words.size() == 4 ? words[3] : "");
  if (words == std::vector<std::string>{"--complete"}) return complete();
  std::cerr << "exercise_answers ID SEEDS RIGHT [WRONG] | --cycles ID PROGRAM | --complete\n";
  return 2;
}

}  // namespace
}  // namespace clcsim::exercises

int main(int argc, char** argv) {
  try {
    return clcsim::exercises::main({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "exercise_answers: " << error.what() << '\n';
    return 2;
  }
}
