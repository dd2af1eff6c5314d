# cmake -D COURSE=... -D BUILD=... -D CHAPTERS=a,b -D REPOSITORY=URL -D ADDRESS=URL -P book.cmake: BUILD/book, a site of the
# course's pages.
# Tools are looked for when the book is made, since they may have come after the course was configured.
find_program(python python3 NO_CACHE)
set(modules ${BUILD}/setup/book)  # where setup.sh installs them
set(ENV{PYTHONPATH} "${modules}:$ENV{PYTHONPATH}")
execute_process(COMMAND ${python} -c "import furo, myst_parser, shadcn, sphinx" RESULT_VARIABLE lacks OUTPUT_QUIET ERROR_QUIET)
if(lacks)
  message(FATAL_ERROR "The book is made by Python and Sphinx with MyST, Furo and the typefaces. Not all of them are here: "
                      "bash common/setup.sh book installs them.")
endif()

if(NOT REPOSITORY)
  execute_process(COMMAND git -C ${COURSE} remote get-url origin OUTPUT_VARIABLE remote OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_QUIET RESULT_VARIABLE none)
  if(remote MATCHES "github\\.com[:/]([^/]+/[^/]+)$")
    string(REGEX REPLACE "\\.git$" "" name ${CMAKE_MATCH_1})
    set(REPOSITORY https://github.com/${name})
  endif()
endif()

set(folder ${COURSE}/simulator/course/book)
set(staged ${BUILD}/simulator/course/book/staged)
set(book ${BUILD}/book)
set(ENV{BOOK_STAGED} ${staged})
set(ENV{BOOK_ADDRESS} "${ADDRESS}")
if(EXISTS ${BUILD}/playground.html)
  set(ENV{BOOK_PLAYGROUND} yes)
endif()
find_program(node node NO_CACHE)
if(node)
  set(ENV{BOOK_LIVE} yes)
endif()
if(NOT node)  # each page tells its reader (conf.py)
  set(ENV{BOOK_LACKS} "Node.js")
elseif(NOT EXISTS ${BUILD}/simulator/course/playground/wasm/engine.wasm)
  set(ENV{BOOK_LACKS} "Emscripten")
endif()

string(REPLACE "," ";" chapters "${CHAPTERS}")
file(REMOVE_RECURSE ${book})
execute_process(COMMAND ${python} ${folder}/stage.py ${staged} ${chapters} --repository "${REPOSITORY}" COMMAND_ERROR_IS_FATAL ANY)
find_program(chromium NAMES chromium google-chrome NO_CACHE)
if(ADDRESS AND chromium)  # what a link to the book shows (conf.py)
  execute_process(COMMAND ${chromium} --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1200,630
    --screenshot=${staged}/extra/preview.png file://${folder}/race/preview.html COMMAND_ERROR_IS_FATAL ANY ERROR_QUIET)
endif()
execute_process(COMMAND ${python} -m sphinx -q -W --keep-going -j auto -c ${folder} -d ${staged}/doctrees ${staged}/pages ${book}
  COMMAND_ERROR_IS_FATAL ANY)
file(READ ${folder}/templates/header.html header)
string(REPLACE "ROOT/" "" header "${header}")
if(DEFINED ENV{BOOK_PLAYGROUND})  # a room of the book, with its header
  string(REPLACE "data-door=\"playground\"" "aria-current=\"true\"" header "${header}")
  file(READ ${BUILD}/playground.html page)
  string(REPLACE "<!-- header -->" "${header}" page "${page}")
  file(WRITE ${book}/playground.html "${page}")
endif()
if(node)
  execute_process(COMMAND ${node} ${folder}/live/make.mjs ${book} ${BUILD} COMMAND_ERROR_IS_FATAL ANY)
endif()
message(STATUS "${book}/index.html: open it in a browser; it needs no server")
