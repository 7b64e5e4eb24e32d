// An error about the module shows the line that it is about, not the module.

// RUN: not tc-opt %s 2>&1 | FileCheck %s --implicit-check-not="current operation"
// RUN: not tensorcast report %s 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not="current operation"

// CHECK: [[#@LINE+1]]:1: error: 'builtin.module' op unknown attribute 'ascend.foo'
module attributes {ascend.foo = 1} {
}
