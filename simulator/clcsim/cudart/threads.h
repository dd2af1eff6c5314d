// Threads of this process: the runtime's own, and what the program's are doing.
#pragma once

#include <sys/types.h>

#include <functional>

namespace clcsim::cudart {

/// This thread, as the kernel calls it.
pid_t this_thread();

/// Starts a thread that gets no signals (they are for the program's) and returns its number.
pid_t start_thread(std::function<void()> body);

/// How many threads there are for which `counts` holds.
int threads(const std::function<bool(pid_t)>& counts);

/// True for the first thread once it has ended (pthread_exit) while others go on.
bool has_ended(pid_t thread);

/// False for a thread that sleeps until another thread of the process wakes it: it waits for a
/// mutex, a condition or the end of a thread, without a time.
bool may_act(pid_t thread);

}  // namespace clcsim::cudart
