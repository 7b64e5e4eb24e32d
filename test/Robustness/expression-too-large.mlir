// Expressions are kept in a normal form; what would take long to bring there,
// or leave the range of a double, is refused.

// RUN: split-file %s %t
// RUN: %python %t/repeat.py 2000 "tokens + " | not tc-opt 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FACTORS
// RUN: %python %t/repeat.py 40 "tokens * " | not tc-opt 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PRODUCT
// RUN: %python %t/repeat.py 30 "1000000000000 * 1000000000000 * " \
// RUN:   | not tc-opt 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not tc-opt %t/dims.mlir 2>&1 | FileCheck %s --check-prefix=DIMS
// RUN: not tc-opt %t/empty.mlir 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not tc-opt %t/work.mlir 2>&1 | FileCheck %s --check-prefix=WORK

// FACTORS: error: {{.*}}expected an expression of at most 1024 numbers, symbols and functions
// PRODUCT: error: {{.*}}expected a product of at most 32 symbols and functions
// RANGE: error: {{.*}}expected coefficients within the range of a double
// DIMS: error: expected sizes whose product has at most 256 terms
// EMPTY: error: expected a dynamic dimension, but got none to say the size of
// WORK: error: 'ascend.matmul' op expected expressions whose product has at most 4096 terms

//--- repeat.py
import sys

print('"ascend.launch"() ({ "ascend.scatter"() {rows = #transformer.expr<'
      + sys.argv[2] * int(sys.argv[1]) + "1>} : () -> () }) : () -> ()")

//--- dims.mlir
#seven = #transformer.dims<1 + tokens + sequences + decode + max(kv) + max(q) + sum(kv),
                           1 + tokens + sequences + decode + max(kv) + max(q) + sum(kv),
                           1 + tokens + sequences + decode + max(kv) + max(q) + sum(kv)>
func.func private @f(tensor<?x?x?xf16, #seven>)

//--- empty.mlir
func.func private @f(tensor<4xf16, #transformer.dims<>>)

//--- work.mlir
ascend.launch "k"() : () -> () {
  ascend.matmul
    m((tokens + sequences + decode + 1) * (max(q) + max(kv) + sum(kv) + 1))
    n((tokens + sequences + decode + 1) * (max(q) + max(kv) + sum(kv) + 1))
    k((tokens + sequences + decode + 1) * (max(q) + max(kv) + sum(kv) + 1) + log2(tokens)) : f16
}
