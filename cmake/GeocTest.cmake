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
