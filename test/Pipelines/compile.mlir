// RUN: tc-opt %s --tensorcast-compile="queries=2 query-length=7" | FileCheck %s --check-prefixes=CHECK,BOUND
// RUN: tc-opt %s --tensorcast-compile | FileCheck %s --check-prefixes=CHECK,UNBOUND
// RUN: tc-opt %s --tensorcast-compile="no-repetition queries=2 query-length=7" | FileCheck %s --check-prefix=INLINED

// A compiled model: residuals, norms and quantizations are one kernel, gate and
// up one product, and the gate one kernel.

#tokens = #transformer.dims<tokens>

// CHECK:   module @model attributes {{.*}}ascend.kernel_set = "reference-2026.08"
// CHECK:   func.func private @layer_0(
// BOUND-SAME:   %[[X:.*]]: tensor<14x64xf16>
// UNBOUND-SAME: %[[X:.*]]: tensor<?x64xf16, #tokens>
// CHECK:     %[[W:.*]] = transformer.weight "norm.weight" : tensor<64xf16>
// CHECK:     %[[N:.*]]:3 = ascend.launch "add_rms_norm_dynamic_quantize"(%[[X]], %[[X]], %[[W]])
// CHECK:     %[[GU:.*]] = ascend.view %{{.*}}, %{{.*}} : (tensor<32x64xi8>, tensor<32x64xi8>) -> tensor<64x64xi8>
// CHECK:     %[[P:.*]] = ascend.launch "quantized_matmul"(%[[N]]#1, %[[GU]], %[[N]]#2,
// BOUND-SAME:  { ascend.matmul m(14) n(64) k(64) : i8 }
// UNBOUND-SAME: { ascend.matmul m(tokens) n(64) k(64) : i8 }
// CHECK:     %[[G:.*]] = ascend.view %[[P]]
// CHECK:     %[[U:.*]] = ascend.view %[[P]]
// CHECK:     %[[ACT:.*]] = ascend.launch "swiglu"(%[[G]], %[[U]])
// CHECK:     ascend.launch "dynamic_quantize"(%[[ACT]])
// CHECK:     %[[D:.*]] = ascend.launch "quantized_matmul"
// CHECK:     %[[Y:.*]] = ascend.launch "add"(%[[N]]#0, %[[D]])
// CHECK-NEXT: return %[[Y]]
// CHECK-NOT: func.func private
// CHECK:   func.func @main
// CHECK:     transformer.layer @layer_0({{.*}}) name("model.layers.0")
// CHECK:     %[[L:.*]] = transformer.layer @layer_0({{.*}}) name("model.layers.1")
// CHECK:     ascend.launch "rms_norm"(%[[L]],

// Without regions per layer, the last sum of a layer is in the first norm of
// what follows.
// INLINED-NOT: transformer.layer
// INLINED:     func.func @main
// INLINED-NOT: ascend.launch "add"
// INLINED:     ascend.launch "add_rms_norm_dynamic_quantize"
// INLINED:     ascend.launch "add"
// INLINED:     ascend.launch "add_rms_norm_dynamic_quantize"
// INLINED-NOT: ascend.launch "add"
// INLINED:     ascend.launch "add_rms_norm_discard"

module @model {
  func.func private @layer_0(%x: tensor<?x64xf16, #tokens>) -> tensor<?x64xf16, #tokens> {
    %r = transformer.add %x, %x : tensor<?x64xf16, #tokens>, tensor<?x64xf16, #tokens>
    %wn = transformer.weight "norm.weight" : tensor<64xf16>
    %n = transformer.rms_norm %r, %wn eps(1.0e-6) : tensor<?x64xf16, #tokens>, tensor<64xf16>
    %wg = transformer.weight "gate.weight" : tensor<32x64xf16>
    %g = transformer.linear %n, %wg : tensor<?x64xf16, #tokens>, tensor<32x64xf16> -> tensor<?x32xf16, #tokens>
    %wu = transformer.weight "up.weight" : tensor<32x64xf16>
    %u = transformer.linear %n, %wu : tensor<?x64xf16, #tokens>, tensor<32x64xf16> -> tensor<?x32xf16, #tokens>
    %a = transformer.swiglu %g, %u : tensor<?x32xf16, #tokens>
    %wd = transformer.weight "down.weight" : tensor<64x32xf16>
    %d = transformer.linear %a, %wd : tensor<?x32xf16, #tokens>, tensor<64x32xf16> -> tensor<?x64xf16, #tokens>
    %y = transformer.add %r, %d : tensor<?x64xf16, #tokens>, tensor<?x64xf16, #tokens>
    return %y : tensor<?x64xf16, #tokens>
  }
  func.func private @layer_1(%x: tensor<?x64xf16, #tokens>) -> tensor<?x64xf16, #tokens> {
    %r = transformer.add %x, %x : tensor<?x64xf16, #tokens>, tensor<?x64xf16, #tokens>
    %wn = transformer.weight "norm.weight" : tensor<64xf16>
    %n = transformer.rms_norm %r, %wn eps(1.0e-6) : tensor<?x64xf16, #tokens>, tensor<64xf16>
    %wg = transformer.weight "gate.weight" : tensor<32x64xf16>
    %g = transformer.linear %n, %wg : tensor<?x64xf16, #tokens>, tensor<32x64xf16> -> tensor<?x32xf16, #tokens>
    %wu = transformer.weight "up.weight" : tensor<32x64xf16>
    %u = transformer.linear %n, %wu : tensor<?x64xf16, #tokens>, tensor<32x64xf16> -> tensor<?x32xf16, #tokens>
    %a = transformer.swiglu %g, %u : tensor<?x32xf16, #tokens>
    %wd = transformer.weight "down.weight" : tensor<64x32xf16>
    %d = transformer.linear %a, %wd : tensor<?x32xf16, #tokens>, tensor<64x32xf16> -> tensor<?x64xf16, #tokens>
    %y = transformer.add %r, %d : tensor<?x64xf16, #tokens>, tensor<?x64xf16, #tokens>
    return %y : tensor<?x64xf16, #tokens>
  }
  func.func @main(%x: tensor<?x64xf16, #tokens>) -> tensor<?x64xf16, #tokens> {
    %0 = transformer.layer @layer_0(%x) name("model.layers.0") : (tensor<?x64xf16, #tokens>) -> tensor<?x64xf16, #tokens>
    %1 = transformer.layer @layer_1(%0) name("model.layers.1") : (tensor<?x64xf16, #tokens>) -> tensor<?x64xf16, #tokens>
    %w = transformer.weight "model.norm.weight" : tensor<64xf16>
    %2 = transformer.rms_norm %1, %w eps(1.0e-6) : tensor<?x64xf16, #tokens>, tensor<64xf16>
    return %2 : tensor<?x64xf16, #tokens>
  }
}
