// RUN: tc-opt %s --split-input-file --transformer-specialize-layers="layers=model.layers.1" \
// RUN:   | FileCheck %s --check-prefixes=CHECK,ONE
// RUN: tc-opt %s --split-input-file --transformer-specialize-layers="layers=model.layers.2,model.layers.0" \
// RUN:   | FileCheck %s --check-prefixes=CHECK,TWO
// RUN: tc-opt %s --split-input-file --transformer-specialize-layers \
// RUN:   | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: tc-opt %s --split-input-file --transformer-specialize-layers --transformer-dedup-layers \
// RUN:   | FileCheck %s --check-prefixes=CHECK,INVERSE

// CHECK-LABEL: module @three_layers_of_one_function

// The copy computes the same; layers that are not named keep theirs.
// ONE:         func.func private @layer(%[[X:.*]]: tensor<2x8xf16>)
// ONE-NEXT:      %[[Y:.*]] = transformer.neg %[[X]]
// ONE-NEXT:      return %[[Y]]
// ONE:         func.func private @[[COPY:.*]](%[[X:.*]]: tensor<2x8xf16>)
// ONE-NEXT:      %[[Y:.*]] = transformer.neg %[[X]]
// ONE-NEXT:      return %[[Y]]
// ONE-NOT:     func private
// ONE:         transformer.layer @layer(%{{.*}}) name("model.layers.0")
// ONE:         transformer.layer @[[COPY]](%{{.*}}) name("model.layers.1")
// ONE:         transformer.layer @layer(%{{.*}}) name("model.layers.2")

// The order in which the option names layers does not matter.
// TWO:         transformer.layer @[[A:layer_.*]](%{{.*}}) name("model.layers.0")
// TWO:         transformer.layer @layer(%{{.*}}) name("model.layers.1")
// TWO-NOT:     transformer.layer @[[A]](
// TWO:         transformer.layer @layer_{{.*}}(%{{.*}}) name("model.layers.2")

// The last layer has the function to itself and needs no copy.
// ALL-COUNT-3: func.func private
// ALL-NOT:     func.func private
// ALL:         transformer.layer @[[A:.*]](%{{.*}}) name("model.layers.0")
// ALL-NOT:     transformer.layer @[[A]](
// ALL:         transformer.layer @[[B:.*]](%{{.*}}) name("model.layers.1")
// ALL-NOT:     transformer.layer @[[A]](
// ALL-NOT:     transformer.layer @[[B]](
// ALL:         transformer.layer @{{.*}}(%{{.*}}) name("model.layers.2")

// INVERSE-COUNT-1: func.func private
// INVERSE-NOT: func.func private
// INVERSE:     transformer.layer @[[A:.*]](%{{.*}}) name("model.layers.0")
// INVERSE:     transformer.layer @[[A]](%{{.*}}) name("model.layers.1")
// INVERSE:     transformer.layer @[[A]](%{{.*}}) name("model.layers.2")

module @three_layers_of_one_function {
  func.func private @layer(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
    %0 = transformer.neg %x : tensor<2x8xf16>
    return %0 : tensor<2x8xf16>
  }
  func.func @main(%x: tensor<2x8xf16>) {
    %0 = transformer.layer @layer(%x) name("model.layers.0") : (tensor<2x8xf16>) -> tensor<2x8xf16>
    %1 = transformer.layer @layer(%0) name("model.layers.1") : (tensor<2x8xf16>) -> tensor<2x8xf16>
    %2 = transformer.layer @layer(%1) name("model.layers.2") : (tensor<2x8xf16>) -> tensor<2x8xf16>
    return
  }
}

// -----

// CHECK-LABEL: module @layers_with_functions_of_their_own
// CHECK-COUNT-3: func.func private
// CHECK-NOT:     func.func private
// CHECK:         transformer.layer @a(
// CHECK:         transformer.layer @b(
// CHECK:         transformer.layer @layer_0(
module @layers_with_functions_of_their_own {
  func.func private @a(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
    return %x : tensor<2x8xf16>
  }
  func.func private @b(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
    %0 = transformer.neg %x : tensor<2x8xf16>
    return %0 : tensor<2x8xf16>
  }
  func.func private @layer_0(%x: tensor<2x8xf16>) -> tensor<2x8xf16> {
    %0 = transformer.silu %x : tensor<2x8xf16>
    return %0 : tensor<2x8xf16>
  }
  func.func @main(%x: tensor<2x8xf16>) {
    %0 = transformer.layer @a(%x) name("model.layers.0") : (tensor<2x8xf16>) -> tensor<2x8xf16>
    %1 = transformer.layer @b(%0) name("model.layers.1") : (tensor<2x8xf16>) -> tensor<2x8xf16>
    %2 = transformer.layer @layer_0(%1) name("model.layers.2") : (tensor<2x8xf16>) -> tensor<2x8xf16>
    return
  }
}
