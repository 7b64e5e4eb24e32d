// RUN: tc-opt %s --transformer-bind-workload="queries=3 query-length=100" \
// RUN:   | FileCheck %s --check-prefix=PREFILL
// RUN: tc-opt %s --transformer-bind-workload="queries=3 query-length=100 context-length=28" \
// RUN:   | FileCheck %s --check-prefix=CONTEXT
// RUN: tc-opt %s --transformer-bind-workload="queries=3 query-length=100 decode=true" \
// RUN:   | FileCheck %s --check-prefix=DECODE
// RUN: tc-opt %s --transformer-bind-workload="queries=3 query-length=100 prefix-cache-hit-rate=0.255" \
// RUN:   | FileCheck %s --check-prefix=HIT
// RUN: tc-opt %s --transformer-bind-workload="queries=3 query-length=100 context-length=28 decode prefix-cache-hit-rate=0.255" \
// RUN:   | FileCheck %s --check-prefix=HIT-DECODE

// Prefill without context: 3 requests of q = kv = 100.
// PREFILL: #transformer.workload<queries = 3, query_length = 100>
// PREFILL: tokens = #transformer.expr<300>
// PREFILL: tokens_in_context = #transformer.expr<300>

// The context counts to kv, not to q.
// CONTEXT: #transformer.workload<queries = 3, query_length = 100, context_length = 28>
// CONTEXT: tokens = #transformer.expr<300>
// CONTEXT: tokens_in_context = #transformer.expr<384>

// DECODE: #transformer.workload<queries = 3, query_length = 100, decode = true>
// DECODE: decode = #transformer.expr<1>

// floor(100 * 0.255) = 25 tokens of each request are in the cache; q is 75, kv 100.
// HIT: #transformer.workload<queries = 3, query_length = 100, prefix_cache_hit_rate = 2.550000e-01 : f64>
// HIT: decode = #transformer.expr<0>
// HIT: longest = #transformer.expr<75>
// HIT: tokens = #transformer.expr<225>
// HIT: tokens_in_context = #transformer.expr<300>

// In a decode step there is no prefix to look up.
// HIT-DECODE: prefix_cache_hit_rate = 2.550000e-01 : f64
// HIT-DECODE: tokens = #transformer.expr<300>
// HIT-DECODE: tokens_in_context = #transformer.expr<384>

func.func private @features() attributes {
  test.decode = #transformer.expr<decode>,
  test.longest = #transformer.expr<max(q)>,
  test.tokens = #transformer.expr<tokens>,
  test.tokens_in_context = #transformer.expr<sum(kv)>}
