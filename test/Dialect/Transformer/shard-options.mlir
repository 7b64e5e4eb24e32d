// RUN: tc-opt %s --transformer-shard --mlir-print-local-scope | FileCheck %s --check-prefixes=WHOLE,NO-PLAN
// RUN: tc-opt %s --transformer-shard="devices=1 tp=1" --mlir-print-local-scope | FileCheck %s --check-prefixes=WHOLE,NO-PLAN
// RUN: tc-opt %s --transformer-shard="dp=3" --mlir-print-local-scope | FileCheck %s --check-prefixes=WHOLE,REPLICAS
// RUN: tc-opt %s --transformer-shard="devices=3" --mlir-print-local-scope | FileCheck %s --check-prefixes=WHOLE,REPLICAS
// NO-PLAN-NOT: transformer.plan
// REPLICAS: transformer.plan = #transformer.plan<devices = 3, data_parallel = 3>
// WHOLE-LABEL: func @model
// WHOLE-NOT:     over <
// WHOLE:         transformer.weight "o.weight" sharding <row, output> : tensor<32x32xf16>
// WHOLE-NOT:     over <
// WHOLE:         transformer.weight "lm_head.weight" sharding <column, head> : tensor<256x32xf16>
// WHOLE-NOT:     over <

// Of 8 devices, 2 share each layer, and 4 groups of them the requests.
// RUN: tc-opt %s --transformer-shard="devices=8 tp=2" --mlir-print-local-scope | FileCheck %s --check-prefix=GROUPS
// RUN: tc-opt %s --transformer-shard="tp=2 dp=4" --mlir-print-local-scope | FileCheck %s --check-prefix=GROUPS
// RUN: tc-opt %s --transformer-shard="devices=8 tp=2 dp=4" --mlir-print-local-scope | FileCheck %s --check-prefix=GROUPS
// GROUPS: transformer.plan = #transformer.plan<devices = 8, data_parallel = 4>
// GROUPS: transformer.all_reduce {{.*}} over <2>
// GROUPS: transformer.all_gather {{.*}} over <2> dim(1) : tensor<?x128xf16,

// A layer in a group of another size: the 2 that share the tokens' heads give
// each other the features, and each of the 4 works on half of the tokens of the
// two groups; at the end the two have their tokens again.
// RUN: tc-opt %s --transformer-shard="devices=4 tp=2 o-proj-tp=4" --mlir-print-local-scope | FileCheck %s --check-prefix=OUTPUT
// OUTPUT:      %[[WO:.*]] = transformer.weight "o.weight" sharding <row, output> : tensor<32x8xf16>
// OUTPUT-NEXT: %[[A:.*]] = transformer.all_gather %{{.*}} over <2> dim(1) : tensor<?x16xf16, #transformer.dims<tokens>> to tensor<?x32xf16, #transformer.dims<tokens>>
// OUTPUT-NEXT: %[[B:.*]] = transformer.own_rows %[[A]] over <2> dim(0) : {{.*}} to tensor<?x32xf16, #transformer.dims<ceildiv(tokens, 2)>>
// OUTPUT-NEXT: %[[C:.*]] = transformer.all_gather %[[B]] over <4> dim(0) : {{.*}} to tensor<?x32xf16, #transformer.dims<4 * ceildiv(tokens, 2)>>
// OUTPUT-NEXT: %[[D:.*]] = transformer.own_features %[[C]] over <4> dim(1) : {{.*}} to tensor<?x8xf16, #transformer.dims<4 * ceildiv(tokens, 2)>>
// OUTPUT-NEXT: %[[E:.*]] = transformer.linear %[[D]], %[[WO]] : {{.*}} -> tensor<?x32xf16, #transformer.dims<4 * ceildiv(tokens, 2)>>
// OUTPUT-NEXT: %[[F:.*]] = transformer.all_reduce %[[E]] over <4>
// OUTPUT-NEXT: %[[G:.*]] = transformer.own_rows %[[F]] over <4> dim(0)
// OUTPUT-NEXT: %[[H:.*]] = transformer.all_gather %[[G]] over <2> dim(0) : {{.*}} to tensor<?x32xf16, #transformer.dims<tokens>>
// The other layers are split over 2.
// OUTPUT:      transformer.weight "up.weight" sharding <column, mlp> : tensor<24x32xf16>
// OUTPUT-NEXT: transformer.linear %[[H]],
// OUTPUT:      transformer.all_reduce {{.*}} over <2>

