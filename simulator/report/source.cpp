#include "report/source.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <vector>

#include "ptx/source.h"

namespace clcsim::report {
namespace {

std::string short_path(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path here = std::filesystem::current_path(failed);
  if (failed) return path;
  const std::string relative = std::filesystem::path(path).lexically_relative(here).string();
  return relative.empty() || relative.starts_with("..") ? path : relative;
}

const std::vector<std::string>& lines_of(const std::string& file) {
  static std::map<std::string, std::vector<std::string>> known;
  const auto [entry, is_new] = known.try_emplace(file);
  std::error_code failed;  // a pipe or a device may never end
  if (is_new && std::filesystem::is_regular_file(file, failed)) {
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) entry->second.push_back(line);
  }
  return entry->second;
}

}  // namespace

SourceLine source_of(const ptx::Program& program, std::uint32_t location) {
  SourceLine result{.function = ptx::demangle(program.name)};
  if (location >= program.locations.size()) return result;
  const ptx::Location& place = ptx::users_location(program, location);
  if (place.line == 0 || place.file >= program.files.size()) return result;
  result.file = short_path(program.files[place.file]);
  result.line = place.line;
  if (!place.function.empty()) result.function = ptx::demangle(place.function);
  return result;
}

std::string text_of_line(const std::string& file, std::uint32_t line) {
  const std::vector<std::string>& lines = lines_of(file);
  if (line == 0 || line > lines.size()) return {};
  const std::string& text = lines[line - 1];
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

}  // namespace clcsim::report
