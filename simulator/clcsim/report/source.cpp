#include "report/source.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include "ptx/source.h"

namespace clcsim::report {
namespace {

namespace fs = std::filesystem;

// The project that a file belongs to: the nearest folder above it that is a repository, else the
// topmost one that has a CMakeLists.txt; empty: none.
fs::path project_of(const fs::path& file) {
  fs::path topmost;
  std::error_code ignored;
  for (fs::path folder = file.parent_path();; folder = folder.parent_path()) {
    if (fs::exists(folder / ".git", ignored)) return folder;
    if (fs::exists(folder / "CMakeLists.txt", ignored)) topmost = folder;
    if (!folder.has_relative_path()) return topmost;
  }
}

}  // namespace

const std::string& shown_path(const std::string& path) {
  // Never destroyed: files are also written when statics are gone.
  static auto& known = *new std::map<std::string, std::string>;
  const auto [entry, is_new] = known.try_emplace(path, path);
  if (is_new && fs::path(path).is_absolute()) {
    const fs::path project = project_of(path);
    if (!project.empty()) entry->second = fs::path(path).lexically_relative(project).string();
  }
  return entry->second;
}

namespace {

std::map<std::string, std::vector<std::string>>& known_files() {
  static auto& known = *new std::map<std::string, std::vector<std::string>>;
  return known;
}

std::vector<std::string> read_lines(std::istream&& stream) {
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

void give_file(const std::string& path, const std::string& text) {
  known_files()[path] = read_lines(std::istringstream(text));
}

const std::vector<std::string>& lines_of(const std::string& path) {
  const auto [entry, is_new] = known_files().try_emplace(path);
  std::error_code ignored;
  if (is_new && fs::is_regular_file(path, ignored)) entry->second = read_lines(std::ifstream(path));
  return entry->second;
}

namespace {

// In full where it is C++; a frontend's own name, which may hold the types of all arguments, is
// cut.
std::string function_name(const std::string& mangled) {
  return mangled.starts_with("_Z") ? ptx::demangle(mangled) : kernel_name(mangled);
}

SourceLine source_line(const ptx::Program& program, const ptx::Location& place) {
  SourceLine result{.function = function_name(program.name)};
  if (place.line == 0 || place.file >= program.files.size()) return result;
  result.path = program.files[place.file];
  result.file = shown_path(result.path);
  result.line = place.line;
  result.library = ptx::in_library(result.path);
  if (!place.function.empty()) result.function = function_name(place.function);
  return result;
}

}  // namespace

SourceLine source_of(const ptx::Program& program, std::uint32_t location) {
  if (location >= program.locations.size()) return {.function = function_name(program.name)};
  return source_line(program, ptx::users_location(program, location));
}

std::vector<SourceLine> chain_of(const ptx::Program& program, std::uint32_t location) {
  std::vector<SourceLine> chain;
  for (; location < program.locations.size(); location = program.locations[location].parent) {
    SourceLine line = source_line(program, program.locations[location]);
    if (line.line != 0) chain.push_back(std::move(line));
  }
  return chain;
}

std::string describe(const SourceLine& source) {
  if (source.file.empty()) return "kernel " + source.function;
  return source.file + ":" + std::to_string(source.line) + " in " + source.function;
}

std::string text_of_line(const SourceLine& source) {
  const std::vector<std::string>& lines = lines_of(source.path);
  if (source.line == 0 || source.line > lines.size()) return {};
  const std::string& text = lines[source.line - 1];
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

std::string kernel_name(const ptx::Program& program) {
  return kernel_name(program.name);
}

std::string kernel_name(const std::string& mangled) {
  const std::string full = ptx::demangle(mangled);
  const std::size_t end = full.rfind('(');
  std::string name = end == std::string::npos || end == 0 ? full : full.substr(0, end);
  if (name.starts_with("void ")) name.erase(0, 5);
  const std::string anonymous = "(anonymous namespace)::";
  for (std::size_t at; (at = name.find(anonymous)) != std::string::npos;) {
    name.erase(at, anonymous.size());
  }
  if (name.size() > 40) name = name.substr(0, 37) + "...";
  return name;
}

}  // namespace clcsim::report