// Every device has all of the output layer: features are gathered, nothing is
// summed.
// RUN: tc-opt %s --transformer-shard="tp=2 o-proj-tp=1" --mlir-print-local-scope | FileCheck %s --check-prefix=OUTPUT-ONE
// OUTPUT-ONE:      %[[WO:.*]] = transformer.weight "o.weight" sharding <row, output> : tensor<32x32xf16>
// OUTPUT-ONE-NEXT: %[[A:.*]] = transformer.all_gather %{{.*}} over <2> dim(1)
// OUTPUT-ONE-NEXT: %[[O:.*]] = transformer.linear %[[A]], %[[WO]]
// OUTPUT-ONE-NEXT: transformer.weight "up.weight"
// OUTPUT-ONE-NEXT: transformer.linear %[[O]],

// RUN: tc-opt %s --transformer-shard="devices=4 tp=2 mlp-tp=4" --mlir-print-local-scope | FileCheck %s --check-prefix=MLP
// MLP:      transformer.weight "o.weight" sharding <row, output> : tensor<32x16xf16>
// MLP:      %[[O:.*]] = transformer.all_reduce {{.*}} over <2>
// MLP:      %[[WU:.*]] = transformer.weight "up.weight" sharding <column, mlp> : tensor<12x32xf16>
// MLP-NEXT: %[[A:.*]] = transformer.own_rows %[[O]] over <2> dim(0)
// MLP-NEXT: %[[B:.*]] = transformer.all_gather %[[A]] over <4> dim(0)
// MLP-NEXT: %[[C:.*]] = transformer.linear %[[B]], %[[WU]] {{.*}} -> tensor<?x12xf16, #transformer.dims<4 * ceildiv(tokens, 2)>>
// MLP-NEXT: %[[D:.*]] = transformer.all_gather %[[C]] over <4> dim(1) : {{.*}} to tensor<?x48xf16,
// MLP-NEXT: %[[E:.*]] = transformer.own_rows %[[D]] over <4> dim(0)
// MLP-NEXT: %[[F:.*]] = transformer.all_gather %[[E]] over <2> dim(0) : {{.*}} to tensor<?x48xf16, #transformer.dims<tokens>>
// MLP-NEXT: transformer.silu %[[F]] : tensor<?x48xf16, #transformer.dims<tokens>>
// MLP:      transformer.weight "down.weight" sharding <row, mlp> : tensor<32x12xf16>
// MLP:      transformer.own_features {{.*}} over <4> dim(1) : {{.*}} to tensor<?x12xf16,
// MLP:      transformer.all_reduce {{.*}} over <4>

// RUN: tc-opt %s --transformer-shard="devices=4 tp=2 mlp-tp=1" --mlir-print-local-scope | FileCheck %s --check-prefix=MLP-ONE
// MLP-ONE:     transformer.all_reduce
// MLP-ONE:     transformer.weight "up.weight" sharding <column, mlp> : tensor<48x32xf16>
// MLP-ONE-NOT: transformer.all_
// MLP-ONE:     transformer.weight "down.weight" sharding <row, mlp> : tensor<32x48xf16>
// MLP-ONE-NEXT: transformer.linear
// MLP-ONE-NEXT: transformer.weight "lm_head.weight"

// RUN: tc-opt %s --transformer-shard="devices=4 tp=2 lmhead-tp=4" --mlir-print-local-scope | FileCheck %s --check-prefix=HEAD
// HEAD:      transformer.weight "lm_head.weight" sharding <column, head> : tensor<64x32xf16>
// HEAD-NEXT: transformer.own_rows {{.*}} over <2> dim(0)
// HEAD-NEXT: transformer.all_gather {{.*}} over <4> dim(0)
// HEAD-NEXT: transformer.linear
// HEAD-NEXT: transformer.all_gather {{.*}} over <4> dim(1) : {{.*}} to tensor<?x256xf16,
// HEAD-NEXT: transformer.own_rows {{.*}} over <4> dim(0)
// HEAD-NEXT: transformer.all_gather {{.*}} over <2> dim(0) : {{.*}} to tensor<?x256xf16, #transformer.dims<tokens>>

// RUN: tc-opt %s --transformer-shard="tp=2 lmhead-tp=1" --mlir-print-local-scope | FileCheck %s --check-prefix=HEAD-ONE
// HEAD-ONE:      transformer.weight "lm_head.weight" sharding <column, head> : tensor<256x32xf16>
// HEAD-ONE-NEXT: transformer.linear
// HEAD-ONE-NEXT: return

