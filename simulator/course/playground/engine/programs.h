// What the hosts of the chapters' programs do around their kernels. Which kernels there are, and
// their options, is in the catalogue, which the programs themselves have told.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "host/host.h"
#include "problem.h"
#include "report/json_reader.h"

namespace clcsim::playground {

using clc::Problem;
using host::Host;
using host::Shape;
using machine::Time;

/// The values of all knobs of a kernel, by name.
using Values = std::map<std::string, std::int64_t, std::less<>>;

/// What came of a program.
struct Outcome {
  clc::Audit audit;
  std::uint64_t steals = 0;        ///< as the kernel counts them
  std::uint64_t launch = 0;        ///< whose counts are the run's, if not the kernel's
  std::string verdict;             ///< a sentence
  std::string_view word = "PASS";  ///< WRONG, INCONCLUSIVE
  std::uint64_t prologues = 0;     ///< likewise
  Time timed = 0, copied = 0;      ///< medians of timed launches, and of the copies before them
  Time urgent = 0;  ///< cycles that the urgent kernel waited and ran; 0: there was none

  /// Looks at what the launch made of the problem. `right`: the verdict if every tile was done
  /// once.
  void judge(bool must_steal, const std::string& right, const std::string& nothing_stolen) {
    if (!audit.exactly_once()) {
      word = "WRONG";
      verdict = "Wrong: tile " + std::to_string(audit.first_bad_tile) +
                " is the first that was not done exactly once: " + std::to_string(audit.missed) +
                " elements were missed, " + std::to_string(audit.doubled) + " done twice, " +
                std::to_string(audit.wrong) + " hold something else.";
    } else if (must_steal && steals == 0) {
      word = "INCONCLUSIVE";
      verdict = nothing_stolen;
    } else {
      verdict = right;
    }
  }
};

struct Kernel;
using Run = Outcome (*)(Host& host, const Kernel& kernel, const Values& values);

/// A kernel of the catalogue, and what the program's host does around it.
struct Kernel {
  std::string id;        ///< as the chapter's --kernel; "no-fence:broken" of a pitfall
  std::string function;  ///< as reports show it
  Run run = nullptr;
  std::uint64_t launch = 1;  ///< whose counts are the run's; launches are counted from 1
  // Of a pitfall:
  bool broken = false;
  int rows = 1, threads = 64;  ///< of the block
};

/// How the host of a chapter's kernel is played.
struct ChapterKernel {
  const char *chapter, *id, *function, *title;  ///< chapter: its number
  Run run;
  bool uneven = true;            ///< takes --skew and --shape
  const char* before = nullptr;  ///< a kernel that the host launches before it
};

/// nullptr: the playground doesn't know its host.
const ChapterKernel* find_chapter_kernel(std::string_view chapter, std::string_view id);

/// How the host of a pitfall, by the name of 05_ub_pitfalls --json, is played.
struct PitfallHost {
  const char* name;
  Run run;
};

const PitfallHost* find_pitfall_host(std::string_view name);

/// The kernel of an entry of the catalogue. `run` is nullptr if its host isn't known.
Kernel kernel_of(const report::Json& entry, std::string_view program);

}  // namespace clcsim::playground
