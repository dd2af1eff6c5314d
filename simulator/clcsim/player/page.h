// The player's page: one file that needs no other.
#pragma once

#include <string>

namespace clcsim::player {

/// `record`: of record_json().
std::string page_text(const std::string& record);

/// What another page needs to hold players: see parts.cmake.
std::string player_script();
std::string player_style();

/// The record inside a page that page_text() has made; empty: it is no such page.
std::string record_of_page(const std::string& page);

}  // namespace clcsim::player
