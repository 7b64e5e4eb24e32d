// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt %s --emit-bytecode | tc-opt | FileCheck %s
// RUN: tc-opt %s --mlir-print-op-generic | tc-opt | FileCheck %s

#tokens = #transformer.dims<tokens>
#own = #transformer.dims<ceildiv(tokens, 2)>

// CHECK: module attributes {transformer.assumes = [#transformer.expr<eq(mod(tokens, 4), 0)>],
// CHECK-SAME: transformer.plan = #transformer.plan<devices = 16, data_parallel = 2, output = 4, head = 16>}
module attributes {
    transformer.assumes = [#transformer.expr<eq(mod(tokens, 4), 0)>],
    transformer.plan = #transformer.plan<devices = 16, data_parallel = 2, output = 4, mlp = 0, head = 16>} {

// CHECK-LABEL: func @collectives
// CHECK-SAME:    %[[X:.*]]: tensor<8x4xf16>
// CHECK-NEXT:    transformer.all_reduce %[[X]] over <8> : tensor<8x4xf16>
// CHECK-NEXT:    transformer.all_reduce %[[X]] over <4, step = 8> : tensor<8x4xf16>
// CHECK-NEXT:    transformer.all_gather %[[X]] over <2> dim(1) : tensor<8x4xf16> to tensor<8x8xf16>
// CHECK-NEXT:    transformer.reduce_scatter %[[X]] over <2> dim(0) : tensor<8x4xf16> to tensor<4x4xf16>
// CHECK-NEXT:    transformer.own_rows %[[X]] over <2> dim(0) : tensor<8x4xf16> to tensor<4x4xf16>
// CHECK-NEXT:    transformer.own_features %[[X]] over <2> dim(1) : tensor<8x4xf16> to tensor<8x2xf16>
func.func @collectives(%x: tensor<8x4xf16>) {
  %0 = transformer.all_reduce %x over<8> : tensor<8x4xf16>
  %1 = transformer.all_reduce %x over<4, step = 8> : tensor<8x4xf16>
  %2 = transformer.all_gather %x over<2> dim(1) : tensor<8x4xf16> to tensor<8x8xf16>
  %3 = transformer.reduce_scatter %x over<2> dim(0) : tensor<8x4xf16> to tensor<4x4xf16>
  %4 = transformer.own_rows %x over<2> dim(0) : tensor<8x4xf16> to tensor<4x4xf16>
  %5 = transformer.own_features %x over<2> dim(1) : tensor<8x4xf16> to tensor<8x2xf16>
  return
}

// Parts may be padded; numbers of tokens may be expressions.
// CHECK-LABEL: func @parts
// CHECK:         transformer.all_gather %{{.*}} over <4> dim(1) : tensor<7x63xf16> to tensor<7x250xf16>
// CHECK:         transformer.own_rows %{{.*}} over <2> dim(0) : tensor<?x4xf16, #{{.*}}> to tensor<?x4xf16, #{{.*}}>
// CHECK:         transformer.all_gather %{{.*}} over <2> dim(0) : tensor<?x4xf16, #{{.*}}> to tensor<?x4xf16, #{{.*}}>
func.func @parts(%x: tensor<7x63xf16>, %y: tensor<?x4xf16, #tokens>) {
  %0 = transformer.all_gather %x over<4> dim(1) : tensor<7x63xf16> to tensor<7x250xf16>
  %1 = transformer.own_rows %y over<2> dim(0) : tensor<?x4xf16, #tokens> to tensor<?x4xf16, #own>
  %2 = transformer.all_gather %1 over<2> dim(0) : tensor<?x4xf16, #own> to tensor<?x4xf16, #tokens>
  return
}

// CHECK-LABEL: func @sharding
// CHECK-NEXT:    transformer.weight "a" sharding <column, tensor, unit = 8> : tensor<16x8xf16>
// CHECK-NEXT:    transformer.weight "b" sharding <row, output> : tensor<16x8xf16>
// CHECK-NEXT:    transformer.weight "c" sharding <column, mlp> : tensor<16xf16>
// CHECK-NEXT:    transformer.weight "d" sharding <column, head> : tensor<16x8xf16>
// CHECK-NEXT:    transformer.weight "e" sharding <row, embedding> : tensor<16x8xf16>
func.func @sharding() {
  %a = transformer.weight "a" sharding<column, tensor, unit = 8> : tensor<16x8xf16>
  %b = transformer.weight "b" sharding<row, output> : tensor<16x8xf16>
  %c = transformer.weight "c" sharding<column, mlp, unit = 1> : tensor<16xf16>
  %d = transformer.weight "d" sharding<column, head> : tensor<16x8xf16>
  %e = transformer.weight "e" sharding<row, embedding> : tensor<16x8xf16>
  return
}

// CHECK-LABEL: func @parts_of_tables
// CHECK:         transformer.embedding %{{.*}}, %{{.*}} first_row(16) : tensor<7xi64>, tensor<16x8xf16> -> tensor<7x8xf16>
// CHECK:         transformer.gather %{{.*}}, %{{.*}} first_row(0) : tensor<16x8xf16>, tensor<7xi64>
func.func @parts_of_tables(%ids: tensor<7xi64>, %table: tensor<16x8xf16>) {
  %0 = transformer.embedding %ids, %table first_row(16) : tensor<7xi64>, tensor<16x8xf16> -> tensor<7x8xf16>
  %1 = transformer.gather %table, %ids first_row(0) : tensor<16x8xf16>, tensor<7xi64>
  return
}

// CHECK-LABEL: func @linear_all_reduce
// CHECK:         transformer.linear %{{.*}}, %{{.*}} bias(%{{.*}} : tensor<4xf16>) all_reduce <2, step = 4> : tensor<7x8xf16>
func.func @linear_all_reduce(%x: tensor<7x8xf16>, %w: tensor<4x8xf16>, %b: tensor<4xf16>) {
  %0 = transformer.linear %x, %w bias(%b : tensor<4xf16>) all_reduce<2, step = 4>
      : tensor<7x8xf16>, tensor<4x8xf16> -> tensor<7x4xf16>
  return
}

}
