# Finds MLIR and LLVM 22.1 (Debian's llvm-22 packages) and their test tools.
find_program(GEOC_LLVM_CONFIG llvm-config-22)
if(GEOC_LLVM_CONFIG)
  execute_process(COMMAND ${GEOC_LLVM_CONFIG} --prefix
    OUTPUT_VARIABLE GEOC_LLVM_PREFIX OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
# The package's own dylib switch is not exported; mixing .a and .so registers
# every option twice.
set(MLIR_LINK_MLIR_DYLIB ON)
find_package(MLIR 22.1 CONFIG QUIET HINTS ${GEOC_LLVM_PREFIX}/lib/cmake/mlir)
if(NOT MLIR_FOUND)
  message(FATAL_ERROR
    "Geoc expects MLIR 22.1, but found none. On Debian 12 install it with\n"
    "  apt-get install libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools "
    "clang-22 libomp-22-dev\n"
    "(suite bookworm-security), or pass -DMLIR_DIR=<prefix>/lib/cmake/mlir.")
endif()
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
set(LLVM_RUNTIME_OUTPUT_INTDIR ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
set(LLVM_LIBRARY_OUTPUT_INTDIR ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
set(GEOC_LLVM_BINDIR ${LLVM_TOOLS_BINARY_DIR})
set(GEOC_LLVM_LIBDIR ${LLVM_LIBRARY_DIR})
# TableGen searches the directory property.
include_directories(SYSTEM ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
