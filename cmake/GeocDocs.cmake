# Target geo-docs: the op, attribute and pass reference, from the descriptions in
# dialect/*.td and passes/*.td, into docs/reference/ of the build folder. Part of
# `all`, so that a build fails if it cannot be generated; a test compares it with
# the committed docs/reference/.
set(GEOC_DOCS_DIR ${PROJECT_BINARY_DIR}/docs/reference)
function(geoc_generated_doc name td)
  file(GLOB inputs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/dialect/*.td
    ${PROJECT_SOURCE_DIR}/passes/*.td ${PROJECT_SOURCE_DIR}/lowering/*.td)
  add_custom_command(OUTPUT ${GEOC_DOCS_DIR}/${name}.md
    COMMAND ${CMAKE_COMMAND} -E make_directory ${GEOC_DOCS_DIR}
    COMMAND ${GEOC_LLVM_BINDIR}/mlir-tblgen ${ARGN} ${td}
            -I ${MLIR_INCLUDE_DIRS} -I ${PROJECT_SOURCE_DIR}/dialect
            -o ${GEOC_DOCS_DIR}/${name}.md
    DEPENDS ${inputs} VERBATIM)
  set_property(GLOBAL APPEND PROPERTY GEOC_DOCS ${GEOC_DOCS_DIR}/${name}.md)
endfunction()

geoc_generated_doc(ops ${PROJECT_SOURCE_DIR}/dialect/GeoOps.td
  -gen-dialect-doc -dialect=geo)
geoc_generated_doc(passes ${PROJECT_SOURCE_DIR}/passes/Passes.td -gen-pass-doc)
if(EXISTS ${PROJECT_SOURCE_DIR}/lowering/Passes.td)
  geoc_generated_doc(lowering ${PROJECT_SOURCE_DIR}/lowering/Passes.td
    -gen-pass-doc)
endif()
get_property(docs GLOBAL PROPERTY GEOC_DOCS)
add_custom_target(geo-docs ALL DEPENDS ${docs})
