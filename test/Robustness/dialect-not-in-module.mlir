// Passes bring the dialects of what they add to a module that has no op of
// them yet.

// RUN: tc-opt %s --transformer-bind-workload="queries=2 query-length=7" \
// RUN:   | FileCheck %s --check-prefix=BIND
// RUN: tc-opt %s --ascend-estimate=device=TEST_DEVICE \
// RUN:   | FileCheck %s --check-prefix=ESTIMATE
// RUN: tc-opt %s --transformer-decompose=ops=rms_norm \
// RUN:   | FileCheck %s --check-prefix=DECOMPOSE
// RUN: tc-opt %s --transformer-shard=tp=2 \
// RUN:   | FileCheck %s --check-prefix=SHARD

// SHARD: transformer.plan = #transformer.plan<devices = 2, data_parallel = 1>
// BIND: transformer.workload = #workload
// DECOMPOSE: func.func @main()
// ESTIMATE: ascend.device = #device
func.func @main() {
  return
}
