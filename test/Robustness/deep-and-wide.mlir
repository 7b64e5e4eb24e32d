// Reports of modules that are deep or wide beyond any model end at once.

// RUN: split-file %s %t
// RUN: %python %t/chain.py | not tensorcast report --device TEST_DEVICE 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CHAIN
// RUN: %python %t/views.py | tensorcast report --device TEST_DEVICE \
// RUN:   | FileCheck %s --check-prefix=VIEWS

// CHAIN: error: expected layers that call layers at most 256 deep, but @layer_256 is deeper
// VIEWS: activations 0.000 GB

//--- chain.py
n = 20000
for i in range(n):
    call = f'transformer.layer @layer_{i + 1}() name("a") : () -> ()'
    print(f"func.func private @layer_{i}() {{ {call if i + 1 < n else ''} return }}")
print("func.func @main() {")
print('  ascend.launch "k"() : () -> () { ascend.matmul m(8) n(8) k(8) : f16 }')
print("  return\n}")

//--- views.py
print("func.func @main(%v0: tensor<4xf16>) {")
for i in range(64):
    print(f"%v{i + 1} = ascend.view %v{i}, %v{i}"
          " : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>")
print('  ascend.launch "k"(%v64) : (tensor<4xf16>) -> ()')
print("  return\n}")
