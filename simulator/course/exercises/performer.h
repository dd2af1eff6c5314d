// The two sides of a check (exercise_check.h), for those that make them.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "exercise_check.h"

namespace clc {

// What runs the student's code. There is none where the check judges.
class Performer {
 public:
  virtual ~Performer() = default;
  virtual void tiles(const Problem& problem, Launch launch) = 0;
  virtual void note(const std::string& text) = 0;
  virtual void watch(float* y, long long elements, unsigned long long* counters) = 0;
  virtual void watch_aside(const void* memory, std::size_t bytes) = 0;
  virtual void watched() = 0;
  virtual void show(const void* memory, std::vector<unsigned char>& copy) = 0;
  virtual void end_run() = 0;

  // Where the student's code is not in this program: their next value, the blocks of a kernel that
  // the GPU holds at a time, and the name of the variable that is shown next.
  virtual long long value() { return 0; }
  virtual int resident(const char* /*kernel*/) { return 0; }
  virtual void show_variable(const char* /*name*/) {}
};
extern Performer* performer;

// How a problem is announced.
std::string note_of(const Problem& problem);

// From here on draw() gives the numbers of this seed.
void set_seed(std::uint64_t seed);

struct Judged {
  int code = kWrong;
  std::string failed;  // the first thing that differed
  std::string text;    // what was printed
  bool whole = false;  // the account goes to the check's end
  unsigned findings = 0;
  std::string settings;  // that clcsim has had (config::in_words())
  bool half_a_fence =
      false;  // a kernel has a release half of a proxy fence alone, or an acquire half
};

// Judges what `account` holds: bytes of which nothing is sure but what is sealed with the key.
Judged judge(void (*check)(), const std::string& account, std::uint64_t seed,
             const std::array<std::uint64_t, 2>& key = {});

}  // namespace clc
