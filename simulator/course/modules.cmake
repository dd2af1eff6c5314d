# Modules of JavaScript become one script, for pages that are opened as files, where a browser loads no modules.
#
#   include(modules.cmake)
#   clc_join_modules(path/main.js script)
#
# Each becomes a function that returns what it exports, after those that it imports. What they import from clcsim/player
# comes from clcPlayer (clc_player_parts), but for element.js, which they need before a player is loaded. The script
# needs a place where `await` may stand.
function(clc_add_module file)
  get_filename_component(name ${file} NAME_WE)
  get_filename_component(folder ${file} DIRECTORY)
  get_property(known GLOBAL PROPERTY clc_modules)
  if(name IN_LIST known)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY clc_modules ${name})
  file(READ ${file} text)
  string(REGEX REPLACE "import {([^}]*)} from '(\\.\\./)+clcsim/player/page/([^e]|e[^l])[^']*';" "const {\\1} = clcPlayer;" text "${text}")
  string(REGEX MATCHALL "from '\\.[^']*\\.m?js'" imports "${text}")
  foreach(import IN LISTS imports)
    string(REGEX REPLACE "from '(.*)'" "\\1" import "${import}")
    clc_add_module(${folder}/${import})
  endforeach()
  string(REGEX MATCHALL "\nexport (async )?(function|class|const|let) [A-Za-z_0-9]+" exports "\n${text}")
  string(REGEX REPLACE "\nexport (async )?(function|class|const|let) " "" exports "${exports}")
  list(JOIN exports ", " exports)
  string(REGEX REPLACE "import {([^}]*)} from '\\.[^']*/([^/']*)\\.m?js';" "const {\\1} = modules['\\2'];" text "${text}")
  string(REGEX REPLACE "(^|\n)export " "\\1" text "${text}")
  set_property(GLOBAL APPEND_STRING PROPERTY clc_script
               "modules['${name}'] = await (async () => {\n${text}\nreturn {${exports}};\n})();\n")
endfunction()

function(clc_join_modules file result)
  set_property(GLOBAL PROPERTY clc_modules "")
  set_property(GLOBAL PROPERTY clc_script "const modules = {};\n")
  clc_add_module(${file})
  get_property(script GLOBAL PROPERTY clc_script)
  set(${result} "${script}" PARENT_SCOPE)
endfunction()
