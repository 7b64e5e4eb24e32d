// RUN: tc-opt %s --transformer-mark-layers="disable=fuse-ffn@model.layers.1,fuse-norm.residual" | FileCheck %s
// RUN: tc-opt %s --transformer-mark-layers="disable=fuse-ffn@model.layers.1,fuse-norm.residual" \
// RUN:   --transformer-dedup-layers | FileCheck %s
// RUN: tc-opt %s --transformer-mark-layers="disable=fuse-ffn@model.layers.1,fuse-norm.residual" \
// RUN:   --transformer-inline-layers | FileCheck %s --check-prefix=INLINE
// RUN: tc-opt %s --transformer-mark-layers="disable=fuse-ffn@model.layers.1,fuse-norm.residual" \
// RUN:   --transformer-inline-layers="all" | FileCheck %s --check-prefix=DISSOLVE
// RUN: tc-opt %s --transformer-mark-layers="disable=fuse-ffn@model.layers.*" | FileCheck %s --check-prefix=ALL
// RUN: tc-opt %s --transformer-mark-layers="disable=fuse-ffn.swiglu@model.layers.[12],merge-linears@*.2" | FileCheck %s --check-prefix=TWO
// RUN: tc-opt %s --transformer-mark-layers="disable=fuse-ffn@model.layers.1" \
// RUN:   --transformer-mark-layers="disable=fuse-ffn@model.layers.1,fuse-comm@*" | FileCheck %s --check-prefix=TWICE
// RUN: tc-opt %s --transformer-mark-layers="disable=fuse-ffn@model.layers.1" --transformer-dedup-layers \
// RUN:   --remarks-filter=dedup 2>&1 >%t | FileCheck %s --check-prefix=APART
// RUN: tc-opt %s --transformer-mark-layers | FileCheck %s --check-prefix=NONE
// RUN: tc-opt %s --transformer-mark-layers="disable=fuse-ffn@model.layers.1" --transformer-fuse-ffn \
// RUN:   | FileCheck %s --check-prefix=FUSED
// RUN: tc-opt %s --transformer-mark-layers="disable=fuse-ffn@model.layers.1" --transformer-fuse-ffn \
// RUN:   --remarks-filter=fuse-ffn 2>&1 >%t | FileCheck %s --check-prefix=REMARK

// The layer has a copy of the function, marks for all are on all functions, and
// neither is the copy merged with what it is like otherwise.
// CHECK:      func.func private @layer({{.*}} attributes {transformer.disabled_fusions = ["fuse-norm.residual"]} {
// CHECK:      func.func private @[[COPY:.*]]({{.*}} attributes {transformer.disabled_fusions = ["fuse-ffn@model.layers.1", "fuse-norm.residual"]} {
// CHECK:      func.func @main({{.*}} attributes {transformer.disabled_fusions = ["fuse-norm.residual"]} {
// CHECK:      transformer.layer @layer(%{{.*}}) name("model.layers.0")
// CHECK:      transformer.layer @[[COPY]](%{{.*}}) name("model.layers.1")
// CHECK:      transformer.layer @layer(%{{.*}}) name("model.layers.2")

// Layers that are marked as their caller is are dissolved.
// INLINE:     func.func private @[[COPY:.*]]({{.*}} attributes
// INLINE-NOT: func.func private
// INLINE:     func.func @main
// INLINE:     transformer.layer @[[COPY]](%{{.*}}) name("model.layers.1")
// INLINE-NOT: transformer.layer

// DISSOLVE-NOT: func.func private
// DISSOLVE-NOT: transformer.layer

// If all calls are marked alike, no copy is made.
// ALL:        func.func private @layer({{.*}} attributes {transformer.disabled_fusions = ["fuse-ffn@model.layers.*"]} {
// ALL-NOT:    func.func private
// ALL:        func.func @main(%{{.*}}: tensor<2x8xf16>) {

// TWO:        func.func private @layer(%{{.*}}: tensor<2x8xf16>) -> tensor<2x8xf16> {
// TWO-DAG:    func.func private @[[A:.*]]({{.*}} attributes {transformer.disabled_fusions = ["fuse-ffn.swiglu@model.layers.[12]"]} {
// TWO-DAG:    func.func private @[[B:.*]]({{.*}} attributes {transformer.disabled_fusions = ["fuse-ffn.swiglu@model.layers.[12]", "merge-linears@*.2"]} {
// TWO:        transformer.layer @layer(%{{.*}}) name("model.layers.0")
// TWO:        transformer.layer @[[A]](%{{.*}}) name("model.layers.1")
// TWO:        transformer.layer @[[B]](%{{.*}}) name("model.layers.2")

// Marks add up, and none is there twice.
// TWICE:      func.func private @layer({{.*}} attributes {transformer.disabled_fusions = ["fuse-comm@*"]} {
// TWICE:      attributes {transformer.disabled_fusions = ["fuse-ffn@model.layers.1", "fuse-comm@*"]} {

// APART:      Reason="what passes are told to do with it at func.func
// APART-SAME: Remark="kept apart from @layer"

// NONE-NOT:   disabled_fusions

// FUSED:      func.func private @layer(
// FUSED:        transformer.swiglu
// FUSED:      func.func private @layer_{{.*}}
// FUSED-NEXT:   transformer.silu
// FUSED-NEXT:   transformer.mul

// REMARK-DAG: remark: [Passed] swiglu | Category:fuse-ffn | Function=layer | Remark=fused
// REMARK-DAG: remark: [Missed] swiglu | Category:fuse-ffn | Function=layer_{{.*}} | Reason="switched off by 'fuse-ffn@model.layers.1'", Remark="not fused"

func.func private @layer(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
  %0 = transformer.silu %x : tensor<2x8xf16>
  %1 = transformer.mul %0, %x : tensor<2x8xf16>, tensor<2x8xf16>
  return %1 : tensor<2x8xf16>
}
func.func @main(%x: tensor<2x8xf16>) {
  %0 = transformer.layer @layer(%x) name("model.layers.0") : (tensor<2x8xf16>) -> tensor<2x8xf16>
  %1 = transformer.layer @layer(%0) name("model.layers.1") : (tensor<2x8xf16>) -> tensor<2x8xf16>
  %2 = transformer.layer @layer(%1) name("model.layers.2") : (tensor<2x8xf16>) -> tensor<2x8xf16>
  return
}
