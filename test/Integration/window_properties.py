#!/usr/bin/env python3
"""Prices windows, sinks and picked blocks where more must not be less.

    window_properties.py TC_IMPORT TC_OPT TENSORCAST MODELS

Models of the folder MODELS, some layers of each, are compiled once with physical
kernels and priced at decode steps after longer and longer contexts.
"""

import json
import os
import subprocess
import sys
import tempfile

CONTEXTS = [0, 1, 50, 100, 126, 127, 128, 129, 200, 255, 256, 1000, 2047, 2048,
            3000, 10000, 30000]
QUERIES = 3
WINDOW = 128
# Blocks of a cache hold as many tokens.
BLOCK = 128


def run(*command, text=None):
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr.decode()}")
    return done.stdout


class Model:
    """A config, compiled for any workload."""

    def __init__(self, tools, folder, name, config, layers, kernels):
        self.tools, self.name, self.layers = tools, name, layers
        tc_import, tc_opt, _ = tools
        self.path = os.path.join(folder, name + ".json")
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump(config, file)
        module = run(tc_import, self.path, "--num-hidden-layers-override",
                     str(layers))
        self.module = os.path.join(folder, name + ".mlir")
        self.kernels = kernels
        with open(self.module, "wb") as file:
            file.write(run(tc_opt, "--tensorcast-compile=device=TEST_DEVICE "
                           f"kernel-set={kernels}", text=module))

    def price(self, context):
        """Seconds, and bytes of the cache, of a decode step."""
        report = json.loads(run(
            self.tools[2], "report", self.module, "--format", "json",
            *self.workload(context)))
        return (report["execution_time_s"], report["memory"]["kv_cache_bytes"])

    def price_bound(self, context):
        """The same of a module that was compiled for this workload."""
        report = json.loads(run(
            self.tools[2], "text-generate", self.path, "--device",
            "TEST_DEVICE", "--num-hidden-layers-override", str(self.layers),
            "--compile", "--kernel-set", self.kernels, "--format", "json",
            *self.workload(context)))
        return (report["execution_time_s"], report["memory"]["kv_cache_bytes"])

    @staticmethod
    def workload(context):
        return ["--num-queries", str(QUERIES), "--query-length", "1",
                "--context-length", str(context), "--decode"]


def expect(holds, what):
    if not holds:
        sys.exit(f"expected {what}")


def near(lhs, rhs):
    return all(abs(a - b) <= 1e-12 * max(a, b) for a, b in zip(lhs, rhs))


def check_growth(model):
    prices = [model.price(context) for context in CONTEXTS]
    for context, before, after in zip(CONTEXTS[1:], prices, prices[1:]):
        expect(after[0] >= before[0] and after[1] >= before[1],
               f"{model.name}: no less time and memory after {context} tokens")
    for context in (0, 127, 128, 129, 2048, 10000):
        expect(near(model.price(context), model.price_bound(context)),
               f"{model.name}: one price of {context} tokens, bound or not")
    print(f"{model.name}: grows with the context")


def main():
    *tools, models = sys.argv[1:]

    def load(name):
        with open(os.path.join(models, name + ".json"),
                  encoding="utf-8") as file:
            return json.load(file)

    with tempfile.TemporaryDirectory() as folder:
        def make(name, config, layers, kernels="ascend"):
            return Model(tools, folder, name, config, layers, kernels)

        # Every layer has a window: beyond it, nothing changes.
        mistral = {**load("mistralai__Mistral-7B-v0.3"),
                   "sliding_window": WINDOW}
        windowed = make("windows", mistral, 2)
        check_growth(windowed)
        full = make("no-windows", {**mistral, "sliding_window": None}, 2)
        for context in CONTEXTS:
            price, most = windowed.price(context), full.price(context)
            if context + 1 <= WINDOW:
                expect(price == most,
                       f"a window of {context + 1} tokens to change nothing")
            else:
                # A token more in the window than in a context of 127.
                expect(price == windowed.price(WINDOW - 1),
                       f"the price to stop at the window, not at {context}")
                expect(price[1] <= most[1] and price[0] <= most[0],
                       "windows not to cost anything")
        expect(windowed.price(30000)[1] < full.price(30000)[1] / 100,
               "a cache of the window only")
        print("windows: all stops at the window")

        # The reference's kernels see no windows.
        for kernels in ("reference-2026.08", "reference-2026.06"):
            one = make("windows", mistral, 2, kernels)
            other = make("no-windows", {**mistral, "sliding_window": None}, 2,
                         kernels)
            for context in (0, 127, 128, 5000):
                expect(one.price(context) == other.price(context),
                       f"{kernels}: no difference after {context} tokens")
        print("windows: none in the reference")

        # Layers of both kinds: only the full ones grow.
        mimo = load("XiaomiMiMo__MiMo-V2-Flash")
        hybrid = make("MiMo-V2-Flash", mimo, 6)
        check_growth(hybrid)
        full_layers = mimo["hybrid_layer_pattern"][:6].count(0)
        row = mimo["num_key_value_heads"] * 2 * (
            mimo["head_dim"] + mimo["v_head_dim"])
        grown = hybrid.price(100 * BLOCK)[1] - hybrid.price(50 * BLOCK)[1]
        expect(grown == full_layers * QUERIES * 50 * BLOCK * row,
               "the cache of full layers to grow, of others not")
        print("MiMo-V2-Flash: windows stop, full layers grow")

        check_growth(make("gpt-oss-20b", load("openai__gpt-oss-20b"), 4))

        # Picked blocks: attention stops, the indexer goes on.
        m3 = load("MiniMaxAI__MiniMax-M3")
        sparse = make("MiniMax-M3", m3, 5)
        check_growth(sparse)
        m3["sparse_attention_config"]["use_sparse_attention"] = False
        dense = make("MiniMax-M3-dense", m3, 5)
        expect(sparse.price(100)[0] > dense.price(100)[0],
               "an indexer to cost something where all blocks are picked")
        expect(sparse.price(200000)[0] < dense.price(200000)[0],
               "picked blocks to cost less than all of a long context")
        print("MiniMax-M3: few blocks of a long context cost less")


if __name__ == "__main__":
    main()
