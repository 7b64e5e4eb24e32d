# tensorcast_embed(NAME FILES...) compiles data files into a library.
#
# The tools carry their device profiles, kernel sets and model presets with
# them, so that a moved or installed program needs no search path. For NAME the
# build makes `NAME.inc`, an initializer list of `{"stem", R"(...)"}`, sorted as
# given, in the build tree's include/tensorcast/Data.

function(tensorcast_embed name)
  set(output ${PROJECT_BINARY_DIR}/include/tensorcast/Data/${name}.inc)
  set(content "")
  foreach(file IN LISTS ARGN)
    get_filename_component(stem ${file} NAME)
    string(REGEX REPLACE "\\.json$" "" stem "${stem}")
    file(READ ${file} text)
    string(APPEND content "{\"${stem}\", R\"TENSORCAST(${text})TENSORCAST\"},\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endforeach()
  # Not file(CONFIGURE), which would read @...@ in the data as a variable.
  file(WRITE ${output}.new "${content}")
  file(COPY_FILE ${output}.new ${output} ONLY_IF_DIFFERENT)
endfunction()