// Each device looks up its part of the features.
// RUN: tc-opt %s --transformer-shard="tp=2 word-embedding-tp=col" --mlir-print-local-scope | FileCheck %s --check-prefix=COLUMNS
// COLUMNS:      transformer.weight "embed.weight" : tensor<256x16xf16>
// COLUMNS-NEXT: %[[PART:.*]] = transformer.embedding {{.*}} -> tensor<?x16xf16, #transformer.dims<tokens>>
// COLUMNS-NEXT: transformer.all_gather %[[PART]] over <2> dim(1) : {{.*}} to tensor<?x32xf16, #transformer.dims<tokens>>
// RUN: tc-opt %s --transformer-shard="word-embedding-tp=col" --mlir-print-local-scope | FileCheck %s --check-prefix=WHOLE

// Or its part of the words, and zeros for the others.
// RUN: tc-opt %s --transformer-shard="tp=2 word-embedding-tp=row" --mlir-print-local-scope | FileCheck %s --check-prefix=ROWS
// ROWS:      transformer.weight "embed.weight" : tensor<128x32xf16>
// ROWS-NEXT: %[[PART:.*]] = transformer.embedding %{{.*}}, %{{.*}} first_row(0) : {{.*}} -> tensor<?x32xf16, #transformer.dims<tokens>>
// ROWS-NEXT: transformer.all_reduce %[[PART]] over <2> : tensor<?x32xf16, #transformer.dims<tokens>>
// RUN: tc-opt %s --transformer-shard="word-embedding-tp=row" --mlir-print-local-scope | FileCheck %s --check-prefix=WHOLE

// Without tensor parallelism, a group's devices have whole tokens: they give them
// to each other, and each takes its own back.
// RUN: tc-opt %s --transformer-shard="devices=4 mlp-tp=4 lmhead-tp=2" --mlir-print-local-scope | FileCheck %s --check-prefix=SPREAD
// SPREAD:      transformer.plan = #transformer.plan<devices = 4, data_parallel = 4, mlp = 4, head = 2>
// SPREAD:      transformer.weight "o.weight" sharding <row, output> : tensor<32x32xf16>
// SPREAD-NEXT: %[[O:.*]] = transformer.linear
// SPREAD-NEXT: transformer.weight "up.weight" sharding <column, mlp> : tensor<12x32xf16>
// SPREAD-NEXT: %[[A:.*]] = transformer.all_gather %[[O]] over <4> dim(0) : {{.*}} to tensor<?x32xf16, #transformer.dims<4 * tokens>>
// SPREAD-NEXT: transformer.linear %[[A]],
// SPREAD-NEXT: transformer.all_gather {{.*}} over <4> dim(1)
// SPREAD-NEXT: %[[OWN:.*]] = transformer.own_rows {{.*}} over <4> dim(0) : {{.*}} to tensor<?x48xf16, #transformer.dims<tokens>>
// SPREAD-NEXT: transformer.silu %[[OWN]]
// SPREAD:      transformer.weight "lm_head.weight" sharding <column, head> : tensor<128x32xf16>
// SPREAD:      transformer.own_rows {{.*}} to tensor<?x256xf16, #transformer.dims<tokens>>
// SPREAD-NEXT: return

#tokens = #transformer.dims<tokens>

func.func @model(%ids: tensor<?xi64, #tokens>) -> tensor<?x256xf16, #tokens> {
  %t = transformer.weight "embed.weight" : tensor<256x32xf16>
  %x = transformer.embedding %ids, %t : tensor<?xi64, #tokens>, tensor<256x32xf16> -> tensor<?x32xf16, #tokens>
  %wv = transformer.weight "v.weight" sharding<column, tensor, unit = 8> : tensor<32x32xf16>
  %v = transformer.linear %x, %wv : tensor<?x32xf16, #tokens>, tensor<32x32xf16> -> tensor<?x32xf16, #tokens>
  %wo = transformer.weight "o.weight" sharding<row, output> : tensor<32x32xf16>
  %o = transformer.linear %v, %wo : tensor<?x32xf16, #tokens>, tensor<32x32xf16> -> tensor<?x32xf16, #tokens>
  %wu = transformer.weight "up.weight" sharding<column, mlp> : tensor<48x32xf16>
  %u = transformer.linear %o, %wu : tensor<?x32xf16, #tokens>, tensor<48x32xf16> -> tensor<?x48xf16, #tokens>
  %act = transformer.silu %u : tensor<?x48xf16, #tokens>
  %wd = transformer.weight "down.weight" sharding<row, mlp> : tensor<32x48xf16>
  %d = transformer.linear %act, %wd : tensor<?x48xf16, #tokens>, tensor<32x48xf16> -> tensor<?x32xf16, #tokens>
  %w = transformer.weight "lm_head.weight" sharding<column, head> : tensor<256x32xf16>
  %l = transformer.linear %d, %w : tensor<?x32xf16, #tokens>, tensor<256x32xf16> -> tensor<?x256xf16, #tokens>
  return %l : tensor<?x256xf16, #tokens>
}
