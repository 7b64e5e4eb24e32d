"""Prices an encoder step by step and compiled, and says what is saved.

Argument: the config of the encoder.
"""

import json
import subprocess
import sys

LEAST = {"launches": 75, "write_backs": 70, "execution_time_s": 50,
         "activation_bytes": 22}


def price(config, *options):
    run = subprocess.run(
        ["tensorcast", "text-generate", config, "--num-queries", "1",
         "--query-length", "128", "--device", "ATLAS_800_A2_376T_64G",
         "--quantize-linear-action", "DISABLED", "--kernel-set", "ascend",
         "--format", "json", *options],
        capture_output=True, text=True, check=True)
    report = json.loads(run.stdout)
    return {**report, **report["memory"]}


def count_launches(report):
    return {op["name"]: op["calls"] for op in report["ops"]}


def main():
    config = sys.argv[1]
    before, after = price(config), price(config, "--compile")
    # One layer more is that many launches more.
    longer, shorter = (
        count_launches(price(config, "--num-hidden-layers-override", layers))
        for layers in ("2", "1"))
    layer = {op: longer[op] - shorter.get(op, 0) for op in sorted(longer)}
    print("launches of a layer: " + ", ".join(
        f"{op} {count}" for op, count in layer.items() if count))
    for key, least in LEAST.items():
        holds = after[key] <= before[key] * (1 - least / 100)
        print(f"{key}: {before[key]} to {after[key]}, at least {least} % less: "
              f"{'yes' if holds else 'no'}")


main()
