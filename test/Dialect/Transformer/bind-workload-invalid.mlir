// RUN: tc-opt %s --split-input-file --verify-diagnostics \
// RUN:   --transformer-bind-workload="queries=2 query-length=4"

// expected-error @below {{expected a module without a workload, but it is bound to #transformer.workload<queries = 1, query_length = 1>}}
module attributes {transformer.workload = #transformer.workload<queries = 1, query_length = 1>} {}

// -----

// expected-error @below {{expected a whole size from 0 to 2^53 for the workload, but '-9 + tokens' is -1}}
module @negative_size {
  func.func private @f(tensor<?xf16, #transformer.dims<tokens - 9>>)
}

// -----

// A prefill step divides by zero.
// expected-error @below {{expected a whole size from 0 to 2^53 for the workload, but 'ceildiv(tokens, decode)' is inf}}
module @infinite_size {
  func.func private @f(tensor<?xf16, #transformer.dims<ceildiv(tokens, decode)>>)
}

// -----

// expected-error @below {{for the workload, but 'log2(sequences + tokens)' is 3.32}}
module @fractional_size {
  func.func private @f(tensor<?xf16, #transformer.dims<log2(sequences + tokens)>>)
}

// -----

// 8^18 is beyond 2^53.
// expected-error-re @below {{for the workload, but 'tokens * {{.*}} * tokens' is 1.80}}
module @huge_size {
  func.func private @f(tensor<?xf16, #transformer.dims<tokens * tokens * tokens * tokens * tokens * tokens * tokens * tokens * tokens * tokens * tokens * tokens * tokens * tokens * tokens * tokens * tokens * tokens>>)
}

// -----

// expected-error @below {{expected a finite number for the workload, but 'floordiv(1, decode)' is inf}}
module @infinite_work {
  func.func @f() {
    ascend.launch "k"() : () -> () { ascend.elementwise elements(floordiv(1, decode)) operations(1) : f16 }
    return
  }
}

// -----

// What a pass took for granted.
// expected-error @below {{expected a workload with 'eq(mod(tokens, 3), 0)', which the module was rewritten for, but got 8 tokens}}
// expected-note @below {{run the passes again on a module that is bound to this workload}}
module @odd attributes {transformer.assumes = [#transformer.expr<eq(mod(tokens, 4), 0)>, #transformer.expr<eq(mod(tokens, 3), 0)>]} {}

// -----

// More tokens than the model has positions for are priced, with a warning.
module @more_tokens_than_positions {
  func.func @f(%positions: tensor<?xi64, #transformer.dims<tokens>>) {
    %cos = transformer.weight "cos" : tensor<3x8xf16>
    %sin = transformer.weight "sin" : tensor<3x8xf16>
    // expected-warning @below {{expected requests of at most 3 tokens, for which the model has positions, but got 4}}
    %0 = transformer.rope_table %positions, %cos, %sin : tensor<?xi64, #transformer.dims<tokens>>, tensor<3x8xf16> -> !transformer.rope_table<8xf16>
    return
  }
}

// -----

module @as_many_tokens_as_positions {
  func.func @f(%positions: tensor<?xi64, #transformer.dims<tokens>>) {
    %cos = transformer.weight "cos" : tensor<4x8xf16>
    %sin = transformer.weight "sin" : tensor<4x8xf16>
    %0 = transformer.rope_table %positions, %cos, %sin : tensor<?xi64, #transformer.dims<tokens>>, tensor<4x8xf16> -> !transformer.rope_table<8xf16>
    return
  }
}
