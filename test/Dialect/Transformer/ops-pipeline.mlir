// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt %s --emit-bytecode | tc-opt | FileCheck %s
// RUN: tc-opt %s --mlir-print-op-generic | tc-opt | FileCheck %s

#tokens = #transformer.dims<tokens>

// CHECK: transformer.plan = #transformer.plan<devices = 16, data_parallel = 2, pipeline_parallel = 4>
module attributes {transformer.plan = #transformer.plan<devices = 16, data_parallel = 2, pipeline_parallel = 4>} {

func.func private @first(tensor<?xi64, #tokens>) -> tensor<?x8xf16, #tokens>
func.func private @second(tensor<?x8xf16, #tokens>) -> tensor<?x8xf16, #tokens>
func.func private @nothing()

// CHECK-LABEL: func @stages
// CHECK-SAME:    %[[IDS:.*]]: tensor<?xi64, #[[T:.*]]>)
// CHECK-NEXT:    %[[A:.*]] = transformer.stage @first(%[[IDS]]) : (tensor<?xi64, #[[T]]>) -> tensor<?x8xf16, #[[T]]>
// CHECK-NEXT:    %[[B:.*]] = transformer.send_receive %[[A]] from(0) to(2) : tensor<?x8xf16, #[[T]]>
// CHECK-NEXT:    transformer.stage @second(%[[B]]) : (tensor<?x8xf16, #[[T]]>) -> tensor<?x8xf16, #[[T]]>
// CHECK-NEXT:    transformer.stage @nothing() : () -> ()
func.func @stages(%ids: tensor<?xi64, #tokens>) {
  %0 = transformer.stage @first(%ids) : (tensor<?xi64, #tokens>) -> tensor<?x8xf16, #tokens>
  %1 = transformer.send_receive %0 from(0) to(2) : tensor<?x8xf16, #tokens>
  %2 = transformer.stage @second(%1) : (tensor<?x8xf16, #tokens>) -> tensor<?x8xf16, #tokens>
  transformer.stage @nothing() : () -> ()
  return
}

// Indices are sent as well, and the other way round.
// CHECK-LABEL: func @indices
// CHECK:         transformer.send_receive %{{.*}} from(4) to(0) : tensor<3x7xi32>
func.func @indices(%x: tensor<3x7xi32>) -> tensor<3x7xi32> {
  %0 = transformer.send_receive %x from(4) to(0) : tensor<3x7xi32>
  return %0 : tensor<3x7xi32>
}
}
