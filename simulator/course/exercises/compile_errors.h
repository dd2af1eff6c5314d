// What a compiler has said about a student's file, in a student's words.
#pragma once

#include <filesystem>
#include <string>

namespace clcsim::exercises {

/// Of a file that the student knows as `shown`: the line that comes first, a sentence about it, and
/// below them what the compiler has printed. Or why it can't be compiled at all, and what to do: it
/// isn't there, or is no text.
std::string explain_compiler(const std::filesystem::path& file, const std::string& shown,
                             const std::string& printed);

}  // namespace clcsim::exercises
