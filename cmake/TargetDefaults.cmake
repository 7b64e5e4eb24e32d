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

# Libraries that know no dialect, so that a change to one does not rebuild them.
set(TENSORCAST_LIBRARIES_WITHOUT_DIALECTS
  TensorCastCommandLine TensorCastDevice TensorCastSupport)

# Defines TARGET, which compiles cmake/HEADER once for all that reuse it.
function(tensorcast_add_precompiled_header target header)
  set(source ${PROJECT_BINARY_DIR}/${target}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "// Carries ${header}.\n")
  add_library(${target} OBJECT ${source})
  target_precompile_headers(${target} PRIVATE
    ${PROJECT_SOURCE_DIR}/cmake/${header})
endfunction()

function(tensorcast_apply_target_defaults)
  tensorcast_targets(generated ${PROJECT_SOURCE_DIR}/dialects UTILITY)
  list(FILTER generated INCLUDE REGEX "IncGen$")
  tensorcast_targets(libraries ${PROJECT_SOURCE_DIR}/lib STATIC_LIBRARY)
  tensorcast_targets(programs ${PROJECT_SOURCE_DIR} EXECUTABLE)
  if(TENSORCAST_PRECOMPILED_HEADERS)
    tensorcast_add_precompiled_header(TensorCastPrecompiled Precompiled.h)
    tensorcast_add_precompiled_header(TensorCastPrecompiledDialects
      PrecompiledDialects.h)
    if(generated)
      add_dependencies(TensorCastPrecompiledDialects ${generated})
    endif()
  endif()

  foreach(target IN LISTS libraries programs)
    # Headers of one dialect reach everywhere; generating all of them first
    # takes a second and cannot be forgotten.
    if(generated)
      add_dependencies(${target} ${generated})
    endif()
    if(TENSORCAST_PRECOMPILED_HEADERS)
      set(header TensorCastPrecompiledDialects)
      if(target IN_LIST TENSORCAST_LIBRARIES_WITHOUT_DIALECTS)
        set(header TensorCastPrecompiled)
      endif()
      target_precompile_headers(${target} REUSE_FROM ${header})
    endif()
  endforeach()
  foreach(target IN LISTS libraries)
    target_include_directories(${target} INTERFACE
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  endforeach()
endfunction()
