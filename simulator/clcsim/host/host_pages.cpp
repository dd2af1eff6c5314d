// For cudart/copy_engine.cpp: all memory of the host that it sees is the engine's own.
#include "cudart/host_pages.h"

namespace clcsim::cudart {

bool is_mapped(std::uint64_t) {
  return true;
}

}  // namespace clcsim::cudart
