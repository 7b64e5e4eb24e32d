# Chooses the compiler before `project()` looks for one: clang of the same
# release as MLIR, unless the user names another.

find_program(TENSORCAST_CLANG NAMES clang-22 DOC "C compiler of LLVM 22")
find_program(TENSORCAST_CLANGXX NAMES clang++-22 DOC "C++ compiler of LLVM 22")
mark_as_advanced(TENSORCAST_CLANG TENSORCAST_CLANGXX)

if("${CMAKE_CXX_COMPILER}" STREQUAL "clang++-22" OR
   (NOT DEFINED CMAKE_CXX_COMPILER AND NOT DEFINED ENV{CXX}))
  if(NOT TENSORCAST_CLANG OR NOT TENSORCAST_CLANGXX)
    message(FATAL_ERROR "No clang++-22 found.\n"
      "Run scripts/setup.sh, or: apt-get install clang-22\n"
      "Another compiler may be named with -DCMAKE_CXX_COMPILER=...")
  endif()
  set(CMAKE_C_COMPILER "${TENSORCAST_CLANG}" CACHE FILEPATH
    "C compiler" FORCE)
  set(CMAKE_CXX_COMPILER "${TENSORCAST_CLANGXX}" CACHE FILEPATH
    "C++ compiler" FORCE)
endif()

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Kind of build")
endif()
