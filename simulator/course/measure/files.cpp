#include "measure/files.h"

#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace clcsim::measure {

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("'" + path + "' can't be read");
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> lines_of(const std::string& path) {
  std::istringstream in(read_file(path));
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line[0] != '#') lines.push_back(line);
  return lines;
}

std::string take_cell(std::string& line) {
  const std::size_t bar = line.find(" | ");
  std::string cell = line.substr(0, bar);
  line.erase(0, bar == std::string::npos ? bar : bar + 3);
  cell.erase(cell.find_last_not_of(" \t") + 1);
  cell.erase(0, cell.find_first_not_of(" \t"));
  return cell;
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) throw std::runtime_error("'" + path + "' can't be written");
}

}  // namespace clcsim::measure
