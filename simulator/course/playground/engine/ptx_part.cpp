#include "playground/engine/ptx_part.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <stdexcept>

#include "report/source.h"

namespace clcsim::playground {
namespace {

struct Piece {
  std::string text, symbol;  // symbol: of a kernel; else empty
};

// Kernels are pieces of their own, and so are the other lines of the module.
std::vector<Piece> split(const std::string& module) {
  std::vector<Piece> pieces;
  std::istringstream lines(module);
  bool inside = false;  // a kernel
  int depth = 0;
  for (std::string line; std::getline(lines, line);) {
    while (!line.empty() && line.back() == '\0') line.pop_back();
    const std::size_t entry = line.find(".entry ");
    if (!inside) pieces.emplace_back();
    if (!inside && entry != line.npos) {
      const std::size_t begin = entry + 7;
      pieces.back().symbol = line.substr(begin, line.find('(', begin) - begin);
      inside = true;
    }
    pieces.back().text += line + "\n";
    const auto open = std::count(line.begin(), line.end(), '{');
    const auto close = std::count(line.begin(), line.end(), '}');
    depth += static_cast<int>(open - close);
    if (inside && depth == 0 && close != 0) inside = false;
  }
  return pieces;
}

// The words that follow `mark` in the text.
std::set<std::string> words_after(const std::string& text, const std::string& mark) {
  std::set<std::string> words;
  for (std::size_t at = 0; (at = text.find(mark, at)) != text.npos;) {
    at += mark.size();
    words.insert(text.substr(at, text.find_first_of(" \t\n,;:", at) - at));
  }
  return words;
}

}  // namespace

PtxPart part_of(const std::string& module, const std::vector<std::string>& kernels) {
  const std::vector<Piece> pieces = split(module);
  PtxPart part;
  std::string bodies;
  std::set<std::string> missing(kernels.begin(), kernels.end());
  const auto wanted = [&](const Piece& piece) {
    return std::count(kernels.begin(), kernels.end(), report::kernel_name(piece.symbol)) != 0;
  };
  for (const Piece& piece : pieces) {
    if (piece.symbol.empty() || !wanted(piece)) continue;
    bodies += piece.text;
    const std::string name = report::kernel_name(piece.symbol);
    missing.erase(name);
    if (name == kernels[0]) part.symbol = piece.symbol;
  }
  if (!missing.empty()) throw std::runtime_error("the PTX has no kernel " + *missing.begin());

  // Of the files and the names of functions, those that a line of these kernels speaks of.
  std::set<std::string> files = words_after(bodies, ".loc\t");
  files.merge(words_after(bodies, "inlined_at "));
  const std::set<std::string> names = words_after(bodies, "$L__info_string");
  bool named = true;
  for (const Piece& piece : pieces) {
    const std::string& line = piece.text;
    if (!piece.symbol.empty()) {
      if (wanted(piece)) part.text += line;
      continue;
    }
    if (line.starts_with("$L__info_string")) {
      named = names.contains(line.substr(15, line.find(':') - 15));
    } else if (line.find_first_not_of("\t}\n") == line.npos) {  // the section's end
      named = true;
    }
    const std::string file = line.starts_with(".file\t") || line.starts_with("\t.file\t")
                                 ? *words_after(line, ".file\t").begin()
                                 : "";
    if (named && (file.empty() || files.contains(file))) part.text += line;
  }
  return part;
}

}  // namespace clcsim::playground
