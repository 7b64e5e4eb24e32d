#!/usr/bin/env python3
"""Checks that the stages of a pipeline add up to the whole model.

    stages.py TENSORCAST TC_IMPORT

Prices presets with and without stages, and compares what the stages have
together with what the whole model has.
"""

import concurrent.futures
import json
import os
import re
import subprocess
import sys

SHARING = "zai-org/GLM-5.2"
# Presets, the devices that share each layer, and sizes of pipelines. Layers of the
# last one use indices of another, which is in the stage before.
CASES = [
    ("Qwen/Qwen3-8B", "--tp-size 1", (2, 3, 5, 36)),
    ("Qwen/Qwen3-32B", "--tp-size 2 --compile", (2, 7)),
    ("Qwen/Qwen2.5-0.5B-Instruct", "--tp-size 1", (3,)),
    ("meta-llama/Meta-Llama-3.1-8B", "--tp-size 4 --compile", (4, 5)),
    ("Qwen/Qwen3-30B-A3B", "--tp-size 2 --ep-size 2", (4,)),
    ("zai-org/GLM-4.5-Air", "--tp-size 1 --compile", (3, 5)),
    ("deepseek-ai/DeepSeek-V3.1", "--tp-size 8 --ep-size 8 --compile", (4, 6)),
    ("deepseek-ai/DeepSeek-V3.2", "--tp-size 4 --ep-size 4", (5,)),
    ("Qwen/Qwen3-Next-80B-A3B", "--tp-size 1", (5,)),
    ("Qwen/Qwen3.5-27B", "--tp-size 2 --compile", (3,)),
    (SHARING, "--tp-size 8 --ep-size 8 --compile", (4,)),
]
# Of the 96 devices that the largest case needs, the profile connects more.
DEVICE = "ATLAS_800_A3_752T_128G_DIE"
STEP = "--num-queries 4 --query-length 1000 --format json".split()
ROUNDING = 1e-9


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{done.stderr}")
    return done.stdout


def price(tensorcast, model, options, stages):
    """A report; devices are those of all stages."""
    words = options.split()
    devices = int(words[words.index("--tp-size") + 1]) * stages
    return json.loads(run(tensorcast, "text-generate", model, *STEP, *words,
                          "--num-devices", str(devices), "--pp-size",
                          str(stages), "--device", DEVICE))


def get_repeated_bytes(tc_import, model):
    """Bytes of the rope tables."""
    text = run(tc_import, model)
    bytes_of = {}
    for name, sizes, width in re.findall(
            r'transformer\.weight "([^"]*)".*?: tensor<([0-9x]+)xf(\d+)>', text):
        count = 1
        for size in sizes.split("x"):
            count *= int(size)
        bytes_of[name] = count * int(width) // 8
    rope = sum(size for name, size in bytes_of.items() if "rotary_emb" in name)
    assert rope > 0
    return rope


def check(tools, model, options, stages):
    tensorcast, tc_import = tools
    whole = price(tensorcast, model, options, 1)
    split = price(tensorcast, model, options, stages)
    rows = split["stages"]
    problems = []

    def expect(what, got, wanted, tolerance=0.0):
        if abs(got - wanted) > tolerance * abs(wanted):
            problems.append(f"{what}: expected {wanted}, but got {got}")

    def add(key):
        return sum(row["memory"][key] for row in rows)

    expect("stages of the whole model", len(whole.get("stages", [])), 0)
    expect("stages", len(rows), stages)
    # Each stage looks its positions up in tables of its own.
    repeated = (stages - 1) * get_repeated_bytes(tc_import, model)
    expect("weights", add("weights_bytes"),
           whole["memory"]["weights_bytes"] + repeated)
    expect("KV cache", add("kv_cache_bytes"),
           whole["memory"]["kv_cache_bytes"])
    # Layers that are left over go to stages counted back from the last but one.
    layers = [row["layers"] for row in rows]
    expect("layers", sum(layers), sum(r["calls"] for r in whole["layers"]))
    least, rest = divmod(sum(layers), stages)
    wanted = [least + (stages - 1 - rest <= stage < stages - 1)
              for stage in range(stages)]
    if layers != wanted:
        problems.append(f"layers: expected {wanted}, but got {layers}")
    # What a device needs is what one of the stages does, and none needs more.
    if split["memory"] not in [row["memory"] for row in rows] or any(
            row["memory"]["available_bytes"] < split["memory"]["available_bytes"]
            for row in rows):
        problems.append("memory: expected that of the largest stage")

    def calls(report):
        return {op["name"]: op["calls"] for op in report["ops"]}

    before, after = calls(whole), calls(split)
    sent = 2 if model == SHARING else 1
    expect("transfers", after.pop("send_receive", 0), sent * (stages - 1))
    lookups = {name for name in after if after[name] != before.get(name)}
    for name in lookups:
        expect(f"calls of {name}", after[name],
               before.get(name, 0) + 2 * (stages - 1))
    if len(lookups) != 1 or before.keys() != after.keys():
        problems.append(f"kernels: expected lookups only, but got {lookups}")
    parts = sum(row["execution_time_s"] + row["transfer_s"] for row in rows)
    expect("time", split["execution_time_s"], parts, ROUNDING)
    return problems


def main():
    cases = [(model, options, stages) for model, options, sizes in CASES
             for stages in sizes]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda case: check(sys.argv[1:3], *case), cases))
    failures = 0
    for (model, options, stages), problems in zip(cases, results):
        failures += bool(problems)
        print(f"{'FAILED ' if problems else ''}{model} {options}, "
              f"{stages} stages")
        for problem in problems:
            print(f"  {problem}")
    print(f"{len(cases)} cases, {failures} failed")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
