// RUN: split-file %s %t
// RUN: tc-opt %t/schedule.mlir | tc-opt | FileCheck %s --check-prefix=SYNTAX
// RUN: tc-opt %t/model.mlir --tensorcast-schedule=file=%t/schedule.mlir 2>&1 | FileCheck %s
// RUN: tc-opt %t/model.mlir --tensorcast-schedule="file=%t/schedule.mlir entry=all" \
// RUN:   --tensorcast-schedule="file=%t/schedule.mlir entry=marks" | FileCheck %s --check-prefix=ALL
// RUN: not tc-opt %t/model.mlir --tensorcast-schedule="file=%t/schedule.mlir entry=no_layer" 2>&1 | FileCheck %s --check-prefix=LAYER
// RUN: not tc-opt %t/model.mlir --tensorcast-schedule="file=%t/schedule.mlir entry=no_glob" 2>&1 | FileCheck %s --check-prefix=GLOB
// RUN: not tc-opt %t/model.mlir --tensorcast-schedule="file=%t/schedule.mlir entry=no_module" 2>&1 | FileCheck %s --check-prefix=MODULE
// RUN: not tc-opt %t/model.mlir --tensorcast-schedule="file=%t/schedule.mlir entry=no_pass" 2>&1 | FileCheck %s --check-prefix=PASS
// RUN: not tc-opt %t/model.mlir --tensorcast-schedule="file=%t/schedule.mlir entry=twice" 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not tc-opt %t/model.mlir --tensorcast-schedule="file=%t/schedule.mlir entry=two" 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not tc-opt %t/model.mlir --tensorcast-schedule="file=%t/schedule.mlir entry=nil" 2>&1 | FileCheck %s --check-prefix=ENTRY
// RUN: not tc-opt %t/model.mlir --tensorcast-schedule="file=%t/model.mlir" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tc-opt %t/model.mlir --tensorcast-schedule="file=%t/missing.mlir" 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not tc-opt %t/model.mlir --tensorcast-schedule 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not tc-opt %t/model.mlir --tensorcast-schedule="file=%t/broken.mlir" 2>&1 | FileCheck %s --check-prefix=BROKEN

// SYNTAX: transform.transformer.match_layers "model.layers.1" in %{{.*}} : (!transform.any_op) -> (!transform.any_op, !transform.any_op)

// A layer that shares its function gets a copy; one that does not, does not. The
// rest is every other function with a body.
// CHECK:      model.mlir:1:1: remark: the rest
// CHECK:      model.mlir:5:1: remark: the rest
// CHECK:      func.func private @shared(%{{.*}}: tensor<8xf16>) -> tensor<8xf16> {
// CHECK:      func.func private @[[COPY:.*]](%{{.*}}: tensor<8xf16>) -> tensor<8xf16> attributes {my.mark} {
// CHECK:      func.func private @own(%{{.*}}: tensor<8xf16>) -> tensor<8xf16> {
// CHECK:      func.func private @declared
// CHECK:      transformer.layer @shared(%{{.*}}) name("model.layers.0")
// CHECK:      transformer.layer @[[COPY]](%{{.*}}) name("model.layers.1")
// CHECK:      transformer.layer @shared(%{{.*}}) name("model.layers.2")
// CHECK:      transformer.layer @own(%{{.*}}) name("head")

// Two schedules of one pipeline do not disturb each other.
// ALL:        func.func private @shared({{.*}} attributes {my.all} {
// ALL:        func.func private @[[COPY:.*]]({{.*}} attributes {my.all, my.mark} {
// ALL:        func.func private @own({{.*}} attributes {my.all} {
// ALL:        func.func @main({{.*}}) {

