// RUN: tc-opt %s --split-input-file | FileCheck %s
// RUN: tc-opt %s --split-input-file | tc-opt --split-input-file | FileCheck %s

// Expressions are kept in a normal form, which is what is printed.

//===----------------------------------------------------------------------===//
// Symbols and functions
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func private @symbols
// CHECK-SAME:    #transformer.expr<tokens>
// CHECK-SAME:    #transformer.expr<sequences>
// CHECK-SAME:    #transformer.expr<decode>
// CHECK-SAME:    #transformer.expr<sum(kv)>
// CHECK-SAME:    #transformer.expr<sum(q * kv)>
// CHECK-SAME:    #transformer.expr<max(kv)>
// CHECK-SAME:    #transformer.expr<4 * images * image_rows * image_columns>
func.func private @symbols() attributes {
  test.exprs = [#transformer.expr<tokens>, #transformer.expr<sequences>,
                #transformer.expr<decode>, #transformer.expr<sum(kv)>,
                #transformer.expr<sum(q * kv)>, #transformer.expr<max(kv)>,
                #transformer.expr<image_columns * 4 * images * image_rows>]}

// -----

// CHECK-LABEL: func private @functions
// CHECK-SAME:    #transformer.expr<ceildiv(tokens, 4)>
// CHECK-SAME:    #transformer.expr<floordiv(tokens, 4)>
// CHECK-SAME:    #transformer.expr<mod(tokens, 4)>
// CHECK-SAME:    #transformer.expr<div(tokens, 4)>
// CHECK-SAME:    #transformer.expr<0.75>
// CHECK-SAME:    #transformer.expr<min(4, tokens)>
// CHECK-SAME:    #transformer.expr<max(4, tokens)>
// CHECK-SAME:    #transformer.expr<log2(tokens)>
// CHECK-SAME:    #transformer.expr<eq(tokens, 4)>
// CHECK-SAME:    #transformer.expr<ne(tokens, 4)>
// CHECK-SAME:    #transformer.expr<lt(tokens, 4)>
// CHECK-SAME:    #transformer.expr<le(tokens, 4)>
func.func private @functions() attributes {
  test.exprs = [#transformer.expr<ceildiv(tokens, 4)>, #transformer.expr<floordiv(tokens, 4)>,
                #transformer.expr<mod(tokens, 4)>, #transformer.expr<div(tokens, 4)>,
                #transformer.expr<div(3, 4)>, #transformer.expr<min(tokens, 4)>,
                #transformer.expr<max(tokens, 4)>, #transformer.expr<log2(tokens)>,
                #transformer.expr<eq(tokens, 4)>, #transformer.expr<ne(tokens, 4)>,
                #transformer.expr<lt(tokens, 4)>, #transformer.expr<le(tokens, 4)>]}

// -----

// CHECK-LABEL: func private @short_forms
// CHECK-SAME:    #transformer.expr<tokens>
// CHECK-SAME:    #transformer.expr<sequences>
func.func private @short_forms() attributes {
  test.exprs = [#transformer.expr<sum(q)>, #transformer.expr<sum(1)>]}

// -----

//===----------------------------------------------------------------------===//
// Normal form
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func private @products_are_expanded
// CHECK-SAME:    #transformer.expr<-6 + 3 * sequences - 2 * tokens + sequences * tokens>
func.func private @products_are_expanded() attributes {
  test.expr = #transformer.expr<(tokens + 3) * (sequences - 2)>}

// -----

// CHECK-LABEL: func private @equal_terms_are_merged
// CHECK-SAME:    #transformer.expr<7 * tokens>
func.func private @equal_terms_are_merged() attributes {
  test.expr = #transformer.expr<tokens * 3 + 2 * tokens + tokens + tokens>}

// -----

// CHECK-LABEL: func private @equal_polynomials_are_one_attribute
// CHECK-SAME:    #transformer.expr<1>
func.func private @equal_polynomials_are_one_attribute() attributes {
  test.expr = #transformer.expr<1 + (tokens + 1) * (tokens - 1) - tokens * tokens + 1>}

// -----

// CHECK-LABEL: func private @terms_that_cancel_out
// CHECK-SAME:    #transformer.expr<0>
func.func private @terms_that_cancel_out() attributes {
  test.expr = #transformer.expr<tokens - tokens>}

// -----

// CHECK-LABEL: func private @negative_terms
// CHECK-SAME:    #transformer.expr<-2 - tokens>
func.func private @negative_terms() attributes {
  test.expr = #transformer.expr<-tokens - 2>}

// -----

// CHECK-LABEL: func private @product_binds_stronger_than_sum
// CHECK-SAME:    #transformer.expr<2 + 3 * tokens>
func.func private @product_binds_stronger_than_sum() attributes {
  test.expr = #transformer.expr<2 + 3 * tokens>}

// -----

// CHECK-LABEL: func private @order_does_not_matter
// CHECK-SAME:    #transformer.expr<[[X:.*]]>, #transformer.expr<[[X]]>
func.func private @order_does_not_matter() attributes {
  test.exprs = [#transformer.expr<sum(kv * q) + min(tokens, 4) * decode + tokens>,
                #transformer.expr<tokens + decode * min(4, tokens) + sum(q * kv)>]}

// -----

// What is the same for every request comes out of the sum.
// CHECK-LABEL: func private @sums_are_linear
// CHECK-SAME:    #transformer.expr<3 * sequences + 2 * tokens + sum(kv * decode)>
func.func private @sums_are_linear() attributes {
  test.expr = #transformer.expr<sum(2 * q + 3 + decode * kv)>}

// -----

// CHECK-LABEL: func private @maximum_of_what_is_the_same_for_every_request
// CHECK-SAME:    #transformer.expr<tokens>
func.func private @maximum_of_what_is_the_same_for_every_request() attributes {
  test.expr = #transformer.expr<max(tokens)>}

// -----

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func private @functions_of_constants
// CHECK-SAME:    #transformer.expr<3>
// CHECK-SAME:    #transformer.expr<2>
// CHECK-SAME:    #transformer.expr<-3>
// CHECK-SAME:    #transformer.expr<2>
// CHECK-SAME:    #transformer.expr<4>
// CHECK-SAME:    #transformer.expr<9>
// CHECK-SAME:    #transformer.expr<10>
// CHECK-SAME:    #transformer.expr<0>
// CHECK-SAME:    #transformer.expr<1>
// CHECK-SAME:    #transformer.expr<0>
// CHECK-SAME:    #transformer.expr<1>
func.func private @functions_of_constants() attributes {
  test.exprs = [#transformer.expr<ceildiv(9, 4)>, #transformer.expr<floordiv(9, 4)>,
                #transformer.expr<floordiv(-9, 4)>, #transformer.expr<mod(-10, 4)>,
                #transformer.expr<min(9, 4)>, #transformer.expr<max(9, 4)>,
                #transformer.expr<log2(1024)>,
                #transformer.expr<eq(9, 4)>, #transformer.expr<ne(9, 4)>,
                #transformer.expr<lt(4, 4)>, #transformer.expr<le(4, 4)>]}

// -----

// CHECK-LABEL: func private @fractions
// CHECK-SAME:    #transformer.expr<0.5>
// CHECK-SAME:    #transformer.expr<1.5 * tokens>
func.func private @fractions() attributes {
  test.exprs = [#transformer.expr<0.5>, #transformer.expr<1.5 * tokens>]}

// -----

// CHECK-LABEL: func private @division_by_one
// CHECK-SAME:    #transformer.expr<tokens>, #transformer.expr<tokens>
func.func private @division_by_one() attributes {
  test.exprs = [#transformer.expr<ceildiv(tokens, 1)>, #transformer.expr<floordiv(tokens, 1)>]}

// -----

// CHECK-LABEL: func private @minimum_and_maximum_of_one_value
// CHECK-SAME:    #transformer.expr<tokens>, #transformer.expr<tokens>
func.func private @minimum_and_maximum_of_one_value() attributes {
  test.exprs = [#transformer.expr<min(tokens, tokens)>, #transformer.expr<max(tokens, tokens)>]}
