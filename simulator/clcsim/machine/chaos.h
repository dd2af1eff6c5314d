// The source of every choice that a seed decides. Seed 0 is the natural schedule: no choice.
#pragma once

#include <cstdint>

namespace clcsim::machine {

class Chaos {
 public:
  explicit Chaos(std::uint64_t seed)
      : hostile_(seed != 0), slow_(seed % 16 == 8), state_(seed), apart_(~seed) {}

  /// Whether the schedule is a hostile one.
  bool hostile() const { return hostile_; }

  /// Whether one response of each grid comes so late that waits for it give up many times.
  bool slow() const { return slow_; }

  /// A number in [0, bound); 0 in the natural schedule.
  std::uint64_t below(std::uint64_t bound) { return hostile_ ? next() % bound : 0; }

  /// True once in `n` times; never in the natural schedule.
  bool once_in(std::uint64_t n) { return hostile_ && next() % n == 0; }

  /// A number for a warp whose lanes may run apart. Others' choices don't depend on how often it is
  /// asked for: they are the same whether or not such a warp runs.
  std::uint64_t apart() { return mixed(apart_); }

 private:
  // splitmix64: a fixed sequence for each seed on every machine.
  std::uint64_t next() { return mixed(state_); }
  static std::uint64_t mixed(std::uint64_t& state) {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  bool hostile_;
  bool slow_;
  std::uint64_t state_, apart_;
};

}  // namespace clcsim::machine
