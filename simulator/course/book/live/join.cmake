# The scripts and the style that pages of the book load, but for what the build knows of the pages.
#   cmake -D OUT=site/live -P join.cmake
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/../../../clcsim/player/parts.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/../../modules.cmake)
clc_player_parts(player player_style)
clc_join_modules(${CMAKE_CURRENT_LIST_DIR}/main.js live)
clc_join_modules(${CMAKE_CURRENT_LIST_DIR}/engine.js engine)
file(READ ${CMAKE_CURRENT_LIST_DIR}/live.css style)
file(READ ${CMAKE_CURRENT_LIST_DIR}/hand.css hand)
file(WRITE ${OUT}/player.js "${player}")
file(WRITE ${OUT}/live.css "${player_style}${style}${hand}")
file(WRITE ${OUT}/live.js "(async () => {\n${live}})();\n")
file(WRITE ${OUT}/engine.js "clcBook.engine.ready = (async () => {\n${engine}return modules['engine'];\n})();\n")