// LAYER:      schedule.mlir:[[#]]:14: error: unknown layer 'model.layer.1'; did you mean 'model.layers.1'? known layers: model.layers.0, model.layers.1, model.layers.2, head{{$}}
// GLOB:       schedule.mlir:[[#]]:14: error: expected names of layers, but got 'a[': invalid glob pattern, unmatched '['
// MODULE:     schedule.mlir:[[#]]:14: error: expected a module, but got 'func.func'
// PASS:       schedule.mlir:[[#]]:10: error: unknown pass or pass pipeline: transformer-fuse-nrom
// TWICE:      schedule.mlir:[[#]]:10: error: op uses a handle invalidated by a previously executed transform op
// TWO:        schedule.mlir:[[#]]:3: error: expected 'two' to have one argument, the module, but got 2
// ENTRY:      schedule.mlir:1:1: error: unknown sequence 'nil'; {{.*}}known sequences: __transform_main, marks, all,
// NONE:       model.mlir:1:1: error: expected a module of named sequences, but there are none
// FILE:       tc-opt: error: cannot open input file '{{.*}}': No such file or directory
// BROKEN:     broken.mlir:3:5: error: custom op 'transform.yeld' is unknown

//--- model.mlir
func.func private @shared(%x: tensor<8xf16>) -> tensor<8xf16> { return %x : tensor<8xf16> }
func.func private @own(%x: tensor<8xf16>) -> tensor<8xf16> {
  return %x : tensor<8xf16> }
func.func private @declared(tensor<8xf16>)
func.func @main(%x: tensor<8xf16>) {
  %0 = transformer.layer @shared(%x) name("model.layers.0") : (tensor<8xf16>) -> tensor<8xf16>
  %1 = transformer.layer @shared(%0) name("model.layers.1") : (tensor<8xf16>) -> tensor<8xf16>
  %2 = transformer.layer @shared(%1) name("model.layers.2") : (tensor<8xf16>) -> tensor<8xf16>
  %3 = transformer.layer @own(%2) name("head") : (tensor<8xf16>) -> tensor<8xf16>
  return
}

//--- broken.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    transform.yeld
  }
}

//--- schedule.mlir
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %0, %1 = transform.transformer.match_layers "model.layers.1" in %module : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.annotate %0 "my.mark" : !transform.any_op
    transform.debug.emit_remark_at %1, "the rest" : !transform.any_op
    transform.yield
  }
  transform.named_sequence @marks(%module: !transform.any_op {transform.readonly}) {
    %0, %1 = transform.transformer.match_layers "model.layers.1" in %module : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.annotate %0 "my.mark" : !transform.any_op
    transform.yield
  }
  transform.named_sequence @all(%module: !transform.any_op {transform.readonly}) {
    %0, %1 = transform.transformer.match_layers "*" in %module : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.annotate %0 "my.all" : !transform.any_op
    transform.yield
  }
  transform.named_sequence @no_layer(%module: !transform.any_op {transform.readonly}) {
    %0, %1 = transform.transformer.match_layers "model.layer.1" in %module : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
  transform.named_sequence @no_glob(%module: !transform.any_op {transform.readonly}) {
    %0, %1 = transform.transformer.match_layers "a[" in %module : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
  transform.named_sequence @no_module(%module: !transform.any_op {transform.readonly}) {
    %0, %1 = transform.transformer.match_layers "head" in %module : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %2, %3 = transform.transformer.match_layers "head" in %0 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
  transform.named_sequence @no_pass(%module: !transform.any_op {transform.consumed}) {
    %0 = transform.apply_registered_pass "transformer-fuse-nrom" to %module : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
  transform.named_sequence @twice(%module: !transform.any_op {transform.readonly}) {
    %0, %1 = transform.transformer.match_layers "head" in %module : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %2 = transform.apply_registered_pass "transformer-fuse-norm" to %0 : (!transform.any_op) -> !transform.any_op
    %3 = transform.apply_registered_pass "transformer-fuse-norm" to %0 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
  transform.named_sequence @two(%module: !transform.any_op {transform.readonly}, %other: !transform.any_op {transform.readonly}) {
    transform.yield
  }
}
