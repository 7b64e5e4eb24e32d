// RUN: tc-opt %s --split-input-file --verify-diagnostics

// Text of any size ends in an error, and soon.
// RUN: %python -c "n = 900; print('#e = #transformer.expr<' + '(' * n + '1' + ')' * n + '>')" \
// RUN:   | not tc-opt 2>&1 | FileCheck %s --check-prefix=DEEP
// RUN: %python -c "print('#e = #transformer.expr<' + '-1 + sequences + ' * 200000 + '1>')" \
// RUN:   | not tc-opt 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: %python -c "print('#e = #transformer.expr<' + 'tokens * ' * 1000 + '1>')" \
// RUN:   | not tc-opt 2>&1 | FileCheck %s --check-prefix=POWER
// RUN: %python -c "n = 2000000; print('#e = #transformer.expr<' + '(' * n + '1' + ')' * n + '>')" \
// RUN:   | not tc-opt 2>&1 | FileCheck %s --check-prefix=DEEPER
// DEEPER: <stdin>:1:{{[0-9]+}}: error: expected brackets nested at most 1000 deep
// DEEP: error: expected an expression of at most 128 levels
// LONG: error: expected an expression of at most 1024 numbers, symbols and functions
// POWER: error: expected a product of at most 32 symbols and functions

// expected-error @below {{expected a number, a symbol or a function of an expression}}
func.func private @nothing() attributes {test.expr = #transformer.expr<>}

// -----

// expected-error @below {{expected a number, a symbol or a function of an expression}}
func.func private @operator_without_an_operand() attributes {test.expr = #transformer.expr<tokens +>}

// -----

// expected-error @below {{expected '>'}}
func.func private @two_expressions() attributes {test.expr = #transformer.expr<tokens tokens>}

// -----

// expected-error @below {{unknown symbol 'token'; did you mean 'tokens'? known symbols: tokens, sequences, q, kv, decode, sum, max, min, mod, ceildiv, floordiv, div, log2, eq, ne, lt, le, images, image_rows, image_columns}}
func.func private @unknown_symbol() attributes {test.expr = #transformer.expr<2 * token>}

// -----

// The name of a node inside of the compiler is no function.
// expected-error @below {{unknown symbol 'max_over_requests'; known symbols: tokens,}}
func.func private @name_of_a_node() attributes {test.expr = #transformer.expr<max_over_requests(kv)>}

// -----

// expected-error @below {{expected 1 operands of 'sum', but got 2}}
func.func private @sum_of_two() attributes {test.expr = #transformer.expr<sum(q, kv)>}

// -----

// expected-error @below {{expected 1 operands of 'log2', but got 2}}
func.func private @logarithm_of_two() attributes {test.expr = #transformer.expr<log2(tokens, 2)>}

// -----

// expected-error @below {{expected 2 operands of 'ceildiv', but got 1}}
func.func private @ceildiv_of_one() attributes {test.expr = #transformer.expr<ceildiv(tokens)>}

// -----

// expected-error @below {{expected 2 operands of 'max', but got 3}}
func.func private @maximum_of_three() attributes {test.expr = #transformer.expr<max(1, tokens, 2)>}

// -----

// expected-error @below {{expected a divisor above 0, but got 0.0}}
func.func private @division_by_zero() attributes {test.expr = #transformer.expr<floordiv(tokens, 0)>}

// -----

// expected-error @below {{expected a divisor above 0, but got -4.0}}
func.func private @negative_modulus() attributes {test.expr = #transformer.expr<mod(tokens, -4)>}

// -----

// expected-error @below {{expected a divisor above 0, but got 0.0}}
func.func private @division_by_what_is_zero() attributes {test.expr = #transformer.expr<ceildiv(4, tokens - tokens)>}

// -----

// expected-error @below {{expected 'q' and 'kv' inside of sum(...) or max(...), since they differ by request}}
func.func private @value_of_one_request() attributes {test.expr = #transformer.expr<16 * kv>}

// -----

// expected-error @below {{expected 'q' and 'kv' inside of sum(...) or max(...), since they differ by request}}
func.func private @value_of_one_request_inside_of_a_function() attributes {test.expr = #transformer.expr<ceildiv(q, 4)>}

// -----

// expected-error @below {{expected 'q' and 'kv' inside of sum(...) or max(...), since they differ by request}}
func.func private @size_of_one_request(tensor<?xf16, #transformer.dims<q>>)

// -----

// expected-error @below {{expected a number of at most 2^100}}
func.func private @huge_number() attributes {test.expr = #transformer.expr<1267650600228229401496703205377000>}

// -----

// expected-error @below {{expected a product of at most 256 terms}}
func.func private @product_of_many_terms() attributes {test.expr = #transformer.expr<(1 + tokens) * (2 + sequences) * (3 + decode) * (4 + sum(kv)) * (5 + sum(q * kv)) * (6 + max(q)) * (7 + max(kv)) * (8 + max(q * kv)) * (9 + log2(tokens))>}

// -----

// expected-error @below {{expected a finite number}}
func.func private @number_beyond_the_range_of_doubles() attributes {test.expr = #transformer.expr<1.0e400>}

// -----

// expected-error @below {{expected coefficients within the range of a double}}
func.func private @product_beyond_the_range_of_doubles() attributes {test.expr = #transformer.expr<1.0e200 * 1.0e200 * tokens>}

// -----

// expected-error @below {{expected coefficients within the range of a double}}
func.func private @sum_beyond_the_range_of_doubles() attributes {test.expr = #transformer.expr<1.7e308 + 1.7e308>}
