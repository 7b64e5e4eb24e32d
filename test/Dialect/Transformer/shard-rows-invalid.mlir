// RUN: tc-opt %s --split-input-file --verify-diagnostics --transformer-shard="tp=4 word-embedding-tp=row"

func.func @table_from_elsewhere(%ids: tensor<7xi64>, %table: tensor<16x8xf16>) {
  // expected-error @below {{'transformer.embedding' op expected a declared table to split}}
  %0 = transformer.embedding %ids, %table : tensor<7xi64>, tensor<16x8xf16> -> tensor<7x8xf16>
  return
}

// -----

func.func @part_of_a_table(%ids: tensor<7xi64>) {
  %table = transformer.weight "embed.weight" : tensor<16x8xf16>
  // expected-error @below {{'transformer.embedding' op expected all of a table to split, but got a part}}
  %0 = transformer.embedding %ids, %table first_row(16) : tensor<7xi64>, tensor<16x8xf16> -> tensor<7x8xf16>
  return
}
