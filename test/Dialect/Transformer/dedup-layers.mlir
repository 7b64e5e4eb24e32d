// RUN: tc-opt %s --split-input-file --transformer-dedup-layers | FileCheck %s
// RUN: tc-opt %s --split-input-file --transformer-dedup-layers --transformer-dedup-layers | FileCheck %s
// RUN: tc-opt %s --split-input-file --transformer-dedup-layers \
// RUN:   --mlir-print-local-scope --mlir-print-debuginfo | FileCheck %s --check-prefix=LOC
// RUN: tc-opt %s --split-input-file --transformer-dedup-layers --verify-diagnostics \
// RUN:   --remarks-filter=dedup --remark-policy=all

// The first function of a group stays; order and names of the calls do, too.
// CHECK-LABEL: module @equal_layers
// CHECK:         func private @layer_0
// CHECK-NOT:     func private
// CHECK:         func @main(%[[X:.*]]: tensor<2x8xf16>)
// CHECK:           %[[A:.*]] = transformer.layer @layer_0(%[[X]]) name("model.layers.0")
// CHECK:           %[[B:.*]] = transformer.layer @layer_0(%[[A]]) name("model.layers.1")
// CHECK:           transformer.layer @layer_0(%[[B]]) name("model.layers.2")
module @equal_layers {
  // expected-remark @below {{"3 equal layers in one function"}}
  func.func private @layer_0(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
    %w = transformer.weight "norm.weight" : tensor<8xf16>
    %0 = transformer.rms_norm %x, %w eps(1.0e-6) : tensor<2x8xf16>, tensor<8xf16>
    return %0 : tensor<2x8xf16>
  }
  func.func private @layer_1(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
    %w = transformer.weight "norm.weight" : tensor<8xf16>
    %0 = transformer.rms_norm %x, %w eps(1.0e-6) : tensor<2x8xf16>, tensor<8xf16>
    return %0 : tensor<2x8xf16>
  }
  func.func private @layer_2(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
    %w = transformer.weight "norm.weight" : tensor<8xf16>
    %0 = transformer.rms_norm %x, %w eps(1.0e-6) : tensor<2x8xf16>, tensor<8xf16>
    return %0 : tensor<2x8xf16>
  }
  func.func @main(%x: tensor<2x8xf16>) {
    %0 = transformer.layer @layer_0(%x) name("model.layers.0") : (tensor<2x8xf16>) -> tensor<2x8xf16>
    %1 = transformer.layer @layer_1(%0) name("model.layers.1") : (tensor<2x8xf16>) -> tensor<2x8xf16>
    %2 = transformer.layer @layer_2(%1) name("model.layers.2") : (tensor<2x8xf16>) -> tensor<2x8xf16>
    return
  }
}

// -----

// CHECK-LABEL: module @another_eps
// CHECK:         func private @layer_0
// CHECK:         func private @layer_1
// CHECK-NOT:     func private
// CHECK:         transformer.layer @layer_0(%{{.*}}) name("model.layers.0")
// CHECK:         transformer.layer @layer_1(%{{.*}}) name("model.layers.1")
// CHECK:         transformer.layer @layer_0(%{{.*}}) name("model.layers.2")
module @another_eps {
  // expected-remark @below {{"2 equal layers in one function"}}
  func.func private @layer_0(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
    %w = transformer.weight "norm.weight" : tensor<8xf16>
    %0 = transformer.rms_norm %x, %w eps(1.0e-6) : tensor<2x8xf16>, tensor<8xf16>
    return %0 : tensor<2x8xf16>
  }
  // expected-remark @below {{"a layer of its own"}}
  // expected-remark @below {{[Missed] layers | Category:dedup | Function=layer_1 | Reason="the attribute 'eps' at transformer.rms_norm: `%0 = transformer.rms_norm %arg0, %norm.weight eps(1.0e-05) : tensor<2x8xf16>, tensor<8xf16>` instead of `%0 = transformer.rms_norm %arg0, %norm.weight eps(1.0e-06) : tensor<2x8xf16>, tensor<8xf16>`", Remark="kept apart from @layer_0"}}
  func.func private @layer_1(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
    %w = transformer.weight "norm.weight" : tensor<8xf16>
    %0 = transformer.rms_norm %x, %w eps(1.0e-5) : tensor<2x8xf16>, tensor<8xf16>
    return %0 : tensor<2x8xf16>
  }
  func.func private @layer_2(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
    %w = transformer.weight "norm.weight" : tensor<8xf16>
    %0 = transformer.rms_norm %x, %w eps(1.0e-6) : tensor<2x8xf16>, tensor<8xf16>
    return %0 : tensor<2x8xf16>
  }
  func.func @main(%x: tensor<2x8xf16>) {
    %0 = transformer.layer @layer_0(%x) name("model.layers.0") : (tensor<2x8xf16>) -> tensor<2x8xf16>
    %1 = transformer.layer @layer_1(%0) name("model.layers.1") : (tensor<2x8xf16>) -> tensor<2x8xf16>
    %2 = transformer.layer @layer_2(%1) name("model.layers.2") : (tensor<2x8xf16>) -> tensor<2x8xf16>
    return
  }
}

