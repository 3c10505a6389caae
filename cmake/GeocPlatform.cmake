# Geoc's scope is Linux on x86-64; anything else ends in one clear message.
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux" OR
   NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  message(FATAL_ERROR
    "Geoc expects Linux on x86-64, but got ${CMAKE_SYSTEM_NAME} on "
    "${CMAKE_SYSTEM_PROCESSOR}.")
endif()
find_program(GEOC_CCACHE ccache)
if(GEOC_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${GEOC_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${GEOC_CCACHE})
endif()
