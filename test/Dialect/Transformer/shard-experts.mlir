// Experts over devices: who gets which tokens, and what is exchanged.

// RUN: tc-opt %s --transformer-shard="devices=4 ep=4" --mlir-print-local-scope | FileCheck %s --check-prefix=ALONE
// RUN: tc-opt %s --transformer-shard="devices=4 tp=2 ep=4" --mlir-print-local-scope | FileCheck %s --check-prefix=SLICED
// RUN: tc-opt %s --transformer-shard="devices=4 tp=2 ep=2" --mlir-print-local-scope | FileCheck %s --check-prefix=MATRICES
// RUN: tc-opt %s --transformer-shard="devices=4 tp=1" --mlir-print-local-scope | FileCheck %s --check-prefix=GATHERED
// RUN: tc-opt %s --transformer-shard="devices=4 tp=4 ep=4 shared-expert-tp" --mlir-print-local-scope | FileCheck %s --check-prefix=SHARED
// RUN: tc-opt %s --transformer-shard="devices=4 ep=4 redundant-experts" --mlir-print-local-scope | FileCheck %s --check-prefix=COPIES
// RUN: tc-opt %s --transformer-shard="devices=1" --mlir-print-local-scope | FileCheck %s --check-prefix=WHOLE
// RUN: not tc-opt %s --transformer-shard="devices=3 ep=3" 2>&1 | FileCheck %s --check-prefix=UNEVEN

// As many devices with experts as groups with tokens: nothing is divided.
// ALONE: transformer.plan = #transformer.plan<devices = 4, data_parallel = 4, expert_parallel = 4>
// ALONE: transformer.weight "experts.up" sharding <column, expert> : tensor<2x6x16xf16>
// ALONE-NOT: spread_tokens
// ALONE: transformer.permute_tokens %{{.*}} -> tensor<?x16xf16, #transformer.dims<2 * tokens>>
// ALONE: transformer.dispatch_tokens %{{.*}} placement<experts = 8, devices = 4>
// ALONE: transformer.grouped_linear {{.*}} placement<experts = 8, devices = 4>
// ALONE: transformer.return_tokens
// ALONE: transformer.combine_tokens
// ALONE-NOT: collect_tokens

// Tokens that a tensor-parallel group shares are divided among it, padded.
// SLICED: transformer.pad_rows %{{.*}} multiple(2) : tensor<?x16xf16, #transformer.dims<tokens>> to tensor<?x16xf16, #transformer.dims<2 * ceildiv(tokens, 2)>>
// SLICED: transformer.own_rows %{{.*}} over <2> dim(0) {{.*}} to tensor<?x16xf16, #transformer.dims<ceildiv(tokens, 2)>>
// SLICED: transformer.permute_tokens {{.*}} -> tensor<?x16xf16, #transformer.dims<2 * ceildiv(tokens, 2)>>
// SLICED: transformer.all_gather %{{.*}} over <2> dim(0) : {{.*}} to tensor<?x16xf16, #transformer.dims<tokens>>

// The rest of the devices shares the matrices: columns, then rows and a sum.
// MATRICES: #transformer.plan<devices = 4, data_parallel = 2, expert_parallel = 2, expert_tensor = 2>
// MATRICES: transformer.weight "experts.up" sharding <column, expert> : tensor<4x3x16xf16>
// MATRICES: transformer.dispatch_tokens {{.*}} placement<experts = 8, devices = 2, step = 2>
// MATRICES: transformer.weight "experts.down" sharding <row, expert> : tensor<4x16x3xf16>
// MATRICES: transformer.grouped_linear
// MATRICES-NEXT: transformer.all_reduce %{{.*}} over <2>

// Without expert parallelism, groups gather their tokens.
// GATHERED: transformer.all_gather %{{.*}} over <4> dim(0) : {{.*}} to tensor<?x16xf16, #transformer.dims<4 * tokens>>
// GATHERED-NOT: dispatch_tokens
// GATHERED: transformer.all_reduce %{{.*}} over <4>
// GATHERED: transformer.own_rows %{{.*}} over <4> dim(0) : tensor<?x16xf16, #transformer.dims<4 * tokens>> to tensor<?x16xf16, #transformer.dims<tokens>>

// A shared expert that is split works on all tokens, behind the gather.
// SHARED: transformer.weight "shared.down" sharding <row, shared_expert> : tensor<16x2xf16>
// SHARED: transformer.all_gather %{{.*}} over <4> dim(0)
// SHARED: transformer.add

// COPIES: transformer.weight "experts.up" sharding <column, expert> : tensor<3x6x16xf16>
// COPIES: placement<experts = 12, devices = 4>

// WHOLE-NOT: transformer.plan
// WHOLE: transformer.spread_tokens
// WHOLE: placement<experts = 8>

// UNEVEN: error: 'transformer.grouped_linear' op expected 'ep' to divide the 8 experts, but got 3

#tokens = #transformer.dims<tokens>
#rows = #transformer.dims<2 * tokens>

func.func private @layer(%x: tensor<?x16xf16, #tokens>, %logits: tensor<?x8xf32, #tokens>) -> tensor<?x16xf16, #tokens> {
  %mine = transformer.spread_tokens %x : tensor<?x16xf16, #tokens>
  %scores = transformer.spread_tokens %logits : tensor<?x8xf32, #tokens>
  %weights, %ids = transformer.select_experts %scores top_k(2) score(softmax) normalize
      : tensor<?x8xf32, #tokens> -> tensor<?x2xf16, #tokens>, tensor<?x2xi64, #tokens>
  %up = transformer.weight "experts.up" sharding<column, expert> : tensor<8x6x16xf16>
  %rows = transformer.permute_tokens %mine by %ids
      : tensor<?x16xf16, #tokens>, tensor<?x2xi64, #tokens> -> tensor<?x16xf16, #rows>
  %0 = transformer.grouped_linear %rows, %up by %ids placement<experts = 8>
      : tensor<?x16xf16, #rows>, tensor<8x6x16xf16>, tensor<?x2xi64, #tokens> -> tensor<?x6xf16, #rows>
  %1 = transformer.silu %0 : tensor<?x6xf16, #rows>
  %down = transformer.weight "experts.down" sharding<row, expert> : tensor<8x16x6xf16>
  %2 = transformer.grouped_linear %1, %down by %ids placement<experts = 8>
      : tensor<?x6xf16, #rows>, tensor<8x16x6xf16>, tensor<?x2xi64, #tokens> -> tensor<?x16xf16, #rows>
  %3 = transformer.combine_tokens %2, %weights by %ids
      : tensor<?x16xf16, #rows>, tensor<?x2xf16, #tokens>, tensor<?x2xi64, #tokens> -> tensor<?x16xf16, #tokens>
  %shared_up = transformer.weight "shared.up" sharding<column, shared_expert> : tensor<8x16xf16>
  %shared_down = transformer.weight "shared.down" sharding<row, shared_expert> : tensor<16x8xf16>
  %4 = transformer.linear %mine, %shared_up : tensor<?x16xf16, #tokens>, tensor<8x16xf16> -> tensor<?x8xf16, #tokens>
  %5 = transformer.silu %4 : tensor<?x8xf16, #tokens>
  %6 = transformer.linear %5, %shared_down : tensor<?x8xf16, #tokens>, tensor<16x8xf16> -> tensor<?x16xf16, #tokens>
  %7 = transformer.add %3, %6 : tensor<?x16xf16, #tokens>, tensor<?x16xf16, #tokens>
  %8 = transformer.collect_tokens %7 : tensor<?x16xf16, #tokens>
  return %8 : tensor<?x16xf16, #tokens>
}
