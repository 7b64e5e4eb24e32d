// RUN: tc-opt %s --ascend-schedule -o %t.mlir
// RUN: tensorcast report %t.mlir --format=chrome-trace > %t.json
// RUN: FileCheck %s --match-full-lines --input-file %t.json
// RUN: %python %S/check_trace.py %t.json | FileCheck %s --check-prefix=VALID
// RUN: tensorcast report %s --format chrome-trace | FileCheck %s --check-prefix=ONE

// Tracks are streams; layers are around their kernels on each. Names are those
// of a layer's call, and may be anything. The second layer starts when the
// exchange of the first has ended, and its kernel that runs twice is one event.

// CHECK:      {"displayTimeUnit":"ms",
// CHECK-NEXT: "otherData":{"device":"any","num_devices":1,"cost_model":"tensorcast-2026.08","kernel_set":"","execution_time_s":1.3{{[0-9]*}}e-05,"kernel_time_s":1.3{{[0-9]*}}e-05},
// CHECK-NEXT: "traceEvents":[
// CHECK-NEXT: {"name":"process_name","ph":"M","pid":0,"tid":0,"args":{"name":"a \"tiny\" model"}},
// CHECK-NEXT: {"name":"thread_name","ph":"M","pid":0,"tid":0,"args":{"name":"compute"}},
// CHECK-NEXT: {"name":"thread_name","ph":"M","pid":0,"tid":1,"args":{"name":"communication"}},
// CHECK-NEXT: {"ph":"X","pid":0,"tid":0,"ts":0.000,"dur":1.000,"cat":"kernel","name":"start \"\\","args":{"inputs":"f16[4]","outputs":"f16[4]","bound":"memory","time_s":1e-06,"cube_s":0.0,"vector_s":0.0,"memory_s":1e-06,"communication_s":0.0,"launch_s":0.0,"provenance":"embed"}},
// CHECK-NEXT: {"ph":"X","pid":0,"tid":0,"ts":1.000,"dur":4.500,"cat":"layer","name":"model.layers.0","args":{"function":"layer"}},
// CHECK-NEXT: {"ph":"X","pid":0,"tid":0,"ts":1.000,"dur":4.500,"cat":"kernel","name":"k","args":{"inputs":"f16[4]","outputs":"f16[4]; i8[2,3]","bound":"cube","time_s":2.25e-06,"cube_s":2e-06,"vector_s":0.0,"memory_s":0.0,"communication_s":0.0,"launch_s":2.5e-07,"starts":2,"reference_name":"some.k","provenance":"model.layers.0.mlp"}},
// CHECK-NEXT: {"ph":"X","pid":0,"tid":1,"ts":5.500,"dur":1.500,"cat":"layer","name":"model.layers.0","args":{"function":"layer"}},
// CHECK-NEXT: {"ph":"X","pid":0,"tid":1,"ts":5.500,"dur":1.500,"cat":"kernel","name":"all_reduce","args":{{.*}}}},
// CHECK-NEXT: {"ph":"X","pid":0,"tid":0,"ts":7.000,"dur":4.500,"cat":"layer","name":"model.layers.17","args":{"function":"layer"}},
// CHECK-NEXT: {"ph":"X","pid":0,"tid":0,"ts":7.000,"dur":4.500,"cat":"kernel","name":"k","args":{{.*}},"provenance":"model.layers.17.mlp"}},
// CHECK-NEXT: {"ph":"X","pid":0,"tid":1,"ts":11.500,"dur":1.500,"cat":"layer",{{.*}}},
// CHECK-NEXT: {"ph":"X","pid":0,"tid":1,"ts":11.500,"dur":1.500,"cat":"kernel",{{.*}}}}
// CHECK-NEXT: ]}
// VALID: 5 kernels, 4 layers, end 13.000 us

// Without slots there is one track.
// ONE-NOT: communication"}
// ONE-NOT: "tid":1

module attributes {
    transformer.model = #transformer.model<"a \"tiny\" model", dtype = f16>,
    ascend.cost_model = "tensorcast-2026.08", ascend.device = #ascend.device<{
    name = "any", cube_ops_per_s = {f16 = 1.0e12}, vector_ops_per_s = {f16 = 1.0e9},
    compute_efficiency = 0.5, memory_bytes = 1000000, memory_bandwidth_bytes_per_s = 1.0e9, memory_efficiency = 0.5,
    launch_cost_s = {cube = 0.0, vector = 0.0, collective = 0.0}, interconnect = []}>} {
  func.func private @layer(%x: tensor<4xf16>) -> tensor<4xf16> {
    %0:2 = ascend.launch "k"(%x) times(2) from("model.layers.*.mlp") as("some.k")
        cost <time = 2.25e-6, cube = 2.0e-6, launch = 0.25e-6> : (tensor<4xf16>) -> (tensor<4xf16>, tensor<2x3xi8>)
    %1 = ascend.launch "unused"(%0#0) times(0) cost <time = 1.0> : (tensor<4xf16>) -> tensor<4xf16>
    %2 = ascend.launch "all_reduce"(%1) cost <time = 1.5e-6, communication = 1.5e-6> : (tensor<4xf16>) -> tensor<4xf16>
        { ascend.collective all_reduce bytes(8) over<2> }
    return %2 : tensor<4xf16>
  }
  func.func @main(%x: tensor<4xf16>) -> tensor<4xf16> {
    %0 = ascend.launch "start \22\5C"(%x) from("embed") cost <time = 1.0e-6, memory = 1.0e-6> : (tensor<4xf16>) -> tensor<4xf16>
    %1 = transformer.layer @layer(%0) name("model.layers.0") : (tensor<4xf16>) -> tensor<4xf16>
    %2 = transformer.layer @layer(%1) name("model.layers.17") : (tensor<4xf16>) -> tensor<4xf16>
    return %2 : tensor<4xf16>
  }
}
