// RUN: tc-opt %s --transformer-bind-workload="queries=2 query-length=1 context-length=50 decode image-batch-size=1 image-height=1024 image-width=1024" \
// RUN:   | FileCheck %s
// RUN: not tc-opt %s --transformer-bind-workload="queries=2 query-length=1 image-batch-size=1 image-height=1024 image-width=1024" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PREFILL

// In a decode step, what was seen is in the cache.
// CHECK: images = #transformer.expr<0>
// CHECK-SAME: tokens = #transformer.expr<2>
// CHECK-SAME: tokens_in_context = #transformer.expr<2154>

// PREFILL: error: expected a vision tower, as the workload has images, but got a model without one
// PREFILL: note: import the model with --images
module attributes {transformer.images = #transformer.image_rule<cut = nearest,
    patch = 16, merge = 2, min_pixels = 65536, max_pixels = 16777216, markers = 2>} {
  func.func private @text() attributes {
    test.images = #transformer.expr<images>,
    test.tokens = #transformer.expr<tokens>,
    test.tokens_in_context = #transformer.expr<sum(kv)>}
}