// -----

// CHECK-LABEL: module @another_weight
// CHECK:         func private @layer_0
// CHECK:         func private @layer_1
// CHECK-NOT:     func private
// CHECK:         transformer.layer @layer_0(%{{.*}}) name("model.layers.0")
// CHECK:         transformer.layer @layer_1(%{{.*}}) name("model.layers.1")
// CHECK:         transformer.layer @layer_0(%{{.*}}) name("model.layers.2")
module @another_weight {
  // expected-remark @below {{"2 equal layers in one function"}}
  func.func private @layer_0(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
    %w = transformer.weight "norm.weight" : tensor<8xf16>
    %0 = transformer.rms_norm %x, %w eps(1.0e-6) : tensor<2x8xf16>, tensor<8xf16>
    return %0 : tensor<2x8xf16>
  }
  // expected-remark @below {{"a layer of its own"}}
  // expected-remark @below {{[Missed] layers | Category:dedup | Function=layer_1 | Reason="the attribute 'name' at transformer.weight: `%other.weight = transformer.weight "other.weight" : tensor<8xf16>` instead of `%norm.weight = transformer.weight "norm.weight" : tensor<8xf16>`", Remark="kept apart from @layer_0"}}
  func.func private @layer_1(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
    %w = transformer.weight "other.weight" : tensor<8xf16>
    %0 = transformer.rms_norm %x, %w eps(1.0e-6) : tensor<2x8xf16>, tensor<8xf16>
    return %0 : tensor<2x8xf16>
  }
  func.func private @layer_2(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
    %w = transformer.weight "norm.weight" : tensor<8xf16>
    %0 = transformer.rms_norm %x, %w eps(1.0e-6) : tensor<2x8xf16>, tensor<8xf16>
    return %0 : tensor<2x8xf16>
  }
  func.func @main(%x: tensor<2x8xf16>) {
    %0 = transformer.layer @layer_0(%x) name("model.layers.0") : (tensor<2x8xf16>) -> tensor<2x8xf16>
    %1 = transformer.layer @layer_1(%0) name("model.layers.1") : (tensor<2x8xf16>) -> tensor<2x8xf16>
    %2 = transformer.layer @layer_2(%1) name("model.layers.2") : (tensor<2x8xf16>) -> tensor<2x8xf16>
    return
  }
}

// -----

