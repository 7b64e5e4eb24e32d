// RUN: not tc-opt %s --ascend-estimate="device=TEST_DEVISE" 2>&1 | FileCheck %s --check-prefix=NEAR
// RUN: not tc-opt %s --ascend-estimate="device=H100" 2>&1 | FileCheck %s --check-prefix=FAR
// RUN: not tc-opt %s --ascend-estimate="device=%t/none.json" 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: echo '{"name": "half", "memory_bytes": 1000, "interconnect": []}' > %t.json
// RUN: not tc-opt %s --ascend-estimate="device=%t.json" 2>&1 | FileCheck %s --check-prefix=KEYS
// RUN: echo '{"name": "half", ' > %t.half.json
// RUN: not tc-opt %s --ascend-estimate="device=%t.half.json" 2>&1 | FileCheck %s --check-prefix=TRUNCATED
// RUN: not tc-opt %s --ascend-estimate="default-device=TEST_DEVISE" 2>&1 | FileCheck %s --check-prefix=NEAR
// RUN: not tc-opt %s --ascend-estimate="device=TEST_DEVICE cost-model=roofline" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MODEL
// RUN: not tc-opt %s --ascend-estimate="device=TEST_DEVICE reserved-memory-gb=-1" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RESERVED
// RUN: not tc-opt %s --ascend-estimate="device=TEST_DEVICE reserved-memory-gb=1e30" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RESERVED
// RUN: not tc-opt %s --ascend-estimate="device=TEST_DEVICE reserved-memory-gb=nan" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RESERVED

// NEAR: error: unknown device 'TEST_DEVISE'; did you mean 'TEST_DEVICE'? known devices:{{.*}} ATLAS_800_A2_376T_64G,{{.*}} TEST_DEVICE (or the path of a .json file)
// FAR: error: unknown device 'H100'; known devices:
// FILE: error: {{.*}}none.json{{.*}}: No such file or directory
// KEYS: error: {{.*}}.json: expected keys 'cube_ops_per_s', 'vector_ops_per_s', 'compute_efficiency', 'memory_bandwidth_bytes_per_s', 'memory_efficiency', 'launch_cost_s', but they are missing
// TRUNCATED: half.json:{{[12]}}:{{.*}}error:
// MODEL: error: unknown cost model 'roofline'; known cost models: tensorcast-2026.06, tensorcast-2026.08
// RESERVED: error: expected 'reserved-memory-gb' from 0 to 1000000, but got

module {}
