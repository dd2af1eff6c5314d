// What a student reads in the terminal.
#pragma once

#include <string>

#include "exercises/workspace.h"

namespace clcsim::exercises {

/// As wide as the terminal, and 80 columns where there is none. Lines that are longer are broken at
/// a space, but for a command; what follows is indented.
void print(const std::string& text);

/// Compiles and checks the student's file, and prints what came out. True: it passed.
bool check_and_print(const Workspace& workspace, const Exercise& exercise);

}  // namespace clcsim::exercises
