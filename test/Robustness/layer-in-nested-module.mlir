// RUN: tc-opt %s --verify-diagnostics

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
