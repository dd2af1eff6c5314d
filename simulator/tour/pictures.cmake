# The timelines that the READMEs show are those of the programs:
#   cmake -D BIN=build/bin -D SOURCE=repository -D OUT=folder [-D UPDATE=1] -P pictures.cmake
# UPDATE=1 writes them instead: that is the target `pictures`.
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/pictures.sh ${BIN} ${OUT}
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/strategies.sh OUTPUT_VARIABLE strategies
  COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" strategies "${strategies}")
set(compared 0)
foreach(line IN LISTS strategies)
  string(REPLACE " " ";" words "${line}")
  list(GET words 0 strategy)
  list(GET words 1 chapter)
  if(NOT EXISTS ${OUT}/${strategy}.svg)
    continue()  # the toolkit or the target can't hold this chapter
  endif()
  set(shown ${SOURCE}/${chapter}/${strategy}.svg)
  if(UPDATE)
    file(COPY_FILE ${OUT}/${strategy}.svg ${shown})
  endif()
  file(READ ${OUT}/${strategy}.svg now)
  file(READ ${shown} then)
  if(NOT now STREQUAL then)
    message(SEND_ERROR "${shown} is not what the program does now. If that is right:\n"
                       "  cmake --build build --target pictures")
  endif()
  file(READ ${SOURCE}/${chapter}/README.md readme)
  if(NOT readme MATCHES "\\(${strategy}\\.svg\\)")
    message(SEND_ERROR "${chapter}/README.md doesn't show ${strategy}.svg")
  endif()
  math(EXPR compared "${compared} + 1")
endforeach()
if(compared LESS 3)
  message(FATAL_ERROR "only ${compared} pictures were compared")
endif()
message("${compared} pictures are as shown")
