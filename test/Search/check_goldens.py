#!/usr/bin/env python3
"""Checks that searches find what recorded searches of the reference found.

    check_goldens.py TENSORCAST MODELS GOLDENS [--tolerance SHARE] [OPTIONS...]

GOLDENS is a folder of golden files, or one of them. OPTIONS, such as the date
of the reference, go with every search. Each golden file is one search: its
options and its table. The same options are searched here, on the model of that
name in the folder MODELS. All rows must have the same plans, batches and
concurrencies, in the same order; throughputs and times must agree to the
tolerance (default: 1 %). A search whose best plan lies within 5 % of the device's memory is
compared by throughput alone, since activations are not counted as there.
"""

import json
import pathlib
import subprocess
import sys

NEAR_MEMORY = 0.05
# Column of the reference's table: key here.
NAMES = {"parallel": "plan", "P Parallel": "prefill_plan",
         "D Parallel": "decode_plan"}
COUNTS = {"batch_size": "batch", "concurrency": "concurrency",
          "P Batch Size": "prefill_batch", "D Batch Size": "decode_batch",
          "P Concurrency": "prefill_concurrency",
          "D Concurrency": "decode_concurrency"}
NUMBERS = {"TTFT (ms)": "ttft_ms", "TPOT (ms)": "tpot_ms",
           "QPS (req/s)": "requests_per_second",
           "P QPS (req/s)": "prefill_requests_per_second",
           "D QPS (req/s)": "decode_requests_per_second",
           "Balanced QPS (req/s)": "balanced_requests_per_second",
           "PD Ratio": "ratio"}
THROUGHPUTS = ("output_tokens_per_second", "input_tokens_per_second")


def differs(ours, text, tolerance):
    """The table is rounded: half of its last digit is no difference."""
    digits = len(text.partition(".")[2])
    rounding = 0.5 * 10.0 ** -digits
    return abs(ours - float(text)) > tolerance * abs(float(text)) + rounding


def is_near_memory(row):
    memory = row.get("memory")
    return (memory is not None and memory["available_bytes"] <
            NEAR_MEMORY * memory["device_bytes"])


def row_problems(ours, reference, tolerance, only_throughput):
    pairs = []
    for column, text in reference.items():
        if column == "Throughput (token/s)":
            key = next((key for key in THROUGHPUTS if key in ours), "")
            pairs.append((column, ours.get(key), text, tolerance))
        elif column in NUMBERS and not only_throughput:
            pairs.append((column, ours.get(NUMBERS[column]), text, tolerance))
        elif column in COUNTS and not only_throughput:
            pairs.append((column, ours.get(COUNTS[column]), text, 0))
        elif column in NAMES and ours.get(NAMES[column]) != text:
            yield f"{column}: {ours.get(NAMES[column])}, reference {text}"
    for column, value, text, allowed in pairs:
        if value is None or differs(value, text, allowed):
            yield f"{column}: {value}, reference {text}"


def check(tool, models, path, tolerance, more):
    golden = json.loads(path.read_text())
    command = [tool, "throughput-optimizer", str(models / golden["config"]),
               *golden["options"].split(), "--format", "json", *more]
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        return [done.stderr.strip()]
    results = json.loads(done.stdout)["results"]
    table = golden["tables"][0]
    if len(results) != len(table):
        return [f"{len(results)} plans, reference {len(table)}"]
    problems = []
    for ours, reference in zip(results, table):
        problems += [f"{reference['Top']}: {text}" for text in
                     row_problems(ours, reference, tolerance,
                                  is_near_memory(ours))]
    return problems


def main():
    arguments = sys.argv[1:]
    tolerance = 0.01
    if "--tolerance" in arguments:
        at = arguments.index("--tolerance")
        tolerance = float(arguments[at + 1])
        del arguments[at:at + 2]
    tool, models, goldens, *more = arguments
    goldens = pathlib.Path(goldens)
    paths = sorted(goldens.glob("*.json")) if goldens.is_dir() else [goldens]
    if not paths:
        sys.exit(f"no golden files in {goldens}")
    failed = False
    for path in paths:
        problems = check(tool, pathlib.Path(models), path, tolerance, more)
        failed |= bool(problems)
        print(f"{path.stem}: {'differs' if problems else 'agrees'}")
        for problem in problems:
            print(f"  {problem}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
