# tensorcast_option_table(TOOL) generates Options.inc from Options.td and puts it
# on TOOL's include path.

find_program(LLVM_TABLEGEN_EXE llvm-tblgen HINTS ${LLVM_TOOLS_BINARY_DIR}
             REQUIRED)

function(tensorcast_option_table tool)
  set(LLVM_TARGET_DEFINITIONS Options.td)
  tablegen(LLVM Options.inc -gen-opt-parser-defs)
  add_public_tablegen_target(${tool}-options)
  add_dependencies(${tool} ${tool}-options)
  target_include_directories(${tool} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
  target_compile_definitions(${tool} PRIVATE
    TENSORCAST_VERSION="${PROJECT_VERSION}")
endfunction()
