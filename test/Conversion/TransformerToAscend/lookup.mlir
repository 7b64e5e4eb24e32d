// RUN: tc-opt %s --convert-transformer-to-ascend | FileCheck %s --check-prefixes=CHECK,EAGER
// RUN: tc-opt %s --convert-transformer-to-ascend="compiled" | FileCheck %s --check-prefixes=CHECK,COMPILED
// RUN: tc-opt %s --convert-transformer-to-ascend="kernel-set=reference-2026.06 compiled" | FileCheck %s --check-prefixes=CHECK,COMPILED
// RUN: tc-opt %s --convert-transformer-to-ascend="kernel-set=ascend" | FileCheck %s --check-prefix=PHYSICAL
// RUN: tc-opt %s --convert-transformer-to-ascend="compiled" --ascend-estimate="device=TEST_DEVICE" --ascend-print-cost -o /dev/null 2>&1 \
// RUN:   --remarks-filter=cost --remark-policy=all | FileCheck %s --check-prefix=COST

// In the reference, a lookup in a part of a table is made of many launches: ids
// of other parts pick row 0 of this one, which then becomes zeros. An eager
// stack makes the zeros, a compiled one has them in memory. Truth values take a
// byte.
// CHECK-LABEL:   func @part
// CHECK-SAME:      %[[IDS:.*]]: tensor<1000xi64>
// CHECK:           %[[TABLE:.*]] = transformer.weight
// CHECK:           %[[GE:.*]] = ascend.launch "greater_equal"(%[[IDS]]) as("aten.ge") : (tensor<1000xi64>) -> tensor<1000xi1>
// CHECK-NEXT:      %[[LT:.*]] = ascend.launch "less"(%[[IDS]]) as("aten.lt") : (tensor<1000xi64>) -> tensor<1000xi1>
// CHECK-NEXT:      %[[IN:.*]] = ascend.launch "logical_and"(%[[GE]], %[[LT]]) as("aten.bitwise_and") : (tensor<1000xi1>, tensor<1000xi1>) -> tensor<1000xi1>
// CHECK-NEXT:      %[[SUB:.*]] = ascend.launch "subtract_scalar"(%[[IDS]]) as("aten.sub") : (tensor<1000xi64>) -> tensor<1000xi64>
// EAGER-NEXT:      %[[ZEROS:.*]] = ascend.launch "zeros_like"(%[[IDS]]) as("aten.zeros_like") : (tensor<1000xi64>) -> tensor<1000xi64>
// COMPILED-NEXT:   %[[ZEROS:.*]] = ascend.view  : () -> tensor<1000xi64>
// CHECK-NEXT:      %[[SAFE:.*]] = ascend.launch "select"(%[[IN]], %[[SUB]], %[[ZEROS]]) as("aten.where") : (tensor<1000xi1>, tensor<1000xi64>, tensor<1000xi64>) -> tensor<1000xi64>
// CHECK-NEXT:      %[[ROWS:.*]] = ascend.launch "embedding"(%[[SAFE]]) using(%[[TABLE]]) as("aten.embedding") : (tensor<1000xi64>, tensor<16x8xf16>) -> tensor<1000x8xf16> { ascend.gather rows(1000) row_bytes(16) index(0) }
// CHECK-NEXT:      %[[OUT:.*]] = ascend.launch "logical_not"(%[[IN]]) as("aten.bitwise_not") : (tensor<1000xi1>) -> tensor<1000xi1>
// EAGER-NEXT:      ascend.launch "masked_fill"(%[[ROWS]], %[[OUT]]) as("aten.masked_fill_") : (tensor<1000x8xf16>, tensor<1000xi1>) -> tensor<1000x8xf16>
// COMPILED-NEXT:   %[[ZERO:.*]] = ascend.view  : () -> tensor<f16>
// COMPILED-NEXT:   ascend.launch "select"(%[[OUT]], %[[ZERO]], %[[ROWS]]) as("aten.where") : (tensor<1000xi1>, tensor<f16>, tensor<1000x8xf16>) -> tensor<1000x8xf16>

// A kernel that masks needs one start.
// PHYSICAL-LABEL: func @part
// PHYSICAL:         ascend.launch "masked_embedding"(%{{.*}}) using(%{{.*}}) : (tensor<1000xi64>, tensor<16x8xf16>) -> tensor<1000x8xf16> { ascend.gather rows(1000) row_bytes(16) index(0) }
// PHYSICAL-NEXT:    ascend.launch "masked_gather"
// PHYSICAL-NOT:     ascend.launch

// 8000 bytes of ids and 1000 of truth values, at 0.6 * 1.6 TiB/s.
// COST: greater_equal takes {{.*}}: memory 8.527 ns, launch 2.000 us
func.func @part(%ids: tensor<1000xi64>) -> tensor<1000x8xf16> {
  %table = transformer.weight "embed.weight" : tensor<16x8xf16>
  %0 = transformer.embedding %ids, %table first_row(0) : tensor<1000xi64>, tensor<16x8xf16> -> tensor<1000x8xf16>
  %1 = transformer.gather %table, %ids first_row(0) : tensor<16x8xf16>, tensor<1000xi64>
  return %0 : tensor<1000x8xf16>
}
