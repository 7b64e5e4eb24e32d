// RUN: tc-opt %s --convert-transformer-to-ascend="kernel-set=reference-2026.08" | FileCheck %s --check-prefix=EAGER
// RUN: tc-opt %s --convert-transformer-to-ascend="kernel-set=reference-2026.08 compiled" | FileCheck %s --check-prefixes=COMPILED,AUGUST
// RUN: tc-opt %s --convert-transformer-to-ascend="kernel-set=reference-2026.06 compiled" | FileCheck %s --check-prefixes=COMPILED,JUNE
// RUN: tc-opt %s --convert-transformer-to-ascend="kernel-set=ascend compiled" | FileCheck %s --check-prefix=PHYSICAL

#kept = #transformer.dims<sequences - sum(decode) + sum(q * decode)>
!bound = !transformer.batch<#transformer.workload<queries = 2, query_length = 3>>

// Compiled kernels have other names, and lookups of the reference are charged
// for the whole table.
// EAGER-LABEL: func @lookups
// EAGER-SAME:    %[[T:.*]]: tensor<128x8xf32>, %[[I:.*]]: tensor<7xi64>, %[[X:.*]]: tensor<6x8xf16>, %[[B:.*]]: !transformer.batch
// EAGER:         ascend.launch "gather"(%[[I]]) using(%[[T]]) as("aten.index_select") {{.*}} { ascend.gather rows(7) row_bytes(32) index(0) }
// EAGER:         ascend.launch "last_tokens"() using(%[[B]], %[[X]]) as("aten.index_select") {{.*}} { ascend.gather rows(2) row_bytes(16) index(16) }
// COMPILED-LABEL: func @lookups
// COMPILED-SAME: %[[T:.*]]: tensor<128x8xf32>, %[[I:.*]]: tensor<7xi64>, %[[X:.*]]: tensor<6x8xf16>, %[[B:.*]]: !transformer.batch
// COMPILED:      ascend.launch "gather"(%[[T]], %[[I]]) as("aten.index") : (tensor<128x8xf32>, tensor<7xi64>) -> tensor<7x8xf32>{{$}}
// COMPILED:      ascend.launch "last_tokens"(%[[X]]) using(%[[B]]) as("aten.index")
// AUGUST-SAME:     { ascend.gather rows(2) row_bytes(0) index(16) }
// JUNE-SAME:       { ascend.gather rows(2) row_bytes(0) index(0) }
// PHYSICAL-LABEL: func @lookups
// PHYSICAL:      ascend.launch "gather"(%{{.*}}) using(%{{.*}}) : {{.*}} { ascend.gather rows(7) row_bytes(32) index(0) }
// PHYSICAL:      ascend.launch "last_tokens"() using(%{{.*}}) : {{.*}} { ascend.gather rows(2) row_bytes(16) index(16) }
func.func @lookups(%table: tensor<128x8xf32>, %i: tensor<7xi64>, %x: tensor<6x8xf16>, %batch: !bound) {
  %0 = transformer.gather %table, %i : tensor<128x8xf32>, tensor<7xi64>
  %1 = transformer.last_tokens %x of %batch : tensor<6x8xf16>, !bound -> tensor<2x8xf16>
  return
}

// EAGER-LABEL: func @copies
// EAGER:         as("aten._to_copy")
// EAGER:         as("aten.copy_")
// COMPILED-LABEL: func @copies
// COMPILED:      as("prims.convert_element_type")
// COMPILED:      as("aten.copy")
func.func @copies(%x: tensor<8x4xf16>) {
  %0 = transformer.cast %x : tensor<8x4xf16> to tensor<8x4xf32>
  %1 = transformer.own_features %x over<2> dim(1) : tensor<8x4xf16> to tensor<8x2xf16>
  return
}
