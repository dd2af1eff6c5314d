// What becomes of a value that a plain load has read: found in the program's text, along each way
// that the thread can have gone, with the predicates that it had in the end.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "checks/roles.h"
#include "machine/gpu.h"

namespace clcsim::checks {

enum class Fate : std::uint8_t {
  used,      ///< it may reach memory, an address, a branch, an atomic operation or another lane; or
             ///< nothing at all is done with it
  skipped,   ///< it reaches only instructions that the thread itself skips
  verified,  ///< it reaches a compare-and-swap that compares the same word with it, and nothing
             ///< else
};

class Fates {
 public:
  /// Of what the loads at `location` read; `skipped`: if the thread skips what it may skip.
  Fate best(const ptx::Program& program, std::uint32_t location);
  /// Of what a lane has read there that has ended, its registers still being there.
  Fate of(const ptx::Program& program, std::uint32_t location, machine::Warp& warp, int lane);

 private:
  class Walk;
  /// What decided on a fate: predicates, by slot, and the lane's values.
  using Seen = std::vector<std::pair<std::uint32_t, bool>>;
  struct Known {
    std::unique_ptr<ProgramRoles> roles;
    std::vector<std::uint32_t> writers;  // by register: the only instruction; or see fate.cpp
    std::map<std::uint32_t, bool> in_loop;
    std::vector<std::optional<Fate>> best;                              // by location
    std::map<std::uint32_t, std::vector<std::pair<Seen, Fate>>> fates;  // likewise
  };
  Known& known_of(const ptx::Program& program);

  std::unordered_map<const ptx::Program*, Known> programs_;
  const ptx::Program* latest_ = nullptr;
  Known* of_latest_ = nullptr;
};

}  // namespace clcsim::checks
