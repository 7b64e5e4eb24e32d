// RUN: tc-opt %s --verify-diagnostics --transformer-dedup-layers
// RUN: tc-opt %s --verify-diagnostics --transformer-inline-layers
// RUN: tc-opt %s --verify-diagnostics --transformer-specialize-layers

module {
  module @inner {
    func.func private @layer()
    func.func @main() {
      // expected-error @+1 {{expected a layer of the outermost module, but it is in a module within another}}
      transformer.layer @layer() name("layers.0") : () -> ()
      return
    }
  }
}
