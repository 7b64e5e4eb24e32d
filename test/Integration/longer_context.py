#!/usr/bin/env python3
"""Prices decode steps behind contexts of growing length.

    longer_context.py TENSORCAST MODEL LINEAR_LAYERS

MODEL has linear attention in LINEAR_LAYERS of its layers. A longer context never
makes a step faster or its cache smaller. What grows is due to the layers with
full attention: the kernels of linear attention cost the same behind any context,
and what they remember of a request is as large as it was.
"""

import fractions
import json
import subprocess
import sys

QUERIES = 4
CONTEXTS = [0, 1, 63, 64, 127, 128, 129, 1000, 4096, 30000, 200000]
LINEAR = ("causal_conv", "delta_gating", "delta_rule", "gated_rms_norm",
          "linear_attention")
PLANS = [["--compile"], ["--num-devices", "2", "--tp-size", "2"],
         ["--compile", "--kernel-set", "ascend"]]


def price(tool, model, context, plan):
    done = subprocess.run(
        [tool, "text-generate", model, "--num-queries", str(QUERIES), "--query-length",
         "1", "--decode", "--context-length", str(context), "--device",
         "ATLAS_800_A3_752T_128G_DIE", "--format", "json", *plan],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    report = json.loads(done.stdout)
    linear = sum(op["total_s"] for op in report["ops"]
                 if any(name in op["name"] for name in LINEAR))
    return (report["execution_time_s"], report["memory"]["kv_cache_bytes"],
            linear)


def check(tool, model, plan):
    prices = [price(tool, model, context, plan) for context in CONTEXTS]
    for (context, before), (longer, after) in zip(
            zip(CONTEXTS, prices), list(zip(CONTEXTS, prices))[1:]):
        where = f"{model} {' '.join(plan)}: context {longer} after {context}"
        if after[0] < before[0]:
            sys.exit(f"{where}: {after[0]} s, which is less than {before[0]}")
        if after[1] < before[1]:
            sys.exit(f"{where}: {after[1]} bytes, which is less than "
                     f"{before[1]}")
        if abs(after[2] - before[2]) > 1e-12 * before[2] or before[2] == 0:
            sys.exit(f"{where}: linear attention takes {after[2]} s, not "
                     f"{before[2]}")
    if prices[-1][0] == prices[0][0] or prices[-1][1] == prices[0][1]:
        sys.exit(f"{model}: nothing grows with the context")
    return prices


def main():
    tool, model, layers = sys.argv[1], sys.argv[2], int(sys.argv[3])
    physical = [check(tool, model, plan) for plan in PLANS][-1]
    # What is left where the blocks of caches, of 128 tokens, cost nothing. A slot
    # is kept for the next token of each request.
    sizes = [(-(-QUERIES * (context + 2) // 128), price[1])
             for context, price in zip(CONTEXTS, physical)]
    states = {fractions.Fraction(first * more - second * few, more - few)
              for (few, first), (more, second) in zip(sizes, sizes[1:])
              if few != more}
    if len(states) != 1 or min(states) <= 0 or min(states) % layers:
        sys.exit(f"{model}: states of {sorted(states)} bytes")
    state = min(states) / layers / QUERIES
    print(f"{model}: {len(PLANS) * len(CONTEXTS)} steps, {state} bytes "
          "of state per layer and request")


if __name__ == "__main__":
    main()
