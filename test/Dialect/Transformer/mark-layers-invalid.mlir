// RUN: not tc-opt %s --transformer-mark-layers="disable=fuse-nrom" 2>&1 | FileCheck %s --check-prefix=FUSION
// FUSION: tc-opt: error: unknown fusion 'fuse-nrom'; did you mean 'fuse-norm'? known fusions: apply-patterns, fuse-attention, fuse-attention.
// RUN: not tc-opt %s --transformer-mark-layers="disable=residual@model.layers.1" 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: tc-opt: error: unknown fusion 'residual'; did you mean 'fuse-norm.residual'?
// RUN: not tc-opt %s --transformer-mark-layers="disable=@model.layers.1" 2>&1 | FileCheck %s --check-prefix=NAMELESS
// NAMELESS: tc-opt: error: unknown fusion ''; known fusions:
// RUN: not tc-opt %s --transformer-mark-layers="disable=fuse-norm@model.layer.1" 2>&1 | FileCheck %s --check-prefix=LAYER
// LAYER: {{.*}}mark-layers-invalid.mlir:{{.*}}: error: unknown layer 'model.layer.1'; did you mean 'model.layers.1'? known layers: model.layers.0, model.layers.1{{$}}
// RUN: not tc-opt %s --transformer-mark-layers="disable=fuse-norm@" 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: error: unknown layer ''; known layers: model.layers.0, model.layers.1{{$}}
// RUN: not tc-opt %s --transformer-mark-layers="disable=fuse-norm@a[" 2>&1 | FileCheck %s --check-prefix=GLOB
// GLOB: tc-opt: error: expected names of layers behind '@', but got 'a[': invalid glob pattern, unmatched '['
// RUN: not tc-opt %s --transformer-mark-layers="disable=fuse-norm patterns=missing.pdll" 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: tc-opt: error: cannot read the pattern file 'missing.pdll'

func.func private @layer()
func.func @main() {
  transformer.layer @layer() name("model.layers.0") : () -> ()
  transformer.layer @layer() name("model.layers.1") : () -> ()
  return
}
