// Names come from files, and may hold anything.

// RUN: tensorcast report %s --format csv | FileCheck %s --check-prefix=CSV
// RUN: tensorcast report %s --format json | %python -c "import json, sys; print(ascii([op['name'] for op in json.load(sys.stdin)['ops']]))" \
// RUN:   | FileCheck %s --check-prefix=JSON
// RUN: tensorcast report %s | FileCheck %s --check-prefix=TABLE

// Cells are quoted as RFC 4180 says.
// CSV:      name,reference_name,
// CSV-NEXT: "a,b","say ""x""",1,4.0,4.0,
// CSV-NEXT: "two
// CSV-NEXT: lines",,1,3.0,3.0,
// CSV-NEXT: plain,,1,2.0,2.0,

// What is no UTF-8 is replaced, so that the text can be read.
// JSON: ['a,b', 'two\nlines', 'plain', 'not\ufffdtext']

// TABLE: a,b {{ *}}say "x" {{ *}}1 {{ *}}4.000 s

module attributes {ascend.device = #ascend.device<{
    name = "d", cube_ops_per_s = {f16 = 2.0e12}, vector_ops_per_s = {f16 = 2.0e9},
    compute_efficiency = 0.5, memory_bytes = 1000, memory_bandwidth_bytes_per_s = 2.0e9,
    memory_efficiency = 0.5, launch_cost_s = {cube = 5.0e-6, vector = 2.0e-6, collective = 0.0},
    interconnect = []}>} {
  func.func @main() {
    ascend.launch "a,b"() as("say \22x\22") cost <time = 4.0> : () -> ()
    ascend.launch "two\0Alines"() cost <time = 3.0> : () -> ()
    ascend.launch "plain"() cost <time = 2.0> : () -> ()
    ascend.launch "not\FFtext"() cost <time = 1.0> : () -> ()
    return
  }
}