// CHECK-LABEL: module @another_op
// CHECK:         func private @layer_0
// CHECK:         func private @layer_1
// CHECK-NOT:     func private
// CHECK:         transformer.layer @layer_0(%{{.*}}) name("model.layers.0")
// CHECK:         transformer.layer @layer_1(%{{.*}}) name("model.layers.1")
// CHECK:         transformer.layer @layer_0(%{{.*}}) name("model.layers.2")
module @another_op {
  // expected-remark @below {{"2 equal layers in one function"}}
  func.func private @layer_0(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
    %w = transformer.weight "norm.weight" : tensor<8xf16>
    %0 = transformer.rms_norm %x, %w eps(1.0e-6) : tensor<2x8xf16>, tensor<8xf16>
    return %0 : tensor<2x8xf16>
  }
  // expected-remark @below {{"a layer of its own"}}
  // expected-remark @below {{[Missed] layers | Category:dedup | Function=layer_1 | Reason="the op at transformer.neg: `%0 = transformer.neg %arg0 : tensor<2x8xf16>` instead of `%norm.weight = transformer.weight "norm.weight" : tensor<8xf16>`", Remark="kept apart from @layer_0"}}
  func.func private @layer_1(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
    %0 = transformer.neg %x : tensor<2x8xf16>
    return %0 : tensor<2x8xf16>
  }
  func.func private @layer_2(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
    %w = transformer.weight "norm.weight" : tensor<8xf16>
    %0 = transformer.rms_norm %x, %w eps(1.0e-6) : tensor<2x8xf16>, tensor<8xf16>
    return %0 : tensor<2x8xf16>
  }
  func.func @main(%x: tensor<2x8xf16>) {
    %0 = transformer.layer @layer_0(%x) name("model.layers.0") : (tensor<2x8xf16>) -> tensor<2x8xf16>
    %1 = transformer.layer @layer_1(%0) name("model.layers.1") : (tensor<2x8xf16>) -> tensor<2x8xf16>
    %2 = transformer.layer @layer_2(%1) name("model.layers.2") : (tensor<2x8xf16>) -> tensor<2x8xf16>
    return
  }
}

// -----

// CHECK-LABEL: module @another_number_of_operands
// CHECK:         func private @layer_0
// CHECK:         func private @layer_1
module @another_number_of_operands {
  // expected-remark @below {{"a layer of its own"}}
  func.func private @layer_0(%x: tensor<8x8xf16>) -> tensor<8x8xf16> {
    %w = transformer.weight "w.weight" : tensor<8x8xf16>
    %b = transformer.weight "w.bias" : tensor<8xf16>
    %0 = transformer.linear %x, %w bias(%b : tensor<8xf16>) : tensor<8x8xf16>, tensor<8x8xf16> -> tensor<8x8xf16>
    return %0 : tensor<8x8xf16>
  }
  // expected-remark @below {{"a layer of its own"}}
  // expected-remark-re @below {{Reason="the number of operands or regions at transformer.linear: {{.*}} instead of {{.*}}bias{{.*}}", Remark="kept apart from @layer_0"}}
  func.func private @layer_1(%x: tensor<8x8xf16>) -> tensor<8x8xf16> {
    %w = transformer.weight "w.weight" : tensor<8x8xf16>
    %b = transformer.weight "w.bias" : tensor<8xf16>
    %0 = transformer.linear %x, %w : tensor<8x8xf16>, tensor<8x8xf16> -> tensor<8x8xf16>
    return %0 : tensor<8x8xf16>
  }
  func.func @main(%x: tensor<8x8xf16>) {
    %0 = transformer.layer @layer_0(%x) name("model.layers.0") : (tensor<8x8xf16>) -> tensor<8x8xf16>
    %1 = transformer.layer @layer_1(%0) name("model.layers.1") : (tensor<8x8xf16>) -> tensor<8x8xf16>
    return
  }
}

// -----

// CHECK-LABEL: module @an_attribute_less
// CHECK:         func private @layer_0
// CHECK:         func private @layer_1
module @an_attribute_less {
  // expected-remark @below {{"a layer of its own"}}
  func.func private @layer_0(%x: tensor<8x8xf16>) -> tensor<8x8xf16> {
    %0 = transformer.matmul %x, %x transposed : tensor<8x8xf16>, tensor<8x8xf16>
    return %0 : tensor<8x8xf16>
  }
  // expected-remark @below {{"a layer of its own"}}
  // expected-remark-re @below {{Reason="the number of attributes at transformer.matmul: {{.*}} instead of {{.*}} transposed {{.*}}", Remark="kept apart from @layer_0"}}
  func.func private @layer_1(%x: tensor<8x8xf16>) -> tensor<8x8xf16> {
    %0 = transformer.matmul %x, %x : tensor<8x8xf16>, tensor<8x8xf16>
    return %0 : tensor<8x8xf16>
  }
  func.func @main(%x: tensor<8x8xf16>) {
    %0 = transformer.layer @layer_0(%x) name("model.layers.0") : (tensor<8x8xf16>) -> tensor<8x8xf16>
    %1 = transformer.layer @layer_1(%0) name("model.layers.1") : (tensor<8x8xf16>) -> tensor<8x8xf16>
    return
  }
}

