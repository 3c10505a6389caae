# geoc_builtin_pages(OUTPUT FILES...)
# Embeds pages of formulas: one {"name", R"(text)"} per file, whose name is the
# file's in lower case. OUTPUT is written at configure time, and again when a
# page changes.
function(geoc_builtin_pages output)
  set(text "")
  foreach(file ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    get_filename_component(name ${file} NAME_WE)
    string(TOLOWER ${name} name)
    file(READ ${CMAKE_CURRENT_SOURCE_DIR}/${file} page)
    string(APPEND text "{\"${name}\", R\"geo(${page})geo\"},\n")
  endforeach()
  file(WRITE ${output}.new "${text}")
  configure_file(${output}.new ${output} COPYONLY) # only if it differs
endfunction()
