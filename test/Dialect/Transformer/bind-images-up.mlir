// Sides are rounded up to cells of 28 pixels; beyond 16384 patches, the image is
// scaled down.

// RUN: tc-opt %s --transformer-bind-workload="queries=1 query-length=1 image-batch-size=1 image-height=1080 image-width=1920" | FileCheck %s --check-prefix=HD
// RUN: tc-opt %s --transformer-bind-workload="queries=1 query-length=1 image-batch-size=1 image-height=1 image-width=1" | FileCheck %s --check-prefix=TINY
// RUN: tc-opt %s --transformer-bind-workload="queries=1 query-length=1 image-batch-size=1 image-height=3584 image-width=3584" | FileCheck %s --check-prefix=LARGE

// HD: images = <count = 1, rows = 39, columns = 69, tokens = 2693>
// TINY: images = <count = 1, rows = 1, columns = 1, tokens = 3>
// LARGE: images = <count = 1, rows = 64, columns = 64, tokens = 4098>
module attributes {transformer.assumes = [#transformer.expr<images>],
    transformer.images = #transformer.image_rule<cut = up,
    patch = 14, merge = 2, max_pixels = 3211264, markers = 2>} {
  func.func private @model()
}
