// RUN: not tc-opt %s --transformer-bind-workload 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not tc-opt %s --transformer-bind-workload="queries=2" 2>&1 | FileCheck %s --check-prefix=LENGTH
// RUN: not tc-opt %s --transformer-bind-workload="queries=-1 query-length=1" 2>&1 | FileCheck %s --check-prefix=QUERIES
// RUN: not tc-opt %s --transformer-bind-workload="queries=1 query-length=1 context-length=-1" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CONTEXT
// RUN: not tc-opt %s --transformer-bind-workload="queries=1000000 query-length=1000000" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TOKENS
// RUN: not tc-opt %s --transformer-bind-workload="queries=1 query-length=1 prefix-cache-hit-rate=1" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RATE
// RUN: not tc-opt %s --transformer-bind-workload="queries=1 query-length=1 prefix-cache-hit-rate=nan" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NAN
// RUN: not tc-opt %s --transformer-bind-workload="queries=two query-length=1" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WORD

// NOTHING: error: expected 'queries' from 1 to 2147483648, but got 0
// LENGTH: error: expected 'query_length' from 1 to 2147483648, but got 0
// QUERIES: error: expected 'queries' from 1 to 2147483648, but got -1
// CONTEXT: error: expected 'context_length' from 0 to 2147483648, but got -1
// TOKENS: error: expected at most 2147483648 new tokens in a step, but got 1000000 requests of 1000000
// RATE: error: expected 'prefix_cache_hit_rate' from 0 to below 1, but got 1
// NAN: error: expected 'prefix_cache_hit_rate' from 0 to below 1, but got nan
// WORD: for the --queries option: 'two' value invalid for
// WORD-NOT: unknown

func.func private @f(!transformer.batch)
