# Asked when the page is built, since its tools may have come after the course was configured.
foreach(tool emcmake node)
  find_program(${tool} ${tool} NO_CACHE)
  if(NOT ${tool})
    message(FATAL_ERROR "The playground is compiled by Emscripten and put together by Node.js; ${tool} isn't here. "
                        "bash common/setup.sh playground installs both, which takes 1.5 GB on the disk.")
  endif()
endforeach()
