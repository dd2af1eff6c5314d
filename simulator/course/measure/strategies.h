// The launch strategies of the chapters, from their pictures/strategies.txt: each chapter says what
// is measured of it, and no other file lists them.
#pragma once

#include <string>
#include <vector>

namespace clcsim::measure {

struct Strategy {
  std::string chapter;   // its folder, and its program
  std::string name;      // in recordings; its picture is <name>.svg
  std::string kernel;    // for --kernel
  std::string title;     // in tables
  std::string sentence;  // about its picture
};

/// In the order of the chapters. Throws std::runtime_error if there are none.
const std::vector<Strategy>& strategies();

}  // namespace clcsim::measure
