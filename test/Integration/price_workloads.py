#!/usr/bin/env python3
"""Prices models at random workloads, bound before compilation and after.

    price_workloads.py TC_IMPORT TC_OPT TENSORCAST

Each model is compiled once without a workload, and priced by `tensorcast
report` at each of them; `tensorcast text-generate` compiles it for each. Every
number of the two reports must agree to rounding.
"""

import concurrent.futures
import json
import math
import os
import random
import subprocess
import sys
import tempfile

WORKLOADS = 50
ROUNDING = 1e-12
# Model, and how its linear layers are quantized. Layers are equal, so that a few
# of them say as much as all.
MODELS = [("Qwen/Qwen3-32B", "W8A8_DYNAMIC"),
          ("Qwen/Qwen2.5-7B-Instruct", "W8A8_STATIC"),
          ("meta-llama/Meta-Llama-3.1-8B", "DISABLED")]
LAYERS = 2
# What runs where: options of the pipeline. Those of text-generate have the same
# names, but for `devices`, and `-size` behind the sizes of groups. Groups of
# another size than tp spread the tokens over devices, which round up.
PLANS = {"eager": {},
         "eager, sub-groups": {"devices": 4, "o-proj-tp": 2, "mlp-tp": 4,
                               "lmhead-tp": 4},
         "compiled, tp 4": {"compile": True, "devices": 4, "tp": 4},
         "compiled, sub-groups": {"compile": True, "devices": 16, "tp": 4,
                                  "dp": 4, "o-proj-tp": 2, "mlp-tp": 8,
                                  "lmhead-tp": 16},
         "compiled, streams": {"compile": True, "devices": 4, "tp": 4,
                               "compilation-config": "enable-multistream"},
         "compiled, split tokens": {
             "compile": True, "devices": 4, "tp": 4,
             "word-embedding-tp": "row", "kernel-set": "ascend",
             "compilation-config": "enable-sequence-parallel"}}


def run(*command, text=None):
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.decode()}")
    return done.stdout


def random_workload(generator):
    """Sizes of all magnitudes, and every combination of the options."""
    options = ["--num-queries", str(generator.randint(1, 64)),
               "--query-length", str(int(10 ** generator.uniform(0, 4))),
               "--context-length",
               str(generator.choice([0, int(10 ** generator.uniform(0, 5))]))]
    if generator.random() < 0.4:
        options.append("--decode")
    if generator.random() < 0.3:
        options += ["--prefix-cache-hit-rate", f"{generator.random():.3f}"]
    return options


def find_difference(one, other, path=""):
    """Returns where two reports differ by more than rounding, or None."""
    if isinstance(one, dict) and isinstance(other, dict):
        if list(one) != list(other):
            return f"{path}: keys {list(one)} and {list(other)}"
        pairs = [(f"{path}/{key}", one[key], other[key]) for key in one]
    elif isinstance(one, list) and isinstance(other, list):
        if len(one) != len(other):
            return f"{path}: {len(one)} and {len(other)} elements"
        pairs = [(f"{path}/{i}", *both) for i, both in enumerate(zip(one, other))]
    else:
        if isinstance(one, float) and isinstance(other, (int, float)):
            equal = math.isclose(one, other, rel_tol=ROUNDING)
        else:
            equal = one == other
        return None if equal else f"{path}: {one!r} and {other!r}"
    for pair in pairs:
        difference = find_difference(pair[1], pair[2], pair[0])
        if difference:
            return difference
    return None


def by_name(report):
    """Operators of equal time are in no order that rounding would keep."""
    report["ops"].sort(key=lambda op: (op["name"], op["reference_name"]))
    return report


def pipeline_options(plan, action):
    name = "compile" if plan.get("compile") else "eager"
    options = [f"{key}={value}" for key, value in plan.items()
               if key != "compile"]
    options += ["device=ATLAS_800_A3_752T_128G_DIE",
                f"quantize-linear-action={action}"]
    return f"--tensorcast-{name}={' '.join(options)}"


def command_options(plan, action):
    options = ["--quantize-linear-action", action,
               "--device", "ATLAS_800_A3_752T_128G_DIE",
               "--num-hidden-layers-override", str(LAYERS)]
    for key, value in plan.items():
        if key == "compile":
            options.append("--compile")
        elif key == "devices":
            options += ["--num-devices", str(value)]
        elif isinstance(value, str):
            options += [f"--{key}", value]
        else:
            options += [f"--{key}-size", str(value)]
    return options


def count_tokens(workload, plan):
    """New tokens of a device's requests, as far as the prefix cache has none."""
    queries, length = int(workload[1]), int(workload[3])
    return -(-queries // plan.get("dp", 1)) * length


def compare(tensorcast, module, model, action, plan, workload):
    common = ["--format", "json", *workload]
    late = run(tensorcast, "report", module, *common)
    early = run(tensorcast, "text-generate", model, *common,
                *command_options(plan, action))
    difference = find_difference(by_name(json.loads(late)),
                                 by_name(json.loads(early)))
    return f"{' '.join(workload)}: {difference}" if difference else None


def check(tools, pool, generator, model, action, plan):
    """Returns where the reports of a model differ at random workloads."""
    tc_import, tc_opt, tensorcast = tools
    text = run(tc_import, model, "--num-hidden-layers-override", str(LAYERS))
    workloads = [random_workload(generator) for _ in range(WORKLOADS)]
    # Every group is among what tokens are spread over, and they must not fit.
    for size in {size for key, size in plan.items()
                 if key.endswith("tp") and isinstance(size, int)}:
        assert any(count_tokens(workload, plan) % size
                   for workload in workloads)
    with tempfile.TemporaryDirectory() as folder:
        module = os.path.join(folder, "unbound.mlir")
        run(tc_opt, "-o", module, pipeline_options(plan, action), text=text)
        return list(filter(None, pool.map(
            lambda workload: compare(tensorcast, module, model, action, plan,
                                     workload), workloads)))


def main():
    tools = sys.argv[1:]
    generator = random.Random(20260801)
    failed = False
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for model, action in MODELS:
            for name, plan in PLANS.items():
                differences = check(tools, pool, generator, model, action, plan)
                for difference in differences:
                    print(f"{model}, {name}: {difference}")
                print(f"{model}, {name}: {WORKLOADS - len(differences)} "
                      "workloads agree")
                failed |= bool(differences)
    sys.exit(failed)


if __name__ == "__main__":
    main()
