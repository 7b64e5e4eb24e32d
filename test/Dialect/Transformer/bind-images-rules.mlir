// How models cut images of other sizes.

// RUN: tc-opt %s --transformer-bind-workload="queries=1 query-length=1 image-batch-size=1 image-height=1080 image-width=1920" | FileCheck %s --check-prefix=HD
// RUN: tc-opt %s --transformer-bind-workload="queries=1 query-length=1 image-batch-size=1 image-height=48 image-width=80" | FileCheck %s --check-prefix=TIE
// RUN: tc-opt %s --transformer-bind-workload="queries=1 query-length=1 image-batch-size=1 image-height=1 image-width=1" | FileCheck %s --check-prefix=TINY
// RUN: tc-opt %s --transformer-bind-workload="queries=1 query-length=1 image-batch-size=1 image-height=10000 image-width=5000" | FileCheck %s --check-prefix=LARGE
// RUN: not tc-opt %s --transformer-bind-workload="queries=1 query-length=1 image-batch-size=1 image-height=0 image-width=80" 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not tc-opt %s --transformer-bind-workload="queries=1 query-length=1 image-batch-size=1 image-height=80 image-width=100000" 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not tc-opt %s --transformer-bind-workload="queries=1 query-length=1 image-batch-size=-1 image-height=80 image-width=80" 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not tc-opt %s --transformer-bind-workload="queries=1 query-length=1 image-height=80 image-width=80" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tc-opt %s --transformer-bind-workload="queries=1 query-length=1 image-batch-size=1025 image-height=80 image-width=80" 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not tc-opt %s --transformer-bind-workload="queries=1 query-length=1 image-batch-size=1 image-height=80 image-width=16001" 2>&1 | FileCheck %s --check-prefix=THIN
// RUN: not tc-opt %s --transformer-bind-workload="queries=1 query-length=1" 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not tc-opt %s --transformer-bind-workload="queries=1 query-length=1 decode image-batch-size=1 image-height=80 image-width=80" 2>&1 | FileCheck %s --check-prefix=DECODE

// 33.75 and 60 cells of 32 pixels.
// HD: images = <count = 1, rows = 34, columns = 60, tokens = 2042>

// 1.5 and 2.5 cells both become 2; so few pixels are scaled up to 65536.
// TIE: images = <count = 1, rows = 7, columns = 11, tokens = 79>
// TINY: images = <count = 1, rows = 8, columns = 8, tokens = 66>

// Scaled down to 16777216 pixels.
// LARGE: images = <count = 1, rows = 181, columns = 90, tokens = 16292>

// ZERO: error: expected 'image-height' from 1 to 32768, but got 0
// WIDE: error: expected 'image-width' from 1 to 32768, but got 100000
// NEGATIVE: error: expected 'image-batch-size' from 1 to 1024, but got -1
// NONE: error: expected 'image-batch-size' from 1 to 1024, but got 0
// MANY: error: expected 'image-batch-size' from 1 to 1024, but got 1025
// THIN: error: expected an image at most 200 times as long as it is wide, but got 80 x 16001 pixels
// TEXT: error: expected images in a prefill step, as the model has a vision tower, but got none
// TEXT: note: import the model without --images for steps that look at none
// DECODE: error: expected images in a prefill step, as the model has a vision tower, but got a decode step
module attributes {transformer.assumes = [#transformer.expr<images>],
    transformer.images = #transformer.image_rule<cut = nearest,
    patch = 16, merge = 2, min_pixels = 65536, max_pixels = 16777216, markers = 2>} {
  func.func private @model()
}
