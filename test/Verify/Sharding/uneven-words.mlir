// RUN: tc-verify %s --f32 --pipeline='transformer-shard{tp=4 word-embedding-tp=row}' | FileCheck %s
// RUN: tc-verify %s --f32 --pipeline='transformer-shard{devices=8 tp=4 lmhead-tp=8 word-embedding-tp=row}' | FileCheck %s --check-prefix=HEAD
// RUN: tc-opt %s --transformer-shard="tp=4 word-embedding-tp=row" -o %t.mlir
// RUN: tc-verify %t.mlir %s --f32 | FileCheck %s
// RUN: sed 's/first_row(0)/first_row(3)/' %t.mlir > %t.unrolled.mlir
// RUN: tc-verify %t.unrolled.mlir %s --f32 | FileCheck %s
// RUN: sed '/all_reduce/d; s/%1/%0/' %t.mlir > %t.wrong.mlir
// RUN: %exits 1 tc-verify %s %t.wrong.mlir --f32 | FileCheck %s --check-prefix=WRONG

// 10 words on 4 devices: 3, 3, 3, and 1 with two that nobody looks up. Which
// device it is decides on the first row, whatever the module says.
// CHECK: {{^}}equal
// CHECK: run on 4 ranks
// HEAD: {{^}}equal
// HEAD: run on 8 ranks
// WRONG: {{^}}different
func.func @main(%ids: tensor<40xi64>) -> tensor<40x10xf16> {
  %table = transformer.weight "embed.weight" : tensor<10x8xf16>
  %x = transformer.embedding %ids, %table : tensor<40xi64>, tensor<10x8xf16> -> tensor<40x8xf16>
  %0 = transformer.linear %x, %table : tensor<40x8xf16>, tensor<10x8xf16> -> tensor<40x10xf16>
  return %0 : tensor<40x10xf16>
}
