// The player's page: one file that needs no other.
#pragma once

#include <string>

namespace clcsim::player {

/// `record`: of record_json().
std::string page_text(const std::string& record);

}  // namespace clcsim::player
