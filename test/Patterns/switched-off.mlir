// RUN: split-file %s %t
// RUN: tc-opt %t/module.mlir --transformer-mark-layers="disable=SwigluDown@model.layers.1 patterns=%t/two.pdll" \
// RUN:   --transformer-apply-patterns=file=%t/two.pdll | FileCheck %s
// RUN: tc-opt %t/module.mlir --transformer-mark-layers="disable=apply-patterns.SwigluDown@model.layers.1 patterns=%t/two.pdll" \
// RUN:   --transformer-apply-patterns=file=%t/two.pdll --remarks-filter=apply-patterns 2>&1 >%t/out \
// RUN:   | FileCheck %s --check-prefix=REMARK
// RUN: tc-opt %t/module.mlir --transformer-mark-layers="disable=apply-patterns" \
// RUN:   --transformer-apply-patterns=file=%t/two.pdll | FileCheck %s --check-prefix=NONE
// RUN: not tc-opt %t/module.mlir --transformer-mark-layers="disable=SwigluDwn patterns=%t/two.pdll" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NAME

// CHECK:      func.func private @layer(
// CHECK:        transformer.fused "swiglu_down"
// CHECK:        transformer.fused "negated"
// CHECK:      func.func private @layer_{{.*}} attributes {transformer.disabled_fusions = ["apply-patterns.SwigluDown@model.layers.1"]}
// CHECK-NOT:    transformer.fused "swiglu_down"
// CHECK:        transformer.fused "negated"

// What is far from a match is no near miss where the pattern is off, either.
// REMARK-DAG:  [Passed] SwigluDown | Category:apply-patterns | Function=layer |
// REMARK-DAG:  [Missed] SwigluDown | Category:apply-patterns | Function=layer_{{.*}} | Reason="switched off by 'apply-patterns.SwigluDown@model.layers.1'"
// REMARK-DAG:  [Passed] Negated | Category:apply-patterns | Function=layer |
// REMARK-DAG:  [Passed] Negated | Category:apply-patterns | Function=layer_{{.*}} |
// REMARK-NOT:  remark:

// NONE-NOT:    transformer.fused

// NAME: error: unknown fusion 'SwigluDwn'; did you mean 'apply-patterns.SwigluDown'? known fusions: apply-patterns, apply-patterns.Negated, apply-patterns.SwigluDown, fuse-

//--- two.pdll
#include "Transformer.pdll"

Pattern SwigluDown {
  let gated = op<transformer.swiglu>(gate: Value, up: Value);
  let root = op<transformer.linear>(gated.0, weight: Value, bias: ValueRange);
  HasOneUse(gated.0);
  rewrite root with {
    replace root with Fuse(attr<"\"swiglu_down\"">, (gated.0, root.0));
  };
}

Pattern Negated {
  let root = op<transformer.neg>(x: Value);
  rewrite root with {
    replace root with Fuse(attr<"\"negated\"">, (root.0));
  };
}

//--- module.mlir
func.func private @layer(%g: tensor<7x8xf16>, %w: tensor<8x8xf16>) -> tensor<7x8xf16> {
  %act = transformer.swiglu %g, %g : tensor<7x8xf16>
  %down = transformer.linear %act, %w : tensor<7x8xf16>, tensor<8x8xf16> -> tensor<7x8xf16>
  %more = transformer.linear %down, %w : tensor<7x8xf16>, tensor<8x8xf16> -> tensor<7x8xf16>
  %r = transformer.neg %more : tensor<7x8xf16>
  return %r : tensor<7x8xf16>
}
func.func @main(%g: tensor<7x8xf16>, %w: tensor<8x8xf16>) {
  %0 = transformer.layer @layer(%g, %w) name("model.layers.0") : (tensor<7x8xf16>, tensor<8x8xf16>) -> tensor<7x8xf16>
  %1 = transformer.layer @layer(%0, %w) name("model.layers.1") : (tensor<7x8xf16>, tensor<8x8xf16>) -> tensor<7x8xf16>
  return
}
