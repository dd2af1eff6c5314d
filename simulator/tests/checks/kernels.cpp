#include "tests/checks/kernels.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace clcsim::test {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first);
}

// "what is said | line -> what stands there instead & line -> ..."
Change read_change(const std::string& row) {
  const std::size_t bar = row.find(" | ");
  if (bar == row.npos) throw std::runtime_error("nothing is said of: " + row);
  Change change{.head = row.substr(0, row.find_last_not_of(' ', bar) + 1)};
  for (std::size_t from = bar + 3; from < row.size();) {
    const std::size_t end = std::min(row.find(" & ", from), row.size());
    const std::string edit = row.substr(from, end - from);
    const std::size_t arrow = edit.find(" ->");
    if (arrow == edit.npos) throw std::runtime_error("no edit: " + edit);
    change.edits.push_back({edit.substr(0, arrow), edit.substr(std::min(arrow + 4, edit.size()))});
    from = end + 3;
  }
  return change;
}

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

std::string Change::at() const {
  const std::size_t from = head.find('@') + 1;
  return head.substr(from, head.find(' ') - from);
}

bool Change::allows(const std::string& name) const {
  return (head + " ").find(" +" + name + " ") != head.npos;
}

std::string text_of(const Change& change) {
  std::string all = change.head + ": ";
  for (const Edit& edit : change.edits) all += edit.line + " -> '" + edit.text + "'; ";
  return all;
}

Template::Template(const std::string& text) {
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    Line entry;
    const std::size_t bar = line.find("| ");
    if (bar != std::string::npos && line.find_first_of(" .@%") > bar) {
      entry.name = line.substr(0, bar);
      line = line.substr(bar + 2);
      numbers_[entry.name] = static_cast<unsigned>(lines_.size() + 1);
    }
    entry.text = trimmed(line);
    lines_.push_back(entry);
  }
}

unsigned Template::line(const std::string& name) const {
  const auto entry = numbers_.find(name);
  if (entry == numbers_.end()) throw std::runtime_error("no line is named " + name);
  return entry->second;
}

std::string Template::name(unsigned line) const {
  for (const auto& [name, number] : numbers_) {
    if (number == line) return name;
  }
  return std::to_string(line);
}

std::string Template::module(const std::vector<Edit>& edits) const {
  std::map<std::string, std::string> changed;
  for (const Edit& edit : edits) {
    line(edit.line);  // must exist
    changed[edit.line] = edit.text;
  }
  std::string result = ".version 8.7\n.target sm_100a\n.address_size 64\n.file 1 \"kernel.ptx\"\n";
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    std::string text = lines_[i].text;
    const auto edit = changed.find(lines_[i].name);
    if (!lines_[i].name.empty() && edit != changed.end()) {
      const std::size_t same = edit->second.find("same");
      text = same == std::string::npos
                 ? edit->second
                 : edit->second.substr(0, same) + text + edit->second.substr(same + 4);
    }
    const bool instruction = !text.empty() && text.back() == ';' && text.front() != '.';
    if (instruction) {
      // Each instruction of a line gets the same place.
      const std::string place = ".loc 1 " + std::to_string(i + 1) + " 0\n";
      std::string placed;
      std::size_t from = 0;
      int depth = 0;
      for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '{') ++depth;
        if (text[at] == '}') --depth;
        if (text[at] != ';' || depth != 0) continue;
        placed += place + trimmed(text.substr(from, at + 1 - from)) + "\n";
        from = at + 1;
      }
      text = placed;
    }
    result += text + "\n";
  }
  return result;
}

const std::vector<Kernel>& kernels() {
  static const std::vector<Kernel> all = [] {
    Reader reader;
    for (const char* name : {"common", "requests", "memory", "warp", "copies", "tensor",
                             "tensor_memory", "warpgroup"}) {
      reader.read(std::string(CLCSIM_TEST_KERNELS "/") + name + ".txt");
    }
    return reader.kernels;
  }();
  return all;
}

}  // namespace clcsim::test
