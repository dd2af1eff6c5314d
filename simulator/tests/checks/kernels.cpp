#include "tests/checks/kernels.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace clcsim::test {
namespace {

constexpr char kLetters[] = "abcdefghijklmnopqrstuvwxyz_";

struct Reader {
  std::map<std::string, std::string> abbreviations;
  std::vector<Kernel> kernels;

  std::string expanded(const std::string& text) const {
    std::string result;
    for (std::size_t at = 0;;) {
      const std::size_t dollar = text.find('$', at);
      result += text.substr(at, dollar - at);
      if (dollar == text.npos) return result;
      at = std::min(text.find_first_not_of(kLetters, dollar + 1), text.size());
      result += abbreviations.at(text.substr(dollar + 1, at - dollar - 1));
    }
  }

  void begin(const std::string& head) {
    const std::size_t colon = head.rfind(": ");
    Kernel kernel{.name = head.substr(3, colon - 3)};
    const std::size_t comma = std::min(head.find(", each block once"), head.size());
    kernel.each_block_once = comma != head.size();
    std::istringstream words(head.substr(colon + 2, comma - colon - 2));
    for (std::string word; words >> word;) {
      if (word == "grid") words >> kernel.shape.grid.x;
      if (word == "block") words >> kernel.shape.block.x;
      if (word == "cluster") words >> kernel.shape.cluster.x;
    }
    kernels.push_back(kernel);
  }

  void read(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("can't read " + path);
    // Rows: what begins with a blank belongs to the line before it.
    std::vector<std::string> rows;
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with('#')) continue;
      if (line.starts_with(' ')) {
        rows.back() += line.substr(line.find_first_not_of(' ') - 1);
      } else {
        rows.push_back(line);
      }
    }
    std::string* text = nullptr;
    std::vector<Change>* changes = nullptr;
    for (const std::string& row : rows) {
      const std::size_t equals = row.find(" =");
      if (row.empty()) {
        text = nullptr;
        changes = nullptr;
      } else if (row.starts_with("== ")) {
        begin(row);
        text = &kernels.back().text;
      } else if (row.starts_with("-- ")) {
        Kernel& kernel = kernels.back();
        changes = row == "-- found"      ? &kernel.found
                  : row == "-- explored" ? &kernel.explored
                  : row == "-- silent"   ? &kernel.silent
                                         : throw std::runtime_error(row);
      } else if (changes != nullptr) {
        changes->push_back(read_change(expanded(row)));
        if (changes->back().head.empty()) throw std::runtime_error("nothing is said of: " + row);
      } else if (text != nullptr) {
        *text += expanded(row) + "\n";
      } else if (row.starts_with('$') && equals != row.npos) {
        text = &abbreviations[row.substr(1, equals - 1)];
        if (row.size() == equals + 2) continue;
        *text = expanded(row.substr(equals + 3));
        text = nullptr;
      } else {
        throw std::runtime_error("not understood: " + row);
      }
    }
  }
};

}  // namespace

const std::vector<Kernel>& kernels() {
  static const std::vector<Kernel> all = [] {
    Reader reader;
    for (const char* name : {"common", "requests", "memory", "warp", "copies"}) {
      reader.read(std::string(CLCSIM_TEST_KERNELS "/") + name + ".txt");
    }
    return reader.kernels;
  }();
  return all;
}

}  // namespace clcsim::test
