# geoc_gtest(NAME sources... LABEL unit|data LINK targets...)
# A GoogleTest program; a test that skips itself shows as skipped in ctest.
find_package(GTest REQUIRED)
function(geoc_gtest name)
  cmake_parse_arguments(ARG "" "LABEL" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE geoc_flags ${ARG_LINK} GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABEL}"
    SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
endfunction()

# geoc_mlir_gtest(NAME sources... LABEL unit|data LINK targets...)
# The same with MLIR.
function(geoc_mlir_gtest name)
  geoc_gtest(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE geoc_mlir_flags MLIR LLVM)
  target_link_options(${name} PRIVATE -Wl,-rpath,${GEOC_LLVM_LIBDIR})
  target_link_directories(${name} PRIVATE ${GEOC_LLVM_LIBDIR})
endfunction()