// -----

// Lowered layers are compared down to their work.
// CHECK-LABEL: module @a_work_op_more
// CHECK:         func private @layer_0
// CHECK:         func private @layer_1
module @a_work_op_more {
  // expected-remark @below {{"a layer of its own"}}
  func.func private @layer_0(%x: tensor<8x8xf16>) -> tensor<8x8xf16> {
    ascend.launch "k"() : () -> () {
      ascend.elementwise elements(8) operations(1) : f16
    }
    return %x : tensor<8x8xf16>
  }
  // expected-remark @below {{"a layer of its own"}}
  // expected-remark-re @below {{Reason="an op more at ascend.elementwise: {{.*}}", Remark="kept apart from @layer_0"}}
  func.func private @layer_1(%x: tensor<8x8xf16>) -> tensor<8x8xf16> {
    ascend.launch "k"() : () -> () {
      ascend.elementwise elements(8) operations(1) : f16
      ascend.elementwise elements(8) operations(1) : f16
    }
    return %x : tensor<8x8xf16>
  }
  func.func @main(%x: tensor<8x8xf16>) {
    %0 = transformer.layer @layer_0(%x) name("model.layers.0") : (tensor<8x8xf16>) -> tensor<8x8xf16>
    %1 = transformer.layer @layer_1(%0) name("model.layers.1") : (tensor<8x8xf16>) -> tensor<8x8xf16>
    return
  }
}

// -----

// CHECK-LABEL: module @a_work_op_less
// CHECK:         func private @layer_0
// CHECK:         func private @layer_1
module @a_work_op_less {
  // expected-remark @below {{"a layer of its own"}}
  func.func private @layer_0(%x: tensor<8x8xf16>) -> tensor<8x8xf16> {
    ascend.launch "k"() : () -> () {
      ascend.elementwise elements(8) operations(1) : f16
      ascend.elementwise elements(8) operations(1) : f16
    }
    return %x : tensor<8x8xf16>
  }
  // expected-remark @below {{"a layer of its own"}}
  // expected-remark-re @below {{Reason="an op more at ascend.launch: {{.*}}", Remark="kept apart from @layer_0"}}
  func.func private @layer_1(%x: tensor<8x8xf16>) -> tensor<8x8xf16> {
    ascend.launch "k"() : () -> () {
      ascend.elementwise elements(8) operations(1) : f16
    }
    return %x : tensor<8x8xf16>
  }
  func.func @main(%x: tensor<8x8xf16>) {
    %0 = transformer.layer @layer_0(%x) name("model.layers.0") : (tensor<8x8xf16>) -> tensor<8x8xf16>
    %1 = transformer.layer @layer_1(%0) name("model.layers.1") : (tensor<8x8xf16>) -> tensor<8x8xf16>
    return
  }
}

// -----

// CHECK-LABEL: module @a_layer_without_a_body
// CHECK:         func private @layer_0
// CHECK:         func private @layer_1
module @a_layer_without_a_body {
  // expected-remark @below {{"a layer of its own"}}
  func.func private @layer_0(%x: tensor<8x8xf16>) -> tensor<8x8xf16> {
    return %x : tensor<8x8xf16>
  }
  // expected-remark @below {{"a layer of its own"}}
  // expected-remark-re @below {{Reason="the number of blocks at func.func: {{.*}}", Remark="kept apart from @layer_0"}}
  func.func private @layer_1(tensor<8x8xf16>) -> tensor<8x8xf16>
  func.func @main(%x: tensor<8x8xf16>) {
    %0 = transformer.layer @layer_0(%x) name("model.layers.0") : (tensor<8x8xf16>) -> tensor<8x8xf16>
    %1 = transformer.layer @layer_1(%0) name("model.layers.1") : (tensor<8x8xf16>) -> tensor<8x8xf16>
    return
  }
}

// -----

