// RUN: tc-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expected 'count' and 'step' from 1 to 2147483648, but got 0}}
#nobody = #transformer.ranks<0>

// -----

// expected-error @below {{expected 'count' and 'step' from 1 to 2147483648, but got -8}}
#backwards = #transformer.ranks<2, step = -8>

// -----

// expected-error @below {{expected 'devices' from 1 to 2147483648, but got 0}}
#none = #transformer.plan<devices = 0, data_parallel = 1>

// -----

// expected-error @below {{expected 'data_parallel' to divide 8 devices, but got 3}}
#uneven = #transformer.plan<devices = 8, data_parallel = 3>

// -----

// expected-error @below {{expected 'data_parallel' to divide 8 devices, but got 0}}
#groupless = #transformer.plan<devices = 8, data_parallel = 0>

// -----

// expected-error @below {{expected 'mlp' to divide 8 devices, but got 3}}
#uneven_group = #transformer.plan<devices = 8, data_parallel = 2, mlp = 3>

// -----

// expected-error @below {{expected 'head' to divide 8 devices, but got -1}}
#negative_group = #transformer.plan<devices = 8, data_parallel = 2, head = -1>

// -----

// expected-error @below {{expected 'unit' of at least 1, but got 0}}
#nothing = #transformer.sharding<column, tensor, unit = 0>

// -----

// expected-error @below {{expected one of [column, row] for how a weight is split, got: diagonal}}
// expected-error @below {{failed to parse}}
#diagonal = #transformer.sharding<diagonal, tensor>

// -----

// expected-error @below {{expected one of [tensor, output, mlp, head, embedding, expert, shared_expert, vision] for devices that share a weight, got: hearing}}
// expected-error @below {{failed to parse}}
#hearing = #transformer.sharding<row, hearing>

// -----

// expected-error @below {{'builtin.module' op expected 'transformer.plan' to be a #transformer.plan, but got 8}}
module attributes {transformer.plan = 8 : i64} {}

// -----

// expected-error @below {{'func.func' op expected 'transformer.plan' on a module, but got it on this op}}
func.func private @f() attributes {transformer.plan = #transformer.plan<devices = 8, data_parallel = 1>}

// -----

func.func @gather_of_another_rank(%x: tensor<8x4xf16>) {
  // expected-error @below {{'transformer.all_gather' op expected a result of the input's rank and element type, but got 'tensor<64xf16>' of 'tensor<8x4xf16>'}}
  %0 = transformer.all_gather %x over<2> dim(1) : tensor<8x4xf16> to tensor<64xf16>
  return
}

// -----

func.func @gather_of_another_type(%x: tensor<8x4xf16>) {
  // expected-error @below {{'transformer.all_gather' op expected a result of the input's rank and element type, but got 'tensor<8x8xf32>' of 'tensor<8x4xf16>'}}
  %0 = transformer.all_gather %x over<2> dim(1) : tensor<8x4xf16> to tensor<8x8xf32>
  return
}

// -----

func.func @gather_at_no_dimension(%x: tensor<8x4xf16>) {
  // expected-error @below {{'transformer.all_gather' op expected 'dim' below 2, but got 2}}
  %0 = transformer.all_gather %x over<2> dim(2) : tensor<8x4xf16> to tensor<8x8xf16>
  return
}

// -----

func.func @gather_of_other_tokens(%x: tensor<8x4xf16>) {
  // expected-error @below {{'transformer.all_gather' op expected sizes that differ in dimension 1 only, but got 'tensor<8x4xf16>' and 'tensor<16x8xf16>'}}
  %0 = transformer.all_gather %x over<2> dim(1) : tensor<8x4xf16> to tensor<16x8xf16>
  return
}

// -----

func.func @gather_of_too_few_parts(%x: tensor<8x4xf16>) {
  // expected-error @below {{'transformer.all_gather' op expected parts of 8 of 16 for 2 ranks, but got 4}}
  %0 = transformer.all_gather %x over<2> dim(1) : tensor<8x4xf16> to tensor<8x16xf16>
  return
}

// -----

func.func @gather_of_tokens_of_another_type(%x: tensor<8x4xf16>) {
  // expected-error @below {{'transformer.all_gather' op expected a result of the input's rank and element type, but got 'tensor<16x4xf32>' of 'tensor<8x4xf16>'}}
  %0 = transformer.all_gather %x over<2> dim(0) : tensor<8x4xf16> to tensor<16x4xf32>
  return
}

// -----

func.func @scatter_of_other_parts(%x: tensor<9x4xf16>) {
  // expected-error @below {{'transformer.reduce_scatter' op expected parts of 5 of 9 for 2 ranks, but got 4}}
  %0 = transformer.reduce_scatter %x over<2> dim(0) : tensor<9x4xf16> to tensor<4x4xf16>
  return
}

// -----

func.func @own_rows_of_another_rank(%x: tensor<8x4xf16>) {
  // expected-error @below {{'transformer.own_rows' op expected a result of the input's rank and element type, but got 'tensor<4xf16>' of 'tensor<8x4xf16>'}}
  %0 = transformer.own_rows %x over<2> dim(0) : tensor<8x4xf16> to tensor<4xf16>
  return
}

// -----

func.func @own_rows_of_another_type(%x: tensor<8x4xf16>) {
  // expected-error @below {{'transformer.own_rows' op expected a result of the input's rank and element type, but got 'tensor<4x4xf32>' of 'tensor<8x4xf16>'}}
  %0 = transformer.own_rows %x over<2> dim(0) : tensor<8x4xf16> to tensor<4x4xf32>
  return
}

// -----

func.func @own_rows_of_other_features(%x: tensor<8x4xf16>) {
  // expected-error @below {{'transformer.own_rows' op expected sizes that differ in dimension 0 only, but got 'tensor<8x4xf16>' and 'tensor<4x2xf16>'}}
  %0 = transformer.own_rows %x over<2> dim(0) : tensor<8x4xf16> to tensor<4x2xf16>
  return
}

// -----

func.func @own_rows_of_no_dimension(%x: tensor<8x4xf16>) {
  // expected-error @below {{'transformer.own_rows' op expected 'dim' below 2, but got 7}}
  %0 = transformer.own_rows %x over<2> dim(7) : tensor<8x4xf16> to tensor<4x4xf16>
  return
}

// -----

func.func @gather_of_tokens_with_other_features(%x: tensor<8x4xf16>) {
  // expected-error @below {{'transformer.all_gather' op expected sizes that differ in dimension 0 only, but got 'tensor<8x4xf16>' and 'tensor<16x9xf16>'}}
  %0 = transformer.all_gather %x over<2> dim(0) : tensor<8x4xf16> to tensor<16x9xf16>
  return
}

// -----

func.func @own_features_of_other_parts(%x: tensor<8x4xf16>) {
  // expected-error @below {{'transformer.own_features' op expected parts of 2 of 4 for 2 ranks, but got 1}}
  %0 = transformer.own_features %x over<2> dim(1) : tensor<8x4xf16> to tensor<8x1xf16>
  return
}

// -----

func.func @sum_of_another_type(%x: tensor<8x4xf16>) {
  // expected-error @below {{'transformer.all_reduce' op requires the same type for all operands and results}}
  %0 = "transformer.all_reduce"(%x) {ranks = #transformer.ranks<2>} : (tensor<8x4xf16>) -> tensor<8x4xf32>
  return
}
