// RUN: tc-opt %s --split-input-file --transformer-join-stages | FileCheck %s

// Weights of one name are one again; those of other types are others. Nothing is
// sent, and 2 of the 4 devices are left, which are the plan of a stage.
// CHECK: module attributes {transformer.plan = #transformer.plan<devices = 2, data_parallel = 1>}
// CHECK-NOT:   func.func private
// CHECK-LABEL: func.func @main
// CHECK-SAME:    %[[X:.*]]: tensor<3x8xf16>
// CHECK-NEXT:    %[[W:.*]] = transformer.weight "w" : tensor<3x8xf16>
// CHECK-NEXT:    %[[A:.*]] = transformer.add %[[X]], %[[W]]
// CHECK-NEXT:    transformer.weight "w" : tensor<3x8xf32>
// CHECK-NEXT:    %[[B:.*]] = transformer.add %[[A]], %[[W]]
// CHECK-NEXT:    return %[[B]]
module attributes {transformer.plan = #transformer.plan<devices = 4, data_parallel = 1, pipeline_parallel = 2>} {
  func.func private @stage_0(%x: tensor<3x8xf16>) -> tensor<3x8xf16> {
    %w = transformer.weight "w" : tensor<3x8xf16>
    %0 = transformer.add %x, %w : tensor<3x8xf16>, tensor<3x8xf16>
    return %0 : tensor<3x8xf16>
  }
  func.func private @stage_1(%x: tensor<3x8xf16>) -> tensor<3x8xf16> {
    %other = transformer.weight "w" : tensor<3x8xf32>
    %w = transformer.weight "w" : tensor<3x8xf16>
    %0 = transformer.add %x, %w : tensor<3x8xf16>, tensor<3x8xf16>
    return %0 : tensor<3x8xf16>
  }
  func.func @main(%x: tensor<3x8xf16>) -> tensor<3x8xf16> {
    %0 = transformer.stage @stage_0(%x) : (tensor<3x8xf16>) -> tensor<3x8xf16>
    %1 = transformer.send_receive %0 from(0) to(2) : tensor<3x8xf16>
    %2 = transformer.stage @stage_1(%1) : (tensor<3x8xf16>) -> tensor<3x8xf16>
    return %2 : tensor<3x8xf16>
  }
}

// -----

// Copies of a tensor-parallel group follow each other when the devices of other
// stages are gone.
// CHECK: #transformer.plan<devices = 4, data_parallel = 2>
// CHECK: transformer.all_gather %{{.*}} over <2, step = 2> dim(0)
// CHECK: transformer.all_reduce %{{.*}} over <2>
module attributes {transformer.plan = #transformer.plan<devices = 12, data_parallel = 2, pipeline_parallel = 3>} {
  func.func @groups(%x: tensor<3x8xf16>) {
    %0 = transformer.all_gather %x over<2, step = 6> dim(0) : tensor<3x8xf16> to tensor<6x8xf16>
    %1 = transformer.all_reduce %x over<2> : tensor<3x8xf16>
    return
  }
}

// -----

// Of a stage with one device there is no plan left.
// CHECK:      module {
// CHECK-NEXT: }
module attributes {transformer.plan = #transformer.plan<devices = 4, data_parallel = 1, pipeline_parallel = 4>} {
}

// -----

// A model without stages stays as it is.
// CHECK: #transformer.plan<devices = 4, data_parallel = 1>
// CHECK: transformer.all_reduce %{{.*}} over <2, step = 2>
module attributes {transformer.plan = #transformer.plan<devices = 4, data_parallel = 1>} {
  func.func @groups(%x: tensor<3x8xf16>) {
    %0 = transformer.all_reduce %x over<2, step = 2> : tensor<3x8xf16>
    return
  }
}
