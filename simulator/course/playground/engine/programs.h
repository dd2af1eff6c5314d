// The programs of the playground: what each chapter's host does, with the options that it takes.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "playground/engine/host.h"
#include "playground/engine/problem.h"

namespace clcsim::playground {

/// A number that a reader may choose. `names`: what its values from 0 on are called, if anything.
struct Knob {
  const char* name;
  std::int64_t fallback, least, most, step;
  const char* says;
  std::vector<const char*> names = {};
};

/// The values of all knobs of a kernel, by name.
using Values = std::map<std::string, std::int64_t, std::less<>>;

/// What came of a program.
struct Outcome {
  Audit audit;
  std::uint64_t steals = 0;  ///< as the kernel counts them
  std::uint64_t launch = 0;  ///< whose counts are the run's, if not the kernel's
  std::string verdict;       ///< a sentence
  enum class Word : std::uint8_t { pass, wrong, inconclusive } word = Word::pass;
  Time urgent = 0;  ///< cycles that the urgent kernel waited and ran; 0: there was none
};

struct Kernel {
  std::string id;                   ///< as the chapter's --kernel; "no-fence:broken" of a pitfall
  std::string function;             ///< as reports show it
  std::vector<std::string> others;  ///< further kernels that the host launches
  std::string title;
  std::vector<Knob> knobs;
  Outcome (*run)(Host& host, const Kernel& kernel, const Values& values);
  std::uint64_t launch = 1;  ///< whose counts are the run's; launches are counted from 1
  // Of a pitfall:
  std::string pitfall = {};
  bool broken = false;
  int rows = 1, threads = 64;  ///< of the block
};

struct Program {
  std::string id, chapter, title;
  std::vector<Kernel> kernels;
};

const std::vector<Program>& programs();
std::vector<Program> chapter_programs();  ///< chapters.cpp
Program pitfall_program();                ///< pitfalls.cpp

}  // namespace clcsim::playground
