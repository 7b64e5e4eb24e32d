// RUN: tc-opt %s --split-input-file --transformer-bind-workload="queries=2 query-length=3500" \
// RUN:   | FileCheck %s --check-prefixes=CHECK,PREFILL
// RUN: tc-opt %s --split-input-file \
// RUN:   --transformer-bind-workload="queries=3 query-length=1 context-length=4096 decode" \
// RUN:   | FileCheck %s --check-prefixes=CHECK,DECODE

#tokens = #transformer.dims<tokens>
#kept = #transformer.dims<sequences - sum(decode) + sum(q * decode)>

// CHECK-NOT:     #transformer.dims

// The module remembers what it is bound to.
// PREFILL: #[[WORKLOAD:.*]] = #transformer.workload<queries = 2, query_length = 3500>
// DECODE:  #[[WORKLOAD:.*]] = #transformer.workload<queries = 3, query_length = 1, context_length = 4096, decode = true>
// CHECK:   module attributes {transformer.workload = #[[WORKLOAD]]}

// CHECK-LABEL: func private @types(
// PREFILL-SAME:  tensor<7000x64xf16>, !transformer.batch<#[[WORKLOAD]]>) -> tensor<2x64xf16>
// DECODE-SAME:   tensor<3x64xf16>, !transformer.batch<#[[WORKLOAD]]>) -> tensor<3x64xf16>
func.func private @types(tensor<?x64xf16, #tokens>, !transformer.batch) -> tensor<?x64xf16, #kept>

// CHECK-LABEL: func @composites
// PREFILL:       transformer.linear {{.*}} : tensor<7000x64xf16>, tensor<32x64xf16> -> tensor<7000x32xf16>
// PREFILL:       transformer.last_tokens {{.*}} : tensor<7000x32xf16>, <#[[WORKLOAD]]> -> tensor<2x32xf16>
// DECODE:        transformer.linear {{.*}} : tensor<3x64xf16>, tensor<32x64xf16> -> tensor<3x32xf16>
// DECODE:        transformer.last_tokens {{.*}} : tensor<3x32xf16>, <#[[WORKLOAD]]> -> tensor<3x32xf16>
func.func @composites(%x: tensor<?x64xf16, #tokens>, %batch: !transformer.batch) {
  %w = transformer.weight "w" : tensor<32x64xf16>
  %y = transformer.linear %x, %w
      : tensor<?x64xf16, #tokens>, tensor<32x64xf16> -> tensor<?x32xf16, #tokens>
  %0 = transformer.last_tokens %y of %batch
      : tensor<?x32xf16, #tokens>, !transformer.batch -> tensor<?x32xf16, #kept>
  return
}

// Prefill: q * kv = 3500 * 3500 for 2 requests. Decode: q = 1, kv = 4097 for 3.
// CHECK-LABEL: func @launches
// PREFILL:       ascend.launch "attention"() times(1) : () -> () { ascend.attention pairs(24500000)
// PREFILL-SAME:    rows(7000) kv_heads(2) metadata(176) : f16, f16, f16 }
// DECODE:        ascend.launch "attention"() times(0) : () -> () { ascend.attention pairs(12291)
// DECODE-SAME:     rows(12291) kv_heads(2) metadata(200) : f16, f16, f16 }
func.func @launches() {
  ascend.launch "attention"() times(1 - decode) : () -> () {
    ascend.attention pairs(sum(q * kv)) heads(4) key_size(8) value_size(8) softmax(4)
        rows(sum(kv)) kv_heads(2) metadata(128 + 24 * sequences) : f16, f16, f16
  }
  return
}

// What does not depend on the batch stays.
// CHECK-LABEL: func private @unknown_and_known_sizes(
// CHECK-SAME:    tensor<?x8xf16>, tensor<7x8xf16>, !transformer.rope_table<8xf16>)
func.func private @unknown_and_known_sizes(tensor<?x8xf16>, tensor<7x8xf16>,
                                           !transformer.rope_table<8xf16>)
