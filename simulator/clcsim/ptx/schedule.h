// What the clock and the scheduler of paths must know of an instruction's neighbours.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/form.h"
#include "ptx/program.h"

namespace clcsim::ptx {

/// Marks what the clock needs: whether an instruction uses the result of the one before it, and
/// whether it may use the result of a load that is under way. Loads are waited for at the latest
/// where paths join or part.
class Dependences {
 public:
  /// Nothing is known of what ran before.
  void forget();
  /// Paths join here, as at the head of a loop: the instruction before is not known, and is taken
  /// to be needed.
  void join() { join_ = after_join_ = true; }
  bool loading() const { return !loading_.empty(); }

  /// `reads` and `writes`: slots of registers.
  void note(Instruction& instruction, const Form& form, const std::vector<std::uint32_t>& reads,
            const std::vector<std::uint32_t>& writes);

 private:
  std::vector<std::uint32_t> previous_, loading_;
  bool join_ = false, after_join_ = false;
};

/// At the end of a loop some lanes may branch back to its head while the others have something left
/// to do. On a GPU they meet before the next round; but the path with the lowest pc would start it
/// alone. So those lanes are sent to the others' branch at the end instead.
void join_at_loop_ends(std::vector<Instruction>& code);

}  // namespace clcsim::ptx
