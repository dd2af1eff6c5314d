// Where in the program's source a call stands.
#pragma once

#include <string>

namespace clcsim::process {

/// Where in the program an instruction before `address` stands: "main.cu:12 in main", as far as its
/// symbols and debugging information say so; empty: not at all. It asks addr2line(1), which comes
/// with the compilers.
std::string host_place(const void* address);

}  // namespace clcsim::process
