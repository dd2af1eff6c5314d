// build/tour/index.html: one page with everything in it, that needs no network.
#pragma once

#include "tour/tables.h"

namespace clcsim::tour {

struct PageParts {
  Results recorded;                                          // of the experiment "scale"
  std::vector<std::pair<std::string, std::string>> machine;  // what, and which
  std::vector<Table> tables;
  std::string pictures;  // the folder of the pictures
};

/// Throws std::runtime_error if a picture can't be read.
std::string page(const PageParts& parts);

}  // namespace clcsim::tour
