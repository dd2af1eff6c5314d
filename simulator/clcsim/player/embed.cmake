# Makes the page a string of the program, with style and script; version and record are put in by page.cpp.
#   cmake -D OUT=page_parts.h -P embed.cmake
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/parts.cmake)
set(page ${CMAKE_CURRENT_LIST_DIR}/page)
clc_player_parts(script style)
clc_coloured(${page}/page.css page_style)
file(READ ${page}/main.js main)
file(READ ${page}/page.html html)
string(REPLACE "<!-- style -->" "${page_style}${style}" html "${html}")
string(REPLACE "<!-- script -->" "${script}${main}" html "${html}")
# A literal of more than 65,535 bytes is not portable: pieces of at most 12,000 are joined by the compiler.
set(pieces "")
string(LENGTH "${html}" left)
set(at 0)
while(at LESS left)
  string(SUBSTRING "${html}" ${at} 12000 piece)
  string(APPEND pieces "R\"page(${piece})page\"\n")
  math(EXPR at "${at} + 12000")
endwhile()
file(WRITE ${OUT}.new "// Made from simulator/clcsim/player/page.\n#pragma once\n\nnamespace clcsim::player {\n
inline constexpr char kPage[] =\n${pieces};\n\n}  // namespace clcsim::player\n")
file(COPY_FILE ${OUT}.new ${OUT} ONLY_IF_DIFFERENT)
file(REMOVE ${OUT}.new)
