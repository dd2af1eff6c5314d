#include "measure/strategies.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "measure/files.h"

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
    for (std::string line : lines_of(file)) {
      Strategy& strategy = all.emplace_back();
      strategy.chapter = file.parent_path().parent_path().filename();
      for (std::string* cell : {&strategy.name, &strategy.kernel, &strategy.title})
        *cell = take_cell(line);
      strategy.sentence = line;
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
