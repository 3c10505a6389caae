# geoc_lit_suite(DEPENDS tools...)
# The lit suite of this folder: target check-geo-lit, and ctest's test `lit`.
# LLVM's exported default names an llvm-lit that Debian does not package.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(LLVM_EXTERNAL_LIT ${GEOC_LLVM_BINDIR}/lit CACHE FILEPATH "lit" FORCE)
if(NOT EXISTS ${LLVM_EXTERNAL_LIT})
  message(FATAL_ERROR
    "Geoc expects lit at ${LLVM_EXTERNAL_LIT}, but found none: install "
    "llvm-22-tools.")
endif()

function(geoc_lit_suite)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  configure_lit_site_cfg(
    ${CMAKE_CURRENT_SOURCE_DIR}/lit.site.cfg.py.in
    ${CMAKE_CURRENT_BINARY_DIR}/lit.site.cfg.py
    MAIN_CONFIG ${CMAKE_CURRENT_SOURCE_DIR}/lit.cfg.py)
  add_lit_testsuite(check-geo-lit "Running the lit tests of Geoc"
    ${CMAKE_CURRENT_BINARY_DIR} DEPENDS ${ARG_DEPENDS})
  add_test(NAME lit
    COMMAND ${Python3_EXECUTABLE} ${LLVM_EXTERNAL_LIT} -sv --order=lexical
            --xunit-xml-output=${CMAKE_CURRENT_BINARY_DIR}/lit.xml
            ${CMAKE_CURRENT_BINARY_DIR})
  set_tests_properties(lit PROPERTIES LABELS unit)
endfunction()
