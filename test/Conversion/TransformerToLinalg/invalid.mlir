// RUN: tc-opt %s --split-input-file --verify-diagnostics \
// RUN:   --convert-transformer-to-linalg

// expected-error @below {{expected types of known sizes, but got 'tensor<?x4xf16>'; run transformer-bind-workload first}}
func.func @unbound_argument(%x: tensor<?x4xf16>) -> tensor<?x4xf16> {
  return %x : tensor<?x4xf16>
}

// -----

// expected-error @below {{expected types of known sizes, but got '!transformer.batch'; run transformer-bind-workload first}}
func.func @unbound_batch(%batch: !transformer.batch) {
  return
}

// -----

func.func @cache_without_workload() {
  // expected-error @below {{expected types of known sizes, but got '!transformer.kv_cache<2x2x4xf16, block_size = 128>'; run transformer-bind-workload first}}
  %cache = transformer.kv_cache "self_attn" : <2x2x4xf16, block_size = 128>
  return
}

// -----

func.func private @layer(%x: tensor<4xf16>) -> tensor<4xf16> {
  return %x : tensor<4xf16>
}
func.func @layers(%x: tensor<4xf16>) -> tensor<4xf16> {
  // expected-error @below {{expected no layers, but got 'layers.0'; run transformer-inline-layers first}}
  %0 = transformer.layer @layer(%x) name("layers.0") : (tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

#workload = #transformer.workload<queries = 2, query_length = 3>

// Everything that cannot be executed is listed at once, each with its reason.
func.func @rows_of_another_batch(%x: tensor<5x2x4xf16>, %y: tensor<6x2x4xf16>,
    %batch: !transformer.batch<#workload>) -> tensor<5x2x4xf16> {
  %cache = transformer.kv_cache "self_attn" : <2x2x4xf16, block_size = 128>
  // expected-error @below {{cannot be executed: it has 5 rows, but the batch has 6 new tokens}}
  %full = transformer.append_cache %x, %x to %cache of %batch
      : tensor<5x2x4xf16>, <2x2x4xf16, block_size = 128>, !transformer.batch<#workload>
  // expected-error @below {{cannot be executed: it has 5 rows, but the batch has 6 new tokens}}
  %a = transformer.attention %x, %full of %batch scale(0.5)
      : tensor<5x2x4xf16>, <2x2x4xf16, block_size = 128>, !transformer.batch<#workload>
  return %a : tensor<5x2x4xf16>
}

// -----

#workload = #transformer.workload<queries = 2, query_length = 3>

func.func @table_of_another_batch(%x: tensor<5x2x4xf16>, %rope: !transformer.rope_table<4xf16>,
    %batch: !transformer.batch<#workload>) -> tensor<5x2x4xf16> {
  // expected-error @below {{cannot be executed: its table has 6 rows, not 5}}
  %0 = transformer.rope %x, %rope : tensor<5x2x4xf16>, !transformer.rope_table<4xf16>
  return %0 : tensor<5x2x4xf16>
}

// -----

#workload = #transformer.workload<queries = 2, query_length = 3>

func.func @forked_cache(%x: tensor<6x2x4xf16>, %batch: !transformer.batch<#workload>) {
  %cache = transformer.kv_cache "self_attn" : <2x2x4xf16, block_size = 128>
  %a = transformer.append_cache %x, %x to %cache of %batch
      : tensor<6x2x4xf16>, <2x2x4xf16, block_size = 128>, !transformer.batch<#workload>
  // expected-error @below {{expected each state of cache 'self_attn' to be written once, but a second write starts from the same state}}
  %b = transformer.append_cache %x, %x to %cache of %batch
      : tensor<6x2x4xf16>, <2x2x4xf16, block_size = 128>, !transformer.batch<#workload>
  return
}

// -----

func.func @another_dialect(%x: tensor<4xf16>) {
  // expected-error @below {{cannot be executed: no rule says what it computes}}
  ascend.launch "copy"(%x) : (tensor<4xf16>) -> () {
  }
  return
}

// -----

// expected-error @below {{expected one block, but got 2}}
func.func @blocks() {
  return
^next:
  return
}

// -----

func.func @sum_over_devices(%x: tensor<2x4xf16>, %w: tensor<4x4xf16>) -> tensor<2x4xf16> {
  // expected-error @below {{cannot be executed: it sums over 2 devices, and only one is run}}
  %0 = transformer.linear %x, %w all_reduce <2> : tensor<2x4xf16>, tensor<4x4xf16> -> tensor<2x4xf16>
  return %0 : tensor<2x4xf16>
}

// -----

func.func private @called(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @call(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{cannot be executed: calls are not followed; inline them first}}
  %0 = call @called(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @experts_elsewhere(%x: tensor<6x4xf32>, %y: tensor<4x4xf32>, %i: tensor<3x2xi64>,
                             %w: tensor<2x8x4xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{cannot be executed: it sends rows between 2 devices, and only one is run}}
  %0 = transformer.dispatch_tokens %x by %i placement<experts = 4, devices = 2> : tensor<6x4xf32>, tensor<3x2xi64> -> tensor<8x4xf32>
  // expected-error @below {{cannot be executed: it has 4 rows, but its ids are 6 choices}}
  %2 = transformer.grouped_linear %y, %w by %i placement<experts = 4, devices = 2> : tensor<4x4xf32>, tensor<2x8x4xf32>, tensor<3x2xi64> -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// -----

func.func private @stage(tensor<4xf32>) -> tensor<4xf32>
func.func @stages(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'transformer.stage' op expected no stages, but got one; run transformer-join-stages first}}
  %0 = transformer.stage @stage(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
