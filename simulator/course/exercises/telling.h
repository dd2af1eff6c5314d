// What follows a verdict: which hint's turn it is, and the page of the run that failed.
#pragma once

#include <filesystem>
#include <string>

#include "exercises/verdict.h"

namespace clcsim::exercises {

/// How often it has failed for this reason, this time included. The file remembers it.
int step_of(const std::string& reason, const std::filesystem::path& memory);

/// The mark of a file that has passed as it is, by its text. No text: of none.
void keep_mark(const std::filesystem::path& mark, const std::string& text);
bool has_mark(const std::filesystem::path& mark, const std::string& text);

/// Draws the run of `verdict` again, by the program beside the page. False: there is no page. A
/// prediction's would hold the answer.
bool draw_player(const Verdict& verdict, const Exercise& exercise,
                 const std::filesystem::path& build, const std::filesystem::path& page);

/// What the student has set for own runs says nothing in a check.
void forget_own_settings();

}  // namespace clcsim::exercises
