#include "measure/strategies.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <stdexcept>

namespace clcsim::measure {
namespace {

constexpr const char* kFile = "pictures/strategies.txt";  // of a chapter

std::vector<Strategy> read_strategies() {
  std::vector<std::filesystem::path> files;
  for (const auto& folder : std::filesystem::directory_iterator(CLC_COURSE))
    if (exists(folder.path() / kFile)) files.push_back(folder.path() / kFile);
  std::sort(files.begin(), files.end());
  std::vector<Strategy> all;
  for (const auto& file : files) {
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
      std::smatch cells;
      static const std::regex row(R"(([^#|]*) \| ([^|]*) \| ([^|]*) \| (.*))");
      if (std::regex_match(line, cells, row))
        all.push_back(
            {file.parent_path().parent_path().filename(), cells[1], cells[2], cells[3], cells[4]});
    }
  }
  if (all.empty()) throw std::runtime_error("no chapter in '" CLC_COURSE "' has a strategies.txt");
  return all;
}

}  // namespace

const std::vector<Strategy>& strategies() {
  static const std::vector<Strategy> all = read_strategies();
  return all;
}

}  // namespace clcsim::measure
