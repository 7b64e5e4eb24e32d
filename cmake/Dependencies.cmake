# Finds what the project builds on. Everything that is missing is reported at
# once, by the name of its Debian package.

set(MISSING_PACKAGES "")

# tensorcast_need(PACKAGE FOUND) notes PACKAGE as missing unless FOUND is true.
macro(tensorcast_need package)
  if(NOT (${ARGN}))
    list(APPEND MISSING_PACKAGES ${package})
  endif()
endmacro()

# Debian installs each LLVM release under a prefix of its own, which CMake does
# not search.
set(LLVM_HINTS /usr/lib/llvm-22)

find_package(LLVM 22.1 QUIET CONFIG HINTS ${LLVM_HINTS})
tensorcast_need(llvm-22-dev LLVM_FOUND)
find_package(MLIR 22.1 QUIET CONFIG HINTS ${LLVM_HINTS})
tensorcast_need(libmlir-22-dev MLIR_FOUND)

find_program(MLIR_TBLGEN_PROGRAM mlir-tblgen
  HINTS ${LLVM_TOOLS_BINARY_DIR} ${LLVM_HINTS}/bin NO_DEFAULT_PATH)
tensorcast_need(mlir-22-tools MLIR_TBLGEN_PROGRAM)
find_program(LLD_PROGRAM ld.lld
  HINTS ${LLVM_TOOLS_BINARY_DIR} ${LLVM_HINTS}/bin NO_DEFAULT_PATH)
tensorcast_need(lld-22 LLD_PROGRAM)

# LLVM's archives use both.
find_path(ZLIB_HEADER zlib.h)
tensorcast_need(zlib1g-dev ZLIB_HEADER)
find_path(ZSTD_HEADER zstd.h)
tensorcast_need(libzstd-dev ZSTD_HEADER)

find_package(nlohmann_json 3.11 QUIET CONFIG)
tensorcast_need(nlohmann-json3-dev nlohmann_json_FOUND)

find_path(CSV_HEADER csv.h)
# The archive: a shared library would have to be loaded by every program.
find_library(CSV_LIBRARY NAMES libcsv.a csv)
tensorcast_need(libcsv-dev CSV_HEADER AND CSV_LIBRARY)

if(TENSORCAST_BUILD_TESTS)
  find_program(LIT_PROGRAM NAMES lit lit-22 llvm-lit
    HINTS ${LLVM_TOOLS_BINARY_DIR} ${LLVM_HINTS}/bin)
  find_program(FILECHECK_PROGRAM FileCheck
    HINTS ${LLVM_TOOLS_BINARY_DIR} ${LLVM_HINTS}/bin NO_DEFAULT_PATH)
  tensorcast_need(llvm-22-tools LIT_PROGRAM AND FILECHECK_PROGRAM)
  find_package(GTest QUIET)
  tensorcast_need(libgtest-dev GTest_FOUND)
  find_package(Python3 3.9 QUIET COMPONENTS Interpreter)
  tensorcast_need(python3 Python3_FOUND)
endif()

if(TENSORCAST_SANITIZERS OR TENSORCAST_COVERAGE)
  file(GLOB runtimes ${LLVM_LIBRARY_DIR}/clang/*/lib/*/libclang_rt.profile*.a)
  tensorcast_need(libclang-rt-22-dev runtimes)
endif()

if(MISSING_PACKAGES)
  list(JOIN MISSING_PACKAGES " " packages)
  message(FATAL_ERROR "Missing Debian packages: ${packages}\n"
    "Run scripts/setup.sh, or: "
    "apt-get install --no-install-recommends ${packages}")
endif()

# Optional: repeated builds in new directories take seconds.
find_program(CCACHE_PROGRAM ccache)
