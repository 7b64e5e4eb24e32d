// RUN: tc-opt %s --split-input-file --transformer-bind-workload="queries=2 query-length=100 image-batch-size=1 image-height=1024 image-width=1024" \
// RUN:   | FileCheck %s
// RUN: tc-opt %s --split-input-file --transformer-bind-workload="queries=2 query-length=100 context-length=7 image-batch-size=3 image-height=480 image-width=640" \
// RUN:   | FileCheck %s --check-prefix=THREE
// RUN: tc-opt %s --split-input-file --transformer-bind-workload="queries=2 query-length=100 image-batch-size=1 image-height=1024 image-width=1024 prefix-cache-hit-rate=0.5" \
// RUN:   | FileCheck %s --check-prefix=HIT

// Tokens of images are part of the query: one per cell, and two markers.

// 1024 pixels are 32 cells of 32.
// CHECK: #transformer.workload<queries = 2, query_length = 100, images = <count = 1, rows = 32, columns = 32, tokens = 1026>>
// CHECK: images = #transformer.expr<2>
// CHECK-SAME: patches = #transformer.expr<8192>
// CHECK-SAME: tokens = #transformer.expr<2252>
// CHECK-SAME: tokens_in_context = #transformer.expr<2252>

// THREE: images = <count = 3, rows = 15, columns = 20, tokens = 906>
// THREE: images = #transformer.expr<6>
// THREE-SAME: patches = #transformer.expr<7200>
// THREE-SAME: tokens = #transformer.expr<2012>
// THREE-SAME: tokens_in_context = #transformer.expr<2026>

// A prefix cache may hold some of them; the images are looked at all the same.
// HIT: images = #transformer.expr<2>
// HIT-SAME: tokens = #transformer.expr<1126>
// HIT-SAME: tokens_in_context = #transformer.expr<2252>
module attributes {transformer.assumes = [#transformer.expr<images>],
    transformer.images = #transformer.image_rule<cut = nearest,
    patch = 16, merge = 2, min_pixels = 65536, max_pixels = 16777216, markers = 2>} {
  func.func private @model() attributes {
    test.images = #transformer.expr<images>,
    test.patches = #transformer.expr<4 * images * image_rows * image_columns>,
    test.tokens = #transformer.expr<tokens>,
    test.tokens_in_context = #transformer.expr<sum(kv)>}
}
