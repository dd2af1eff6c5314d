// Whole files, as text.
#pragma once

#include <string>

namespace clcsim::measure {

/// Both throw std::runtime_error with a sentence that names the file.
std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& text);

}  // namespace clcsim::measure
