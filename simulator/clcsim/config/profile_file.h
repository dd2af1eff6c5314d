// A GPU of the reader's own, described in a file: clcsim --gpu FILE.
//
// Each line has the name of a Profile's member and its value; `like b200` in the first one takes
// all other values from there. `clcsim --show-gpu b200` prints a whole file.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "config/profile.h"

namespace clcsim::config {

/// A line of a file is wrong, or the file can't be read. what() is one sentence.
class ProfileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Whether the value of --gpu means a file: a '/' or a '.' is in it.
bool is_profile_file(std::string_view name);

/// Throws ProfileError. `origin` is what the sentence begins with.
Profile parse_profile(const std::string& text, const std::string& origin);
Profile read_profile_file(const std::string& path);

/// Of a file that exists.
std::string absolute_path(const std::string& path);

/// The same as text.
std::string to_text(const Profile& profile);

}  // namespace clcsim::config
