// RUN: tc-opt %s --transformer-bind-workload="queries=7 query-length=3" | FileCheck %s

#tokens = #transformer.dims<tokens>

// 2 groups of devices share 7 requests: the first has 4 of them, with 12 tokens.
// CHECK: #workload = #transformer.workload<queries = 7, query_length = 3, data_parallel = 2>
// CHECK: module attributes {transformer.plan = #transformer.plan<devices = 8, data_parallel = 2>, transformer.workload = #workload}
// CHECK: func private @f(tensor<12xf16>)
module attributes {transformer.plan = #transformer.plan<devices = 8, data_parallel = 2>} {
  func.func private @f(tensor<?xf16, #tokens>)
}
