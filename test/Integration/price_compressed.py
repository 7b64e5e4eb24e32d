#!/usr/bin/env python3
"""Prices DeepSeek-V4 at workloads, for what must hold between them.

    price_compressed.py TC_IMPORT TC_OPT TENSORCAST

A module that was compiled without a workload costs what one compiled for it does.
A longer context lowers neither the time of a decode step nor the cache; contexts
differ by multiples of the largest ratio, as the step in which a token completes a
group costs more than the next one. A model of windows alone has the same of both
beyond the window.
"""

import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(__file__))
from price_workloads import by_name, find_difference, run  # noqa: E402

DEVICE = "ATLAS_800_A3_752T_128G_DIE"
MODEL = "deepseek-ai/DeepSeek-V4-Flash"
LAYERS = 6
WORKLOADS = [
    ("1", "1", "0", False), ("1", "3", "0", False), ("1", "300", "0", False),
    ("2", "4096", "0", False), ("3", "130", "1000", False),
    ("1", "1", "0", True), ("4", "1", "16000", True), ("7", "3", "509", True),
]


def price(tensorcast, model, workload, *more):
    queries, length, context, decode = workload
    options = ["--num-queries", queries, "--query-length", length,
               "--context-length", context]
    if decode:
        options.append("--decode")
    return json.loads(run(tensorcast, *more[:1], model, "--format", "json",
                          *options, *more[1:]))


def compare(tools, folder, form, plan):
    """How many workloads cost the same, bound before compilation and after."""
    tc_import, tc_opt, tensorcast = tools
    text = run(tc_import, MODEL, "--num-hidden-layers-override", str(LAYERS))
    module = os.path.join(folder, "unbound.mlir")
    sizes = " ".join(f"{key}={value}" for key, value in plan.items())
    run(tc_opt, "-o", module,
        f"--tensorcast-{form}={sizes} device={DEVICE} "
        "quantize-linear-action=W8A8_DYNAMIC", text=text)
    options = ["--device", DEVICE, "--num-hidden-layers-override", str(LAYERS)]
    options += ["--compile"] if form == "compile" else []
    for key, value in plan.items():
        options += ["--num-devices" if key == "devices" else f"--{key}-size",
                    str(value)]
    agree = 0
    for workload in WORKLOADS:
        late = price(tensorcast, module, workload, "report")
        early = price(tensorcast, MODEL, workload, "text-generate", *options)
        difference = find_difference(by_name(late), by_name(early))
        if difference:
            print(f"{form} {workload}: {difference}")
        agree += not difference
    print(f"{form} {sizes}: {agree} workloads agree")


def check_growth(tensorcast, model, form, contexts):
    """What a decode step takes and keeps, by the length of the context."""
    options = ["--device", DEVICE, "--num-devices", "16", "--ep-size", "16"]
    options += ["--compile"] if form == "compile" else []
    seen = []
    for context in contexts:
        report = price(tensorcast, model, ("16", "1", str(context), True),
                       "text-generate", *options)
        seen.append((report["execution_time_s"],
                     report["memory"]["kv_cache_bytes"]))
    grows = all(one[0] <= other[0] and one[1] <= other[1]
                for one, other in zip(seen, seen[1:]))
    return grows, seen


def main():
    tools = sys.argv[1:]
    tensorcast = tools[2]
    with tempfile.TemporaryDirectory() as folder:
        compare(tools, folder, "eager", {"devices": 8, "ep": 8})
        compare(tools, folder, "compile", {"devices": 8, "tp": 2, "ep": 8})
        contexts = [128 * i for i in (1, 2, 3, 4, 8, 100, 512, 4000)]
        for form in ("eager", "compile"):
            grows, seen = check_growth(tensorcast, MODEL, form, contexts)
            print(f"{form}: {'never less' if grows else seen}")
            print(f"{form}: {'more' if seen[0][1] < seen[-1][1] else seen}")
        config = os.path.join(folder, "config.json")
        source = os.path.join(os.path.dirname(__file__), "..", "..", "models",
                              MODEL.replace("/", "__") + ".json")
        with open(source) as file:
            described = json.load(file)
        described["compress_ratios"] = [0] * len(described["compress_ratios"])
        with open(config, "w") as file:
            json.dump(described, file)
        for form in ("eager", "compile"):
            _, seen = check_growth(tensorcast, config, form,
                                   [128, 4096, 1000000])
            print(f"{form}, windows alone: "
                  f"{'the same' if len(set(seen)) == 1 else seen}")


if __name__ == "__main__":
    main()
