// RUN: tensorcast opportunities %s --device ATLAS_800_A2_376T_64G | FileCheck %s
// RUN: tensorcast opportunities %s --device ATLAS_800_A2_376T_64G --max-ops=2 --top 1 | FileCheck %s --check-prefix=PAIR
// RUN: tensorcast opportunities %s --device ATLAS_800_A2_376T_64G --format json | FileCheck %s --check-prefix=JSON
// RUN: tensorcast opportunities %s --device ATLAS_800_A2_376T_64G --emit-pdll %t.pdll --rank 3 -o %t.txt
// RUN: FileCheck %s --check-prefix=PATTERN --input-file %t.pdll
// RUN: tc-opt %s --transformer-apply-patterns=file=%t.pdll | FileCheck %s --check-prefix=APPLIED

// Launches are as good as ops, but no pattern matches them.
// RUN: tc-opt %s --convert-transformer-to-ascend=kernel-set=ascend --ascend-estimate=device=ATLAS_800_A2_376T_64G -o %t.mlir
// RUN: tensorcast opportunities %t.mlir | FileCheck %s --check-prefix=LAUNCHES
// RUN: %exits 1 tensorcast opportunities %t.mlir --emit-pdll %t.no 2>&1 | FileCheck %s --check-prefix=NO-OPS
// RUN: not ls %t.no 2>&1 | FileCheck %s --check-prefix=NOT-WRITTEN

// RUN: %exits 1 tensorcast opportunities %S/Inputs/unbound-state.mlir 2>&1 | FileCheck %s --check-prefix=UNBOUND
// RUN: %exits 1 tensorcast opportunities %s --device ATLAS_800_A2_376T_64G --rank 9 --emit-pdll %t.no 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: %exits 2 tensorcast opportunities %s --rank 1 2>&1 | FileCheck %s --check-prefix=RANK-ALONE
// RUN: %exits 2 tensorcast opportunities %s --top 0 2>&1 | FileCheck %s --check-prefix=TOP
// RUN: %exits 2 tensorcast opportunities %s --max-ops 7 2>&1 | FileCheck %s --check-prefix=OPS
// RUN: %exits 2 tensorcast opportunities %s --format csv 2>&1 | FileCheck %s --check-prefix=FORMAT

// Two runs of one layer. The sum is read twice, so that a kernel writes it for
// the other reader; the slices are no kernels, and come along.
// CHECK: kernel time {{.*}}; one kernel for a chain of ops would save at most:
// CHECK: chain saving share runs launches bytes in
// CHECK-NEXT: add -> linear -> swiglu {{.*}} % 2 4 {{.*}} layer
// CHECK-NEXT: linear -> swiglu -> dynamic_quantize {{.*}} % 2 4 {{.*}} layer
// CHECK-NEXT: linear -> swiglu {{.*}} % 2 2 {{.*}} layer
// CHECK: 2 left out: a row of what their ops hand on has more than the 196608 bytes on the chip
// CHECK: Chains share ops, so that savings do not add up.

// PAIR: linear -> swiglu {{.*}} layer
// PAIR-NEXT: {{[0-9]+}} more with --top

// JSON: "schema": "tensorcast-opportunities-1"
// JSON: "too_large": 2
// JSON: "buffer_bytes": 196608
// JSON: "chain": "add -> linear -> swiglu"
// JSON: "chain": "linear -> swiglu -> dynamic_quantize"
// JSON-NEXT: "saving_s": {{[0-9.e-]+}}
// JSON-NEXT: "runs": 2
// JSON-NEXT: "launches": 4

// PATTERN: // linear -> swiglu: one kernel would save at most
// PATTERN: #include "Transformer.pdll"
// PATTERN: Pattern LinearSwiglu {
// PATTERN-NEXT: let linear = op<transformer.linear>(input: Value, weight: Value, bias: ValueRange);
// PATTERN-NEXT: let slice = op<transformer.slice>(linear.0);
// PATTERN-NEXT: let slice2 = op<transformer.slice>(linear.0);
// PATTERN-NEXT: let root = op<transformer.swiglu>(slice.0, slice2.0);
// PATTERN-NEXT: HasOneUse(slice.0);
// PATTERN-NEXT: HasOneUse(slice2.0);
// PATTERN-NEXT: rewrite root with {
// PATTERN-NEXT:   replace root with Fuse(attr<"\"linear_swiglu\"">, (linear.0, slice.0, slice2.0, root.0));

// APPLIED: transformer.fused "linear_swiglu"

// LAUNCHES: matmul -> swiglu -> dynamic_quantize

// NO-OPS: error: 'ascend.launch' op has no op that a pattern could match: expected a module of ops, but got one of launches; take it before convert-transformer-to-ascend (tc-opt --tensorcast-compile=lower=false)
// NOT-WRITTEN: No such file
// UNBOUND: unbound-state.mlir:1:1: error: expected ops that have kernels, but some have none
// RANK: error: expected '--rank' up to {{[0-9]}}, as there are no more chains, but got 9
// RANK-ALONE: expected '--emit-pdll' beside '--rank', but got none
// TOP: expected '--top' from 1 to 1000, but got 0
// OPS: expected '--max-ops' from 2 to 6, but got 7
// FORMAT: expected table or json for '--format', but got 'csv'

module attributes {ascend.kernel_set = "ascend"} {
  func.func private @layer(%x: tensor<700x640xf16>) -> (tensor<700x640xf16>, tensor<700x1280xi8>, tensor<700x100000xf16>) {
    %w0 = transformer.weight "gate_up.weight" : tensor<2560x640xf16>
    %s = transformer.add %x, %x : tensor<700x640xf16>, tensor<700x640xf16>
    %0 = transformer.linear %s, %w0 : tensor<700x640xf16>, tensor<2560x640xf16> -> tensor<700x2560xf16>
    %g = transformer.slice %0 offset(0) size(1280) : tensor<700x2560xf16>
    %u = transformer.slice %0 offset(1280) size(1280) : tensor<700x2560xf16>
    %a = transformer.swiglu %g, %u : tensor<700x1280xf16>
    %q, %scale = transformer.dynamic_quantize %a : tensor<700x1280xf16> to tensor<700x1280xi8>, tensor<f32>
    %w1 = transformer.weight "wide.weight" : tensor<100000x640xf16>
    %w = transformer.linear %s, %w1 : tensor<700x640xf16>, tensor<100000x640xf16> -> tensor<700x100000xf16>
    %n = transformer.silu %w : tensor<700x100000xf16>
    return %s, %q, %n : tensor<700x640xf16>, tensor<700x1280xi8>, tensor<700x100000xf16>
  }
  func.func @main(%x: tensor<700x640xf16>) -> tensor<700x640xf16> {
    %0:3 = transformer.layer @layer(%x) name("layers.0") : (tensor<700x640xf16>) -> (tensor<700x640xf16>, tensor<700x1280xi8>, tensor<700x100000xf16>)
    %1:3 = transformer.layer @layer(%0#0) name("layers.1") : (tensor<700x640xf16>) -> (tensor<700x640xf16>, tensor<700x1280xi8>, tensor<700x100000xf16>)
    return %1#0 : tensor<700x640xf16>
  }
}
