// Text for a terminal.
#pragma once

#include <string>

#include "exercises/list.h"

namespace clcsim::exercises {

/// As wide as the terminal, and 80 columns where there is none.
void print(const std::string& text);

/// Lines that are longer are broken at a space, but for a command; what follows is indented.
std::string folded(const std::string& text, std::size_t width);

/// What the student reads first: the title and the section of the chapter's page of exercises.
std::string task_of(const Exercise& exercise);

}  // namespace clcsim::exercises
