#!/usr/bin/env python3
"""Compares steps with images with steps of as much text.

    image_tokens.py TENSORCAST TC_IMPORT TC_OPT PREFIX

PREFIX is that of files to be written.
"""

import json
import subprocess
import sys

MODEL = "Qwen/Qwen3-VL-2B-Instruct"
IMAGE = ["--image-batch-size", "1", "--image-height", "1024",
         "--image-width", "1024"]
TOKENS = 32 * 32 + 2
DECODER = "model.layers"


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE,
                          text=True).stdout


def is_close(a, b):
    return abs(a - b) <= 1e-9 * abs(b)


def main():
    tensorcast, tc_import, tc_opt, prefix = sys.argv[1:]

    def price(queries, length, *more):
        return json.loads(run(
            tensorcast, "text-generate", MODEL, "--num-queries", str(queries),
            "--query-length", str(length), "--compile", "--format", "json",
            *more))

    def layers(report):
        """Time of the decoder's layers, by kind."""
        return [(layer["calls"], layer["total_s"])
                for layer in report["layers"]
                if not layer["kind"].startswith(("vision", "main"))]

    for kernels in ("reference-2026.08", "ascend"):
        chosen = ["--kernel-set", kernels]
        seen = price(2, 100, *IMAGE, *chosen)
        text = price(2, 100 + TOKENS, *chosen)
        workload = seen["workload"]
        per_request = workload["query_length"] + workload["images"]["tokens"]
        print(f"{kernels}: the decoder has {per_request} tokens for each "
              "request with an image")
        equal = layers(seen) == layers(text)
        cache = (seen["memory"]["kv_cache_bytes"] ==
                 text["memory"]["kv_cache_bytes"])
        if equal and cache and layers(seen):
            print(f"{kernels}: without its tower, 2 requests of 100 tokens and "
                  f"an image cost as much as those of {100 + TOKENS}")
        behind = price(8, 1, "--context-length", "50", "--decode", *IMAGE,
                       *chosen)
        longer = price(8, 1, "--context-length", str(50 + TOKENS), "--decode",
                       *chosen)
        if (behind["execution_time_s"] == longer["execution_time_s"] and
                behind["memory"]["kv_cache_bytes"] ==
                longer["memory"]["kv_cache_bytes"]):
            print(f"{kernels}: a decode step behind an image costs as much as "
                  f"one with {TOKENS} tokens more in the cache")

    run(tc_import, MODEL, "--images", "-o", prefix + ".mlir")
    run(tc_opt, prefix + ".mlir", "--tensorcast-compile=", "-o",
        prefix + ".any.mlir")
    unbound = json.loads(run(
        tensorcast, "report", prefix + ".any.mlir", "--num-queries", "2",
        "--query-length", "100", *IMAGE, "--format", "json"))
    bound = price(2, 100, *IMAGE)
    if (is_close(unbound["kernel_time_s"], bound["kernel_time_s"]) and
            unbound["memory"] == bound["memory"]):
        print("a module of any batch costs as much as a bound one")
    blocks = [layer for layer in bound["layers"]
              if layer["kind"].startswith("vision_block")]
    if [layer["calls"] for layer in blocks] == [24]:
        print("24 blocks are one function")


if __name__ == "__main__":
    main()
