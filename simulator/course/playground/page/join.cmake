# The page's modules behind the player as one script, and the styles of both: OUT.js and OUT.css.
#   cmake -D OUT=folder/page -P join.cmake
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/../../../clcsim/player/parts.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/../../modules.cmake)
clc_join_modules(${CMAKE_CURRENT_LIST_DIR}/main.js script)
clc_player_parts(player player_style)
clc_coloured(${CMAKE_CURRENT_LIST_DIR}/page.css style)
file(WRITE ${OUT}.js "${player}${script}")
file(WRITE ${OUT}.css "${style}${player_style}")
