// A grid of tiles that is most like the image, and the whole in small.

// RUN: tc-opt %s --transformer-bind-workload="queries=1 query-length=1 image-batch-size=1 image-height=448 image-width=448" | FileCheck %s --check-prefix=ONE
// RUN: tc-opt %s --transformer-bind-workload="queries=1 query-length=1 image-batch-size=1 image-height=896 image-width=896" | FileCheck %s --check-prefix=SQUARE
// RUN: tc-opt %s --transformer-bind-workload="queries=1 query-length=1 image-batch-size=2 image-height=1080 image-width=1920" | FileCheck %s --check-prefix=HD

// ONE: images = <count = 1, rows = 16, columns = 16, tokens = 258>
// SQUARE: images = <count = 5, rows = 16, columns = 16, tokens = 1282>

// Of 16 by 9, the grids of 2 by 1 and of 4 by 2 are nearest; the image would fill
// more than half of the larger one. Two images of 8 tiles and the whole.
// HD: images = <count = 18, rows = 16, columns = 16, tokens = 4612>
module attributes {transformer.assumes = [#transformer.expr<images>],
    transformer.images = #transformer.image_rule<cut = tiles,
    patch = 14, merge = 2, tile = 448, max_tiles = 12, markers = 2>} {
  func.func private @model()
}
