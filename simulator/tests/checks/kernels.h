// The kernels of kernels/*.txt; common.txt there says how they are written.
#pragma once

#include <string>
#include <vector>

#include "tests/checks/template.h"
#include "tests/machine/harness.h"

namespace clcsim::test {

struct Kernel {
  std::string name, text;
  LaunchShape shape;
  bool each_block_once = false;
  std::vector<Change> found, explored, silent;
};

const std::vector<Kernel>& kernels();

}  // namespace clcsim::test
