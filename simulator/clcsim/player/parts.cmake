# What a page needs to hold players: a script and a style. For cmake -P, and for any page's own build.
#
#   include(parts.cmake)
#   clc_player_parts(script style)
#
# `script` is plain JavaScript, which defines one name: clcPlayer, an object with mount() of page/player.js and what
# reads a record. It may stand in a <script> of a page, with or without type="module". `style` holds under the
# class clc-player alone. clc_player_sources is a list of the files that these are made of.
set(clc_player_page ${CMAKE_CURRENT_LIST_DIR}/page)
set(clc_player_palette ${CMAKE_CURRENT_LIST_DIR}/../report/palette.h)
file(STRINGS ${clc_player_page}/modules.txt clc_player_modules)  # each after those that it imports
list(JOIN clc_player_modules " " clc_player_modules)
separate_arguments(clc_player_modules)
list(TRANSFORM clc_player_modules PREPEND ${clc_player_page}/ OUTPUT_VARIABLE clc_player_sources)
list(APPEND clc_player_sources ${CMAKE_CURRENT_LIST_FILE} ${clc_player_page}/modules.txt ${clc_player_page}/player.css
     ${clc_player_palette})

# In a style, "/* light */" and "/* dark */" become the colours of report/palette.h, each as --NAME: #RRGGBB.
function(clc_coloured file result)
  file(READ ${file} style)
  file(READ ${clc_player_palette} palette)
  set(colour "\"([a-z0-9-]+)\", \"(#[0-9a-f]+)\", \"(#[0-9a-f]+)\"")
  string(REGEX MATCHALL "${colour}" entries "${palette}")
  set(light "")
  set(dark "")
  foreach(entry IN LISTS entries)
    string(REGEX MATCH "${colour}" matched "${entry}")
    string(APPEND light "--${CMAKE_MATCH_1}: ${CMAKE_MATCH_2}; ")
    string(APPEND dark "--${CMAKE_MATCH_1}: ${CMAKE_MATCH_3}; ")
  endforeach()
  string(REPLACE "/* light */" "${light}" style "${style}")
  string(REPLACE "/* dark */" "${dark}" style "${style}")
  set(${result} "${style}" PARENT_SCOPE)
endfunction()

# Modules become parts of one function: imports and exports are left out.
function(clc_player_parts script_result style_result)
  set(script "const clcPlayer = (() => {\n")
  foreach(name IN LISTS clc_player_modules)
    file(READ ${clc_player_page}/${name} module)
    string(REGEX REPLACE "import {[^}]*} from '[^']*';\n" "" module "${module}")
    string(REGEX REPLACE "(^|\n)export " "\\1" module "${module}")
    # A page is read by browsers: without indentation and lines that are comments it is a tenth smaller.
    string(REGEX REPLACE "(^|\n)( *//[^\n]*\n)+" "\\1" module "${module}")
    string(REGEX REPLACE "\n +" "\n" module "${module}")
    string(APPEND script "${module}\n")
  endforeach()
  string(APPEND script "return {mount, readRecord, openPanel, waitsOf, meetingsOf, grouped, count, sentence, types, requestLanded, workerOf, blockOf, warpsOf, lineOf, coloured, formsOf, sourceRow, scrollToRow};\n})();\n")
  set(${script_result} "${script}" PARENT_SCOPE)
  clc_coloured(${clc_player_page}/player.css style)
  set(${style_result} "${style}" PARENT_SCOPE)
endfunction()
