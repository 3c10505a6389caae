# geoc_library(NAME sources... LINK targets...)  a static library, no MLIR
# geoc_mlir_library(NAME sources... LINK targets...)  one that uses MLIR
# geoc_mlir_tool(NAME sources... LINK targets...)     an executable in bin/
add_library(geoc_flags INTERFACE)
target_include_directories(geoc_flags INTERFACE
  ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
target_compile_options(geoc_flags INTERFACE
  -Wall -Wextra -Wno-unused-parameter -Werror)
option(GEOC_SANITIZE "Build with address and undefined-behaviour sanitizers" OFF)
if(GEOC_SANITIZE)
  # vptr checks need run-time type information, which LLVM is built without.
  target_compile_options(geoc_flags INTERFACE
    -fsanitize=address,undefined -fno-sanitize=vptr,function
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(geoc_flags INTERFACE
    -fsanitize=address,undefined -fno-sanitize=vptr,function)
endif()

add_library(geoc_mlir_flags INTERFACE)
target_link_libraries(geoc_mlir_flags INTERFACE geoc_flags)
target_include_directories(geoc_mlir_flags SYSTEM INTERFACE
  ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
target_compile_options(geoc_mlir_flags INTERFACE -fno-rtti)
target_compile_definitions(geoc_mlir_flags INTERFACE ${LLVM_DEFINITIONS_LIST})

function(geoc_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC geoc_flags ${ARG_LINK})
endfunction()

function(geoc_mlir_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC geoc_mlir_flags ${ARG_LINK})
  if(TARGET GeoIncGen)
    add_dependencies(${name} GeoIncGen)
  endif()
  if(TARGET GeoPassIncGen)
    add_dependencies(${name} GeoPassIncGen)
  endif()
  if(TARGET geoc_pch)
    target_precompile_headers(${name} REUSE_FROM geoc_pch)
  endif()
endfunction()

function(geoc_mlir_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE geoc_mlir_flags ${ARG_LINK} MLIR LLVM)
  target_link_options(${name} PRIVATE -Wl,-rpath,${GEOC_LLVM_LIBDIR})
  target_link_directories(${name} PRIVATE ${GEOC_LLVM_LIBDIR})
endfunction()
