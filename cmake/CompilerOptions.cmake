# Flags of the project's own code; LLVM's HandleLLVMOptions adds the warnings
# that LLVM itself is built with.

set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(LLVM_ENABLE_WERROR ${TENSORCAST_WERROR})

# Debian's libMLIR is built with NDEBUG; a build without it disagrees with the
# library about the layout of passes.
add_compile_definitions(NDEBUG)

# The tools keep only the sections in use (StaticMLIR.cmake).
add_compile_options(-ffunction-sections -fdata-sections)

if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # Without it each build of a precompiled header differs, and ccache never
  # finds what was compiled with it.
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
endif()

if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # ccache refuses precompiled headers unless told that their macros and
  # __DATE__ do not matter.
  set(launcher env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

if(TENSORCAST_SANITIZERS)
  # MLIR's archives are not instrumented and have no type data for vptr checks.
  set(sanitize -fsanitize=${TENSORCAST_SANITIZERS} -fno-sanitize=vptr)
  add_compile_options(${sanitize} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer -g1)
  add_link_options(${sanitize})
endif()

if(TENSORCAST_COVERAGE)
  add_compile_options(-fprofile-instr-generate -fcoverage-mapping)
  add_link_options(-fprofile-instr-generate)
endif()
