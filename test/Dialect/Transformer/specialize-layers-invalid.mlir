// RUN: tc-opt %s --split-input-file --verify-diagnostics \
// RUN:   --transformer-specialize-layers="layers=model.layers.0,model.layer.1"

// expected-error @below {{unknown layer 'model.layer.1'; did you mean 'model.layers.1'? known layers: model.layers.0, model.layers.1}}
module @unknown_layer {
  func.func private @layer()
  func.func @main() {
    transformer.layer @layer() name("model.layers.0") : () -> ()
    transformer.layer @layer() name("model.layers.1") : () -> ()
    return
  }
}

// -----

// expected-error @below {{unknown layer 'model.layers.0'}}
module @no_layers {}
