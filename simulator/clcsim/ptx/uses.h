// What a kernel does, and what becomes of a result: found in the text of a decoded kernel, without
// running it.
#pragma once

#include <cstdint>

#include "ptx/program.h"

namespace clcsim::ptx {

/// Where what was loaded at `location` is first used: the place of the first instruction after the
/// load that does more than move it. kNoLocation: nothing there loads, or nobody uses it. nvcc may
/// leave a load at the line before its own; the use has the right line.
std::uint32_t use_of_load(const Program& program, std::uint32_t location);

/// Whether there is any test_wait or try_wait in it.
bool waits_for_mbarriers(const Program& program);

/// Where an mbarrier's test_wait or try_wait stands whose answer decides nothing; kNoLocation:
/// there is none.
std::uint32_t ignored_wait(const Program& program);

/// 'x', 'y' or 'z', where anything depends on this coordinate of a stolen block, which `decode`
/// takes, and the kernel never reads its own block's; 0 elsewhere.
char foreign_axis(const Program& program, const Instruction& decode);

}  // namespace clcsim::ptx
