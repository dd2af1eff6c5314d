// Whole files, as text.
#pragma once

#include <string>
#include <vector>

namespace clcsim::measure {

/// All of them throw std::runtime_error with a sentence that names the file.
std::string read_file(const std::string& path);
/// Those that are neither empty nor a comment that begins with '#'.
std::vector<std::string> lines_of(const std::string& path);
/// The text before the next " | " of a table's line, without the spaces around it; it is taken away
/// with the bar.
std::string take_cell(std::string& line);
void write_file(const std::string& path, const std::string& text);

}  // namespace clcsim::measure
