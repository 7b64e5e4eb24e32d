// RUN: tc-opt %s --split-input-file --verify-diagnostics

func.func @more_choices_than_elements(%x: tensor<7x8xf32>) {
  // expected-error @below {{expected 'count' of at most the 8 elements of a row, but got 9}}
  %0, %1 = transformer.top_k %x count(9) : tensor<7x8xf32>
  return
}

// -----

func.func @rows_that_differ(%x: tensor<7x8xf32>, %i: tensor<6x2xi64>) {
  // expected-error @below {{expected input and indices that differ in the last size only, but got 'tensor<7x8xf32>' and 'tensor<6x2xi64>'}}
  %0 = transformer.take %x by %i : tensor<7x8xf32>, tensor<6x2xi64>
  return
}

// -----

func.func @groups_that_do_not_divide(%x: tensor<7x8xf32>, %i: tensor<7x2xi64>) {
  // expected-error @below {{expected 'groups' to divide 8 scores, but got 3}}
  %0 = transformer.mask_groups %x by %i groups(3) : tensor<7x8xf32>, tensor<7x2xi64>
  return
}

// -----

func.func @a_dimension_too_many(%x: tensor<7x8xf32>) {
  // expected-error @below {{expected 'dim' below 2, but got 2}}
  %0 = transformer.sum %x dim(2) : tensor<7x8xf32>
  return
}

// -----

func.func @more_experts_than_there_are(%x: tensor<7x8xf32>) {
  // expected-error @below {{expected 'top_k' of at most the 8 experts, but got 9}}
  %0, %1 = transformer.select_experts %x top_k(9) score(softmax)
      : tensor<7x8xf32> -> tensor<7x9xf16>, tensor<7x9xi64>
  return
}

// -----

func.func @more_experts_than_in_groups(%x: tensor<7x8xf32>) {
  // expected-error @below {{expected 'top_k' of at most the 2 experts of 1 groups, but got 3}}
  %0, %1 = transformer.select_experts %x top_k(3) score(sigmoid) groups(1 of 4)
      : tensor<7x8xf32> -> tensor<7x3xf16>, tensor<7x3xi64>
  return
}

// -----

func.func @more_groups_than_there_are(%x: tensor<7x8xf32>) {
  // expected-error @below {{expected at most 2 groups to choose from, but got 4}}
  %0, %1 = transformer.select_experts %x top_k(2) score(sigmoid) groups(4 of 2)
      : tensor<7x8xf32> -> tensor<7x2xf16>, tensor<7x2xi64>
  return
}

// -----

func.func @a_bias_of_another_size(%x: tensor<7x8xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{expected dimension 0 of 'bias' to be 8, but got 4}}
  %0, %1 = transformer.select_experts %x bias(%b : tensor<4xf32>) top_k(2) score(sigmoid)
      : tensor<7x8xf32> -> tensor<7x2xf16>, tensor<7x2xi64>
  return
}

// -----

func.func @rows_of_other_choices(%x: tensor<7x16xf16>, %ids: tensor<7x2xi64>) {
  // expected-error @below {{expected a row per choice, 14, but got 13}}
  %0 = transformer.permute_tokens %x by %ids : tensor<7x16xf16>, tensor<7x2xi64> -> tensor<13x16xf16>
  return
}

// -----

func.func @choices_of_other_tokens(%x: tensor<6x16xf16>, %ids: tensor<7x2xi64>) {
  // expected-error @below {{expected dimension 0 of 'ids' to be 6, but got 7}}
  %0 = transformer.permute_tokens %x by %ids : tensor<6x16xf16>, tensor<7x2xi64> -> tensor<14x16xf16>
  return
}

// -----

func.func @rows_of_other_experts(%rows: tensor<14x16xf16>, %ids: tensor<7x2xi64>) {
  // expected-error @below {{expected 16 rows for the experts of a device, but got 14}}
  %0 = transformer.dispatch_tokens %rows by %ids placement<experts = 8, devices = 2>
      : tensor<14x16xf16>, tensor<7x2xi64> -> tensor<14x16xf16>
  return
}

// -----

func.func @a_stack_of_another_device(%rows: tensor<14x16xf16>, %w: tensor<8x4x16xf16>, %ids: tensor<7x2xi64>) {
  // expected-error @below {{expected dimension 0 of 'weight' to be 4, but got 8}}
  %0 = transformer.grouped_linear %rows, %w by %ids placement<experts = 8, devices = 2>
      : tensor<14x16xf16>, tensor<8x4x16xf16>, tensor<7x2xi64> -> tensor<14x4xf16>
  return
}

// -----

func.func @a_gate_without_its_half(%rows: tensor<14x16xf16>, %w: tensor<8x5x16xf16>, %ids: tensor<7x2xi64>) {
  // expected-error @below {{expected a gate as wide as what it gates, but got 5 outputs}}
  %0 = transformer.grouped_linear %rows, %w by %ids placement<experts = 8> swiglu
      : tensor<14x16xf16>, tensor<8x5x16xf16>, tensor<7x2xi64> -> tensor<14x2xf16>
  return
}

// -----

func.func @bytes_without_a_scale(%rows: tensor<14x16xi8>, %w: tensor<8x4x16xi8>, %s: tensor<f32>, %ids: tensor<7x2xi64>) {
  // expected-error @below {{expected a scale for an input of 'i8'}}
  %0 = transformer.quantized_grouped_linear %rows, %w by %ids placement<experts = 8> weight_scale(%s : tensor<f32>)
      : tensor<14x16xi8>, tensor<8x4x16xi8>, tensor<7x2xi64> -> tensor<14x4xf16>
  return
}

// -----

// expected-error @below {{expected 'experts' from 1 to 2147483648, but got 0}}
#none = #transformer.placement<experts = 0>

// -----

// expected-error @below {{expected 'shared' of 0 to 1 of the 2 devices, but got 2}}
#only_shared = #transformer.placement<experts = 8, devices = 2, shared = 2>

// -----

// expected-error @below {{expected 'shared' devices, one of which 'holds_shared' could mean}}
#holds_nothing = #transformer.placement<experts = 8, devices = 2, holds_shared = true>

// -----

func.func @a_row_too_few(%x: tensor<7x16xf16>) {
  // expected-error @below {{expected dimension 0 of 'result' to be 8, but got 7}}
  %0 = transformer.pad_rows %x multiple(4) : tensor<7x16xf16> to tensor<7x16xf16>
  return
}

// -----

func.func @tokens_of_other_requests(%logits: tensor<4x64xf16>,
    %batch: !transformer.batch<#transformer.workload<queries = 4, query_length = 2>>) {
  // expected-error @below {{expected dimension 0 of 'result' to be 4, but got 3}}
  %0 = transformer.sample_tokens %logits of %batch
      : tensor<4x64xf16>, !transformer.batch<#transformer.workload<queries = 4, query_length = 2>> -> tensor<3xi64>
  return
}

// -----

func.func @no_room(%x: tensor<8xf16>) {
  // expected-error @below {{attribute 'spare' failed to satisfy constraint}}
  %0 = transformer.kv_cache "self_attn" spare(0) : !transformer.kv_cache<2x8x128xf16, block_size = 128>
  return
}
