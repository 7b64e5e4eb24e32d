// RUN: tc-opt %s --transformer-split-stages | FileCheck %s --check-prefix=NONE
// RUN: tc-opt %s --transformer-split-stages=stages=1 | FileCheck %s --check-prefix=NONE
// RUN: tc-opt %s --transformer-split-stages=stages=2 | FileCheck %s --check-prefix=TWO
// RUN: tc-opt %s --transformer-shard=pp=2 --transformer-split-stages | FileCheck %s --check-prefix=TWO
// RUN: tc-opt %s --transformer-shard="tp=3 pp=2" --transformer-split-stages | FileCheck %s --check-prefix=SHARDED
// RUN: tc-opt %s --transformer-shard="tp=3 pp=2" --transformer-split-stages=stages=2 | FileCheck %s --check-prefix=SHARDED
// RUN: tc-opt %s --transformer-shard=tp=2 --transformer-split-stages | FileCheck %s --check-prefix=NONE
// RUN: not tc-opt %s --transformer-split-stages=stages=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not tc-opt %s --transformer-split-stages=stages=1048577 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not tc-opt %s --transformer-shard="tp=2" --transformer-split-stages=stages=2 2>&1 | FileCheck %s --check-prefix=PLAN
// RUN: not tc-opt %s --transformer-shard="tp=2 pp=3" --transformer-split-stages 2>&1 | FileCheck %s --check-prefix=LAYERS
// RUN: not tc-opt %s --transformer-shard="pp=-2" 2>&1 | FileCheck %s --check-prefix=SHARD-NEGATIVE
// RUN: not tc-opt %s --transformer-shard="devices=6 pp=4" 2>&1 | FileCheck %s --check-prefix=UNEVEN
// RUN: not tc-opt %s --transformer-shard="devices=8 tp=4 pp=4" 2>&1 | FileCheck %s --check-prefix=TP
// RUN: not tc-opt %s --transformer-shard="devices=8 tp=2 dp=2 pp=4" 2>&1 | FileCheck %s --check-prefix=DP
// RUN: not tc-opt %s --transformer-shard="devices=8 pp=4 ep=4" 2>&1 | FileCheck %s --check-prefix=EP
// RUN: not tc-opt %s --transformer-shard="devices=8 pp=4 mlp-tp=8" 2>&1 | FileCheck %s --check-prefix=MLP
// RUN: not tc-opt %s --transformer-shard="tp=1024 dp=1048576 pp=4" 2>&1 | FileCheck %s --check-prefix=DEVICES

// NONE-NOT: transformer.stage
// NONE-NOT: pipeline_parallel

// TWO: #transformer.plan<devices = 2, data_parallel = 1, pipeline_parallel = 2>
// TWO: transformer.send_receive %{{.*}} from(0) to(1)

// SHARDED: #transformer.plan<devices = 6, data_parallel = 1, pipeline_parallel = 2>
// SHARDED: transformer.send_receive %{{.*}} from(0) to(3)

// NEGATIVE: error: expected 'stages' from 1 to 1048576, or 0 for those of the plan, but got -1
// MANY: error: expected 'stages' from 1 to 1048576, or 0 for those of the plan, but got 1048577
// PLAN: error: expected the 1 stages of the module's plan, but got 2
// LAYERS: error: {{.*}}expected at most as many stages as the 2 layers, but got 3
// SHARD-NEGATIVE: error: expected 'pp' from 1 to 1048576, but got -2
// UNEVEN: error: expected 'pp' to divide 6 devices, but got 4
// TP: error: expected 'tp' to divide 2 devices of a stage, but got 4
// DP: error: expected 'tp' * 'dp' to be 2 devices of a stage, but got 2 * 2
// EP: error: expected 'ep' to divide 2 devices of a stage, but got 4
// MLP: error: expected 'mlp-tp' to divide 2 devices of a stage, but got 8
// DEVICES: error: expected at most 2147483648 devices, but got 4294967296

func.func private @layer(%x: tensor<3x8xf16>) -> tensor<3x8xf16> {
  return %x : tensor<3x8xf16>
}
func.func @main(%x: tensor<3x8xf16>) -> tensor<3x8xf16> {
  %0 = transformer.layer @layer(%x) name("layers.0") : (tensor<3x8xf16>) -> tensor<3x8xf16>
  %1 = transformer.layer @layer(%0) name("layers.1") : (tensor<3x8xf16>) -> tensor<3x8xf16>
  return %1 : tensor<3x8xf16>
}
