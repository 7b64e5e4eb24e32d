// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt %s --emit-bytecode | tc-opt | FileCheck %s

// The encoding says what each `?` is; those that say the same are one.

// CHECK-DAG: #[[ROWS:dims[0-9]*]] = #transformer.dims<ceildiv(tokens, 4)>
// CHECK-DAG: #[[BOTH:dims[0-9]*]] = #transformer.dims<tokens, sequences>
// CHECK-DAG: #[[TOKENS:tokens]] = #transformer.dims<tokens>

// The alias of the most frequent encoding says what it is.
// CHECK-LABEL: func private @tokens(
// CHECK-SAME:    tensor<?x8xf16, #[[TOKENS]]>
func.func private @tokens(tensor<?x8xf16, #transformer.dims<tokens>>)

// CHECK-LABEL: func private @two_dynamic_dimensions(
// CHECK-SAME:    tensor<?x8x?xf16, #[[BOTH]]>
func.func private @two_dynamic_dimensions(tensor<?x8x?xf16, #transformer.dims<tokens, sequences>>)

// CHECK-LABEL: func private @expression(
// CHECK-SAME:    tensor<?xf16, #[[ROWS]]>
func.func private @expression(tensor<?xf16, #transformer.dims<ceildiv(tokens, 4)>>)

// CHECK-LABEL: func private @equal_in_normal_form(
// CHECK-SAME:    tensor<?xf16, #[[TOKENS]]>, tensor<?xf16, #[[TOKENS]]>
func.func private @equal_in_normal_form(
    tensor<?xf16, #transformer.dims<tokens>>,
    tensor<?xf16, #transformer.dims<sum(2 * q) - tokens>>)

// CHECK-LABEL: func private @unknown_size(
// CHECK-SAME:    tensor<?x8xf16>
func.func private @unknown_size(tensor<?x8xf16>)
