// The timelines of all strategies on one problem, at one scale, and a table of two problems on
// which CLC loses.
#pragma once

#include <string>

namespace clcsim::tour {

/// Draws fixed.svg, fixed.html (the player), stride.svg, ... into a folder, with the programs of
/// the folder `bin`. Throws std::runtime_error if a program fails.
void draw_pictures(const std::string& bin, const std::string& folder);

/// Whether the chapters show the pictures of the folder; it says which don't. With `update` the
/// pictures are written first.
bool pictures_are_shown(const std::string& folder, bool update);

/// The times of two problems with a cheap prologue, in Markdown.
std::string cheap_table(const std::string& bin);

}  // namespace clcsim::tour
