#!/usr/bin/env python3
"""Measures how long searches take, as ratios that hold on any machine.

    search.py [--build BUILD] [--runs 21]

Runs on request and is no part of the tests. All commands take turns, so that a
slow second of the machine hits each of them alike; compared are medians. Exit
status 1 if a ratio misses its target.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOUNDING_MODEL = "deepseek-ai/DeepSeek-V3.2"
FOUNDING_DEVICES = ["--device", "ATLAS_800_A3_752T_128G_DIE", "--num-devices",
                    "16", "--quantize-linear-action", "FP8"]
FOUNDING_SEARCH = ["--input-length", "4096", "--output-length", "128",
                   "--tp-sizes", "1", "--ep-sizes", "16", "--moe-dp-sizes",
                   "1", "--batch-range", "1", "16", "--tpot-limits", "200",
                   "--max-batched-tokens", "8192", "--reserved-memory-gb", "0"]
FOUNDING_STEP = ["--num-queries", "80", "--query-length", "1",
                 "--context-length", "4160", "--decode", "--ep-size", "16"]
DENSE_MODEL = "Qwen/Qwen3-32B"
DENSE_DEVICES = ["--device", "TEST_DEVICE", "--num-devices", "8", "--compile"]
DENSE_SEARCH = ["--input-length", "3500", "--output-length", "1500",
                "--tpot-limits", "50"]
DENSE_STEP = ["--num-queries", "193", "--query-length", "1",
              "--context-length", "4250", "--decode", "--tp-size", "8"]
# The more plans, the smaller the part of start-up: 8 precisions of 13 plans.
PLANS = ["--num-devices", "64", "--tp-sizes", "--dcp-sizes", "1", "2",
         "--input-length", "3500", "--output-length", "1500", "--compile",
         "--tpot-limits", "50", "--max-search-combinations", "0"]


def commands(tool):
    search = [tool, "throughput-optimizer"]
    step = [tool, "text-generate"]
    many = [*search, DENSE_MODEL, *PLANS]
    table = {
        "step, DeepSeek-V3.2":
            [*step, FOUNDING_MODEL, *FOUNDING_DEVICES, *FOUNDING_STEP],
        "founding search, 2026.06":
            [*search, FOUNDING_MODEL, *FOUNDING_DEVICES, *FOUNDING_SEARCH,
             "--reference", "2026.06"],
        "founding search, 2026.08":
            [*search, FOUNDING_MODEL, *FOUNDING_DEVICES, *FOUNDING_SEARCH],
        "step, Qwen3-32B": [*step, DENSE_MODEL, *DENSE_DEVICES, *DENSE_STEP],
        "default search, Qwen3-32B":
            [*search, DENSE_MODEL, *DENSE_DEVICES, *DENSE_SEARCH],
    }
    devices = ["ATLAS_800_A2_376T_64G", "ATLAS_800_A2_313T_64G",
               "ATLAS_800_A2_280T_64G", "ATLAS_800_A3_752T_128G_DIE",
               "ATLAS_800_A3_560T_128G_DIE", "TEST_DEVICE",
               "ATLAS_350_425T_112G", "ATLAS_350_425T_84G"]
    precisions = ["DISABLED", "W8A16_STATIC", "W8A16_DYNAMIC", "W8A8_STATIC",
                  "W8A8_DYNAMIC", "W4A8_STATIC", "W4A8_DYNAMIC", "FP8"]
    for count in (1, 2, 4, 8):
        table[f"plans of {count} precisions, 1 thread"] = [
            *many, "--precisions", *precisions[:count], "--jobs", "1"]
    for jobs in (2, 4):
        table[f"plans of 8 precisions, {jobs} threads"] = [
            *many, "--precisions", *precisions, "--jobs", str(jobs)]
    # Devices share what passes make of a plan.
    devices = ["ATLAS_800_A2_376T_64G", "ATLAS_800_A2_313T_64G",
               "ATLAS_800_A2_280T_64G", "ATLAS_800_A3_752T_128G_DIE",
               "ATLAS_800_A3_560T_128G_DIE", "TEST_DEVICE",
               "ATLAS_350_425T_112G", "ATLAS_350_425T_84G"]
    for count in (1, 8):
        table[f"plans of {count} devices, 1 thread"] = [
            *many, "--device", *devices[:count], "--jobs", "1"]
    return table


def measure(table, runs):
    times = {name: [] for name in table}
    for _ in range(runs):
        for name, command in table.items():
            begin = time.perf_counter()
            subprocess.run(command, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, check=True)
            times[name].append(time.perf_counter() - begin)
    return {name: statistics.median(values) for name, values in times.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--runs", type=int, default=21)
    arguments = parser.parse_args()
    tool = str(pathlib.Path(arguments.build) / "bin" / "tensorcast")
    medians = measure(commands(tool), arguments.runs)
    for name, seconds in medians.items():
        print(f"{name:36} {1e3 * seconds:8.1f} ms")
    founding, dense = medians["step, DeepSeek-V3.2"], medians["step, Qwen3-32B"]
    one = "plans of {} precisions, 1 thread".format
    many = "plans of 8 precisions, {} threads".format
    devices = "plans of {} devices, 1 thread".format
    checks = [
        ("founding search of 2026.06 / step",
         medians["founding search, 2026.06"] / founding, 5),
        ("founding search of 2026.08 / step",
         medians["founding search, 2026.08"] / founding, 5),
        ("default search / step",
         medians["default search, Qwen3-32B"] / dense, 10),
        # Twice the plans take no more than twice the time.
        ("time of 8 times the plans / 8 times the time",
         medians[one(8)] / (8 * medians[one(1)]), 1.1),
        ("time of 8 devices / time of one",
         medians[devices(8)] / medians[devices(1)], 4),
    ]
    for jobs in (2, 4):
        if jobs <= os.cpu_count():
            # Start-up and the last plan of each thread are not shared.
            checks.append((f"time with {jobs} threads / its part",
                           medians[many(jobs)] * jobs / medians[one(8)], 1.4))
    failed = False
    print()
    for name, ratio, target in checks:
        misses = ratio > target
        failed |= misses
        print(f"{name:46} {ratio:6.2f}, at most {target:g}"
              f"{': MISSES' if misses else ''}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