// The result is another one of two of a type.
// CHECK-LABEL: module @another_operand
// CHECK:         func private @layer_0
// CHECK:         func private @layer_1
// CHECK-NOT:     func private
// CHECK:         transformer.layer @layer_0(%{{.*}}) name("model.layers.0")
// CHECK:         transformer.layer @layer_1(%{{.*}}) name("model.layers.1")
// CHECK:         transformer.layer @layer_0(%{{.*}}) name("model.layers.2")
module @another_operand {
  // expected-remark @below {{"2 equal layers in one function"}}
  func.func private @layer_0(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
    %0 = transformer.neg %x : tensor<2x8xf16>
    %1 = transformer.silu %0 : tensor<2x8xf16>
    return %1 : tensor<2x8xf16>
  }
  // expected-remark @below {{"a layer of its own"}}
  // expected-remark @below {{[Missed] layers | Category:dedup | Function=layer_1 | Reason="an operand at func.return: `func.return %0 : tensor<2x8xf16>` instead of `func.return %1 : tensor<2x8xf16>`", Remark="kept apart from @layer_0"}}
  func.func private @layer_1(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
    %0 = transformer.neg %x : tensor<2x8xf16>
    %1 = transformer.silu %0 : tensor<2x8xf16>
    return %0 : tensor<2x8xf16>
  }
  func.func private @layer_2(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
    %0 = transformer.neg %x : tensor<2x8xf16>
    %1 = transformer.silu %0 : tensor<2x8xf16>
    return %1 : tensor<2x8xf16>
  }
  func.func @main(%x: tensor<2x8xf16>) {
    %0 = transformer.layer @layer_0(%x) name("model.layers.0") : (tensor<2x8xf16>) -> tensor<2x8xf16>
    %1 = transformer.layer @layer_1(%0) name("model.layers.1") : (tensor<2x8xf16>) -> tensor<2x8xf16>
    %2 = transformer.layer @layer_2(%1) name("model.layers.2") : (tensor<2x8xf16>) -> tensor<2x8xf16>
    return
  }
}

// -----

// CHECK-LABEL: module @an_op_less
// CHECK:         func private @layer_0
// CHECK:         func private @layer_1
// CHECK-NOT:     func private
// CHECK:         transformer.layer @layer_0(%{{.*}}) name("model.layers.0")
// CHECK:         transformer.layer @layer_1(%{{.*}}) name("model.layers.1")
// CHECK:         transformer.layer @layer_0(%{{.*}}) name("model.layers.2")
module @an_op_less {
  // expected-remark @below {{"2 equal layers in one function"}}
  func.func private @layer_0(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
    %0 = transformer.neg %x : tensor<2x8xf16>
    %1 = transformer.silu %0 : tensor<2x8xf16>
    return %1 : tensor<2x8xf16>
  }
  // expected-remark @below {{"a layer of its own"}}
  // expected-remark @below {{[Missed] layers | Category:dedup | Function=layer_1 | Reason="the op at func.return: `func.return %0 : tensor<2x8xf16>` instead of `%1 = transformer.silu %0 : tensor<2x8xf16>`", Remark="kept apart from @layer_0"}}
  func.func private @layer_1(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
    %0 = transformer.neg %x : tensor<2x8xf16>
    return %0 : tensor<2x8xf16>
  }
  func.func private @layer_2(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
    %0 = transformer.neg %x : tensor<2x8xf16>
    %1 = transformer.silu %0 : tensor<2x8xf16>
    return %1 : tensor<2x8xf16>
  }
  func.func @main(%x: tensor<2x8xf16>) {
    %0 = transformer.layer @layer_0(%x) name("model.layers.0") : (tensor<2x8xf16>) -> tensor<2x8xf16>
    %1 = transformer.layer @layer_1(%0) name("model.layers.1") : (tensor<2x8xf16>) -> tensor<2x8xf16>
    %2 = transformer.layer @layer_2(%1) name("model.layers.2") : (tensor<2x8xf16>) -> tensor<2x8xf16>
    return
  }
}

// -----

