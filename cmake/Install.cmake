# `cmake --install`: programs, libraries, headers and TableGen files, and the
# package by which another project finds them: find_package(TensorCast).

include(CMakePackageConfigHelpers)

set(PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/TensorCast)
set(TOOLS_DIR ${CMAKE_INSTALL_BINDIR})
set(TABLEGEN_DIR ${CMAKE_INSTALL_INCLUDEDIR}/tensorcast/dialects)

tensorcast_targets(libraries ${PROJECT_SOURCE_DIR}/lib STATIC_LIBRARY)
tensorcast_targets(programs ${PROJECT_SOURCE_DIR}/tools EXECUTABLE)
list(REMOVE_ITEM programs tc-tblgen)
# TensorCastReport becomes TensorCast::Report outside.
foreach(library IN LISTS libraries)
  string(REGEX REPLACE "^TensorCast" "" name ${library})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${name})
endforeach()

install(TARGETS ${libraries} EXPORT TensorCastTargets)
install(TARGETS ${programs})
install(EXPORT TensorCastTargets NAMESPACE TensorCast::
  DESTINATION ${PACKAGE_DIR})

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/
                  ${PROJECT_BINARY_DIR}/include/
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.h.inc"
  PATTERN "Data" EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/dialects/ DESTINATION ${TABLEGEN_DIR}
  FILES_MATCHING PATTERN "*.td" PATTERN "*.pdll")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

configure_package_config_file(cmake/TensorCastConfig.cmake.in
  ${PROJECT_BINARY_DIR}/TensorCastConfig.cmake
  INSTALL_DESTINATION ${PACKAGE_DIR} PATH_VARS TABLEGEN_DIR TOOLS_DIR)
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/TensorCastConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/TensorCastConfig.cmake
              ${PROJECT_BINARY_DIR}/TensorCastConfigVersion.cmake
              cmake/StaticMLIR.cmake
  DESTINATION ${PACKAGE_DIR})
