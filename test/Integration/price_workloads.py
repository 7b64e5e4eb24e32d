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
# Model, how its linear layers are quantized, and how many layers are kept:
# layers are equal, so that a few of them say as much as all.
MODELS = [("Qwen/Qwen3-32B", "W8A8_DYNAMIC", 64),
          ("Qwen/Qwen2.5-7B-Instruct", "W8A8_STATIC", 4),
          ("meta-llama/Meta-Llama-3.1-8B", "DISABLED", 4)]


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


def compare(tensorcast, module, model, action, layers, workload):
    common = ["--format", "json", *workload]
    late = run(tensorcast, "report", module, *common)
    early = run(tensorcast, "text-generate", model, *common,
                "--quantize-linear-action", action,
                "--num-hidden-layers-override", str(layers))
    difference = find_difference(by_name(json.loads(late)),
                                 by_name(json.loads(early)))
    return f"{' '.join(workload)}: {difference}" if difference else None


def main():
    tc_import, tc_opt, tensorcast = sys.argv[1:]
    generator = random.Random(20260801)
    failed = False
    for model, action, layers in MODELS:
        text = run(tc_import, model, "--num-hidden-layers-override",
                   str(layers))
        with tempfile.TemporaryDirectory() as folder:
            module = os.path.join(folder, "unbound.mlir")
            run(tc_opt, "-o", module,
                f"--tensorcast-eager=quantize-linear-action={action}",
                text=text)
            workloads = [random_workload(generator) for _ in range(WORKLOADS)]
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                differences = list(filter(None, pool.map(
                    lambda workload: compare(tensorcast, module, model, action,
                                             layers, workload), workloads)))
        for difference in differences:
            print(f"{model}: {difference}")
        print(f"{model}: {WORKLOADS - len(differences)} workloads agree")
        failed |= bool(differences)
    sys.exit(failed)


if __name__ == "__main__":
    main()