// CHECK-LABEL: module @another_size_inside
// CHECK:         func private @layer_0
// CHECK:         func private @layer_1
// CHECK-NOT:     func private
// CHECK:         transformer.layer @layer_0(%{{.*}}) name("model.layers.0")
// CHECK:         transformer.layer @layer_1(%{{.*}}) name("model.layers.1")
// CHECK:         transformer.layer @layer_0(%{{.*}}) name("model.layers.2")
module @another_size_inside {
  // expected-remark @below {{"2 equal layers in one function"}}
  func.func private @layer_0(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
    %0 = transformer.slice %x offset(0) size(4) : tensor<2x8xf16>
    return %x : tensor<2x8xf16>
  }
  // expected-remark @below {{"a layer of its own"}}
  // expected-remark @below {{[Missed] layers | Category:dedup | Function=layer_1 | Reason="the result types at transformer.slice: `%0 = transformer.slice %arg0 offset(0) size(2) : tensor<2x8xf16>` instead of `%0 = transformer.slice %arg0 offset(0) size(4) : tensor<2x8xf16>`", Remark="kept apart from @layer_0"}}
  func.func private @layer_1(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
    %0 = transformer.slice %x offset(0) size(2) : tensor<2x8xf16>
    return %x : tensor<2x8xf16>
  }
  func.func private @layer_2(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
    %0 = transformer.slice %x offset(0) size(4) : tensor<2x8xf16>
    return %x : tensor<2x8xf16>
  }
  func.func @main(%x: tensor<2x8xf16>) {
    %0 = transformer.layer @layer_0(%x) name("model.layers.0") : (tensor<2x8xf16>) -> tensor<2x8xf16>
    %1 = transformer.layer @layer_1(%0) name("model.layers.1") : (tensor<2x8xf16>) -> tensor<2x8xf16>
    %2 = transformer.layer @layer_2(%1) name("model.layers.2") : (tensor<2x8xf16>) -> tensor<2x8xf16>
    return
  }
}

// -----

// CHECK-LABEL: module @another_type
// CHECK:         func private @layer_0
// CHECK:         func private @layer_1
module @another_type {
  // expected-remark @below {{"a layer of its own"}}
  func.func private @layer_0(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
    %w = transformer.weight "w" : tensor<8x8xf16>
    %0 = transformer.linear %x, %w : tensor<2x8xf16>, tensor<8x8xf16> -> tensor<2x8xf16>
    return %0 : tensor<2x8xf16>
  }
  // expected-remark @below {{"a layer of its own"}}
  // expected-remark-re @below {{Reason="the types of the functions at func.func: {{.*}}, Remark="kept apart from @layer_0"}}
  func.func private @layer_1(%x: tensor<2x8xf16>) -> tensor<2x4xf16> {
    %w = transformer.weight "w" : tensor<4x8xf16>
    %0 = transformer.linear %x, %w : tensor<2x8xf16>, tensor<4x8xf16> -> tensor<2x4xf16>
    return %0 : tensor<2x4xf16>
  }
  func.func @main(%x: tensor<2x8xf16>) {
    %0 = transformer.layer @layer_0(%x) name("model.layers.0") : (tensor<2x8xf16>) -> tensor<2x8xf16>
    %1 = transformer.layer @layer_1(%0) name("model.layers.1") : (tensor<2x8xf16>) -> tensor<2x4xf16>
    return
  }
}

// -----

// Locations, and names and discardable attributes of functions and ops, say
// nothing about what a layer computes. A location that now stands for several
// layers says so.
// LOC-LABEL:   module @names_do_not_matter
// LOC:           transformer.rms_norm {{.*}} loc("model.layers.*.norm")
// CHECK-LABEL: module @names_do_not_matter
// CHECK:         func private @layer_0
// CHECK-NOT:     func private
// CHECK:         transformer.layer @layer_0(%{{.*}}) name("model.layers.1")
module @names_do_not_matter {
  // expected-remark @below {{"2 equal layers in one function"}}
  func.func private @layer_0(%x: tensor<2x8xf16>) -> tensor<2x8xf16> attributes {test.first} {
    %w = transformer.weight "norm.weight" : tensor<8xf16>
    %0 = transformer.rms_norm %x, %w eps(1.0e-6) {test.first}
        : tensor<2x8xf16>, tensor<8xf16> loc("model.layers.0.norm")
    return %0 : tensor<2x8xf16>
  }
  func.func private @layer_1(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
    %w = transformer.weight "norm.weight" : tensor<8xf16>
    %0 = transformer.rms_norm %x, %w eps(1.0e-6)
        : tensor<2x8xf16>, tensor<8xf16> loc("model.layers.1.norm")
    return %0 : tensor<2x8xf16>
  }
  func.func @main(%x: tensor<2x8xf16>) {
    %0 = transformer.layer @layer_0(%x) name("model.layers.0") : (tensor<2x8xf16>) -> tensor<2x8xf16>
    %1 = transformer.layer @layer_1(%0) name("model.layers.1") : (tensor<2x8xf16>) -> tensor<2x8xf16>
    return
  }
}

