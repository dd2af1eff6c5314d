// A program that becomes another one (exec).
#pragma once

namespace clcsim::cudart {

/// Whether this process was another program before, and what that one has found counts.
bool is_heir();

}  // namespace clcsim::cudart
