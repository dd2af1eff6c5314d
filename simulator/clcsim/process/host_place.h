// Where in the program's source a call stands.
#pragma once

#include <string>

namespace clcsim::process {

/// Where in the program an instruction before `address` stands: "main.cu:12 in main", as far as its
/// symbols and debugging information say so; empty: not at all. It asks addr2line(1), which comes
/// with the compilers.
std::string host_place(const void* address);

/// Where the program has called the runtime; nullptr: it can't be told.
const void* host_caller();

}  // namespace clcsim::process