// -----

// A location of a layer by itself keeps its number.
// LOC-LABEL:   module @location_of_a_single_layer
// LOC:           transformer.rms_norm {{.*}} loc("model.layers.0.norm")
module @location_of_a_single_layer {
  // expected-remark @below {{"a layer of its own"}}
  func.func private @layer_0(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
    %w = transformer.weight "norm.weight" : tensor<8xf16>
    %0 = transformer.rms_norm %x, %w eps(1.0e-6)
        : tensor<2x8xf16>, tensor<8xf16> loc("model.layers.0.norm")
    return %0 : tensor<2x8xf16>
  }
  func.func @main(%x: tensor<2x8xf16>) {
    %0 = transformer.layer @layer_0(%x) name("model.layers.0") : (tensor<2x8xf16>) -> tensor<2x8xf16>
    return
  }
}

// -----

// Someone outside of the module may call a public function.
// CHECK-LABEL: module @public_function
// CHECK:         func private @layer_0
// CHECK:         func @layer_1
// CHECK:         transformer.layer @layer_0(%{{.*}}) name("model.layers.1")
module @public_function {
  // expected-remark @below {{"2 equal layers in one function"}}
  func.func private @layer_0(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
    %w = transformer.weight "norm.weight" : tensor<8xf16>
    %0 = transformer.rms_norm %x, %w eps(1.0e-6) : tensor<2x8xf16>, tensor<8xf16>
    return %0 : tensor<2x8xf16>
  }
  func.func @layer_1(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
    %w = transformer.weight "norm.weight" : tensor<8xf16>
    %0 = transformer.rms_norm %x, %w eps(1.0e-6) : tensor<2x8xf16>, tensor<8xf16>
    return %0 : tensor<2x8xf16>
  }
  func.func @main(%x: tensor<2x8xf16>) {
    %0 = transformer.layer @layer_0(%x) name("model.layers.0") : (tensor<2x8xf16>) -> tensor<2x8xf16>
    %1 = transformer.layer @layer_1(%0) name("model.layers.1") : (tensor<2x8xf16>) -> tensor<2x8xf16>
    return
  }
}

// -----

// Functions that no layer calls are no layers.
// CHECK-LABEL: module @functions_that_are_no_layers
// CHECK:         func private @layer_0
// CHECK:         func private @helper_0
// CHECK:         func private @helper_1
module @functions_that_are_no_layers {
  // expected-remark @below {{"a layer of its own"}}
  func.func private @layer_0(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
    %w = transformer.weight "norm.weight" : tensor<8xf16>
    %0 = transformer.rms_norm %x, %w eps(1.0e-6) : tensor<2x8xf16>, tensor<8xf16>
    return %0 : tensor<2x8xf16>
  }
  func.func private @helper_0(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
    %w = transformer.weight "norm.weight" : tensor<8xf16>
    %0 = transformer.rms_norm %x, %w eps(1.0e-6) : tensor<2x8xf16>, tensor<8xf16>
    return %0 : tensor<2x8xf16>
  }
  func.func private @helper_1(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
    %w = transformer.weight "norm.weight" : tensor<8xf16>
    %0 = transformer.rms_norm %x, %w eps(1.0e-6) : tensor<2x8xf16>, tensor<8xf16>
    return %0 : tensor<2x8xf16>
  }
  func.func @main(%x: tensor<2x8xf16>) {
    %0 = transformer.layer @layer_0(%x) name("model.layers.0") : (tensor<2x8xf16>) -> tensor<2x8xf16>
    return
  }
}
