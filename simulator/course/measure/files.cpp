#include "measure/files.h"

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace clcsim::measure {

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("'" + path + "' can't be read");
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) throw std::runtime_error("'" + path + "' can't be written");
}

}  // namespace clcsim::measure
