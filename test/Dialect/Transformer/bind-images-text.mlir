// RUN: not tc-opt %s --transformer-bind-workload="queries=1 query-length=1 image-batch-size=1 image-height=80 image-width=80" 2>&1 | FileCheck %s

// CHECK: error: expected a model that sees images, to give it 1, but its config describes text alone
module {
  func.func private @text()
}
