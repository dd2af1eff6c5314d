// apply_edits SOURCE VARIANTS FOLDER: writes each variant (edits.h) of a source as FOLDER/name.cu.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "edits/edits.h"

namespace {

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw clcsim::edits::BadEdit("it can't be read: " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "apply_edits SOURCE VARIANTS FOLDER\n";
    return 2;
  }
  const std::filesystem::path folder = argv[3];
  try {
    const std::string source = read(argv[1]);
    std::filesystem::create_directories(folder);
    for (const auto& variant : clcsim::edits::read_variants(read(argv[2]))) {
      std::ofstream out(folder / (variant.name + ".cu"), std::ios::binary);
      out << clcsim::edits::edited(variant, source);
      if (!out.flush()) throw clcsim::edits::BadEdit("can't write to " + folder.string());
    }
  } catch (const std::exception& error) {
    std::cerr << argv[2] << ":" << error.what() << "\n(edits of " << argv[1] << ")\n";
    return 1;
  }
}
