// The timelines of all strategies on one problem, at one scale, and the tables of the course's
// first page, which measures the same problem and two more.
#pragma once

#include <string>

namespace clcsim::tour {

/// Draws fixed.svg, fixed.html (the player), stride.svg, ... into a folder, with the programs of
/// the folder `bin`. Throws std::runtime_error if a program fails.
void draw_pictures(const std::string& bin, const std::string& folder);

/// Whether the chapters show the pictures of the folder; it says which don't. With `update` the
/// pictures are written first.
bool pictures_are_shown(const std::string& folder, bool update);

/// Of the pictures' problem prologues and times; without `pictures` the times of two problems with
/// a cheap prologue, on which CLC loses.
std::string first_page_table(const std::string& bin, bool pictures);

}  // namespace clcsim::tour
