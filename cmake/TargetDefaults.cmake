# What every library, tool and test of the project has in common, applied once
# all of them are known, so that their CMakeLists.txt list sources and libraries
# and nothing else.

# tensorcast_targets(OUT DIRECTORY TYPES...) sets OUT to the targets of these
# types under DIRECTORY.
function(tensorcast_targets out directory)
  set(found "")
  get_property(targets DIRECTORY ${directory} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(type IN_LIST ARGN)
      list(APPEND found ${target})
    endif()
  endforeach()
  get_property(children DIRECTORY ${directory} PROPERTY SUBDIRECTORIES)
  foreach(child IN LISTS children)
    tensorcast_targets(inner ${child} ${ARGN})
    list(APPEND found ${inner})
  endforeach()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# Defines TensorCastPrecompiled, which compiles cmake/Precompiled.h once for all.
function(tensorcast_add_precompiled_header)
  set(source ${PROJECT_BINARY_DIR}/Precompiled.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "// Carries the precompiled header.\n")
  add_library(TensorCastPrecompiled OBJECT ${source})
  target_precompile_headers(TensorCastPrecompiled PRIVATE
    ${PROJECT_SOURCE_DIR}/cmake/Precompiled.h)
endfunction()

function(tensorcast_apply_target_defaults)
  tensorcast_targets(generated ${PROJECT_SOURCE_DIR}/dialects UTILITY)
  list(FILTER generated INCLUDE REGEX "IncGen$")
  tensorcast_targets(libraries ${PROJECT_SOURCE_DIR}/lib STATIC_LIBRARY)
  tensorcast_targets(programs ${PROJECT_SOURCE_DIR} EXECUTABLE)
  if(TENSORCAST_PRECOMPILED_HEADERS)
    tensorcast_add_precompiled_header()
  endif()

  foreach(target IN LISTS libraries programs)
    # Headers of one dialect reach everywhere; generating all of them first
    # takes a second and cannot be forgotten.
    if(generated)
      add_dependencies(${target} ${generated})
    endif()
    if(TENSORCAST_PRECOMPILED_HEADERS)
      target_precompile_headers(${target} REUSE_FROM TensorCastPrecompiled)
    endif()
  endforeach()
  foreach(target IN LISTS libraries)
    target_include_directories(${target} INTERFACE
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  endforeach()
endfunction()
