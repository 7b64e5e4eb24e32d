// RUN: not tc-opt %s --transformer-shard="tp=3 devices=8" 2>&1 | FileCheck %s --check-prefix=TP
// RUN: not tc-opt %s --transformer-shard="tp=2 devices=1" 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: not tc-opt %s --transformer-shard="tp=2 dp=2 devices=8" 2>&1 | FileCheck %s --check-prefix=DP
// RUN: not tc-opt %s --transformer-shard="dp=3 devices=8" 2>&1 | FileCheck %s --check-prefix=DP-ALONE
// RUN: not tc-opt %s --transformer-shard="devices=8 o-proj-tp=3" 2>&1 | FileCheck %s --check-prefix=OUTPUT
// RUN: not tc-opt %s --transformer-shard="devices=8 mlp-tp=16" 2>&1 | FileCheck %s --check-prefix=MLP
// RUN: not tc-opt %s --transformer-shard="devices=8 lmhead-tp=5" 2>&1 | FileCheck %s --check-prefix=HEAD
// RUN: not tc-opt %s --transformer-shard="devices=6 tp=2 mlp-tp=3" 2>&1 | FileCheck %s --check-prefix=NEST
// RUN: not tc-opt %s --transformer-shard="tp=-2" 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not tc-opt %s --transformer-shard="devices=1048577" 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not tc-opt %s --transformer-shard="word-embedding-tp=column" 2>&1 | FileCheck %s --check-prefix=SPLIT
// RUN: not tc-opt %s --transformer-shard="tp=two" 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not tc-opt %s --transformer-shard="hearing-tp=2" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tc-opt %s --transformer-shard="tp=2 vision-tp=4" 2>&1 | FileCheck %s --check-prefix=VISION
// RUN: not tc-opt %s --transformer-shard="tp=6 vision-tp=4" 2>&1 | FileCheck %s --check-prefix=VISION
// RUN: not tc-opt %s --transformer-shard="vision-tp=-1" 2>&1 | FileCheck %s --check-prefix=VISION-NEGATIVE
// RUN: not tc-opt %s --transformer-shard="devices=8 ep=3" 2>&1 | FileCheck %s --check-prefix=EP
// RUN: not tc-opt %s --transformer-shard="devices=8 ep=4 moe-dp=4" 2>&1 | FileCheck %s --check-prefix=MOE-DP
// RUN: not tc-opt %s --transformer-shard="devices=8 ep=4 moe-tp=4" 2>&1 | FileCheck %s --check-prefix=MOE-TP
// RUN: not tc-opt %s --transformer-shard="devices=8 redundant-experts" 2>&1 | FileCheck %s --check-prefix=REDUNDANT
// RUN: not tc-opt %s --transformer-shard="devices=8 shared-expert-tp" 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: not tc-opt %s --transformer-shard="devices=8 ep=8 host-external-shared-experts" 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: not tc-opt %s --transformer-shard="devices=8 ep=8 external-shared-experts shared-expert-tp" 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not tc-opt %s --transformer-shard="tp=4 dcp=3" 2>&1 | FileCheck %s --check-prefix=DCP
// RUN: not tc-opt %s --transformer-shard="dcp=2" 2>&1 | FileCheck %s --check-prefix=DCP-ALONE
// RUN: not tc-opt %s --transformer-shard="tp=4 dcp=-1" 2>&1 | FileCheck %s --check-prefix=DCP-NEGATIVE
// RUN: not tc-opt %s --transformer-shard="tp=2" --transformer-shard="tp=2" 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not tc-opt %s --transformer-bind-workload="queries=1 query-length=7" --transformer-shard="tp=2" 2>&1 | FileCheck %s --check-prefix=TWICE

// TP: error: expected 'tp' to divide 8 devices, but got 3
// FEW: error: expected 'tp' to divide 1 devices, but got 2
// DP: error: expected 'tp' * 'dp' to be 8 devices, but got 2 * 2
// DP-ALONE: error: expected 'tp' * 'dp' to be 8 devices, but got 1 * 3
// OUTPUT: error: expected 'o-proj-tp' to divide 8 devices, but got 3
// MLP: error: expected 'mlp-tp' to divide 8 devices, but got 16
// DCP: error: expected 'dcp' to divide 'tp' 4, whose devices share the cached tokens, but got 3
// DCP-ALONE: error: expected 'dcp' to divide 'tp' 1, whose devices share the cached tokens, but got 2
// DCP-NEGATIVE: error: expected 'dcp' from 1 to 1048576, but got -1
// HEAD: error: expected 'lmhead-tp' to divide 8 devices, but got 5
// NEST: error: expected groups that nest: 'mlp-tp' to divide 'tp' or to be a multiple of it, but got 3 and 2
// NEGATIVE: error: expected 'tp' from 1 to 1048576, but got -2
// MANY: error: expected 'devices' from 1 to 1048576, but got 1048577
// SPLIT: error: unknown word-embedding-tp 'column'; known word-embedding-tps: col, none, row
// NUMBER: 'two' value invalid for long argument
// UNKNOWN: no such option hearing-tp
// VISION: error: expected 'vision-tp' to divide 'tp' of {{[26]}}, but got 4
// VISION-NEGATIVE: error: expected 'vision-tp' from 1 to 1048576, but got -1
// EP: error: expected 'ep' to divide 8 devices, but got 3
// MOE-DP: error: expected 'ep' * 'moe-dp' to divide 8 devices, but got 4 * 4
// MOE-TP: error: expected 'ep' * 'moe-tp' * 'moe-dp' to be 8 devices, but got 4 * 4 * 1
// REDUNDANT: error: expected 'ep' of at least 2 with 'redundant-experts', but got 1
// SHARED: error: expected 'ep' of at least 2 with 'shared-expert-tp', but got 1
// HOST: error: expected 'external-shared-experts' with 'host-external-shared-experts', but it is off
// BOTH: error: expected 'shared-expert-tp' or 'external-shared-experts', but got both
// TWICE: error: expected a module that is not sharded or bound yet

func.func @f() {
  %w = transformer.weight "w.weight" : tensor<8x8xf16>
  return
}
