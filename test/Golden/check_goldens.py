#!/usr/bin/env python3
"""Checks that prices equal recorded runs of the reference simulator.

    check_goldens.py [--close] TENSORCAST MODELS GOLDENS [OPTIONS...]

GOLDENS is a folder of golden files, or one of them. OPTIONS, such as the date
of the reference, go with every run. Each golden file is one run: its options, total time, memory, breakdown, every operator with its calls, and every
launch. The same options are run here, on the model of that name in the folder
MODELS. Everything must agree to rounding: the launches to four digits, which is
how equal ones are found. With --close, only total, weights and KV cache count,
and may differ by half a percent: for runs with small launches that are left out on
purpose.
"""

import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

GIB = 1 << 30
ROUNDING = 1e-9
MEMORY_ROUNDING = 1e-6
CLOSE = 0.005
# What a launch counts under: ours, and the reference's name.
BOUNDS = {"cube_s": "compute_bound_mma", "vector_s": "compute_bound_gp",
          "memory_s": "memory_bound", "communication_s": "communication_bound"}


def differs(ours, reference, tolerance):
    return abs(ours - reference) > tolerance * abs(reference)


def run(tool, config, options, *more):
    command = [tool, "text-generate", str(config), *options.split(),
               "--format", "json", *more]
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return json.loads(done.stdout)


def total_problems(report, golden):
    pairs = [("execution_time_s", report["execution_time_s"],
              golden["execution_time_s"], ROUNDING)]
    memory = golden["memory_gib"]
    for name, key in (("weights", "weights_bytes"),
                      ("kv_cache", "kv_cache_bytes")):
        pairs.append((name, report["memory"][key] / GIB, memory[name],
                      MEMORY_ROUNDING))
    for name, reference_name in BOUNDS.items():
        pairs.append((name, report["breakdown"][name],
                      golden["breakdown_s"][reference_name], ROUNDING))
    return [f"{name}: {ours!r}, reference {reference!r}"
            for name, ours, reference, tolerance in pairs
            if differs(ours, reference, tolerance)]


def operator_problems(report, golden):
    ours = collections.defaultdict(lambda: [0, 0.0])
    for op in report["ops"]:
        ours[op["reference_name"]][0] += op["calls"]
        ours[op["reference_name"]][1] += op["total_s"]
    reference = {op["name"]: (op["calls"], op["total_s"])
                 for op in golden["ops"]}
    problems = []
    for name in sorted(set(ours) | set(reference)):
        calls, seconds = ours.get(name, (0, 0.0))
        reference_calls, reference_seconds = reference.get(name, (0, 0.0))
        if calls != reference_calls or differs(seconds, reference_seconds,
                                               ROUNDING):
            problems.append(f"operator {name}: {calls} calls, {seconds!r} s, "
                            f"reference {reference_calls} calls, "
                            f"{reference_seconds!r} s")
    return problems


def launch_problems(report, golden):
    """Compares launches by operator and time; shapes have other spellings."""
    def count(rows):
        calls = collections.Counter()
        for name, number, seconds in rows:
            calls[name, f"{seconds:.4g}"] += number
        return calls

    ours = count((op["reference_name"], op["calls"], op["average_s"])
                 for op in report["ops"])
    reference = count((launch["op"], launch["calls"], launch["time_s"])
                      for launch in golden["groups"])
    return [f"launch {name} of {seconds} s: {ours[name, seconds]} calls, "
            f"reference {reference[name, seconds]}"
            for name, seconds in sorted(set(ours) | set(reference))
            if ours[name, seconds] != reference[name, seconds]]


def close_problems(report, golden):
    memory = golden["memory_gib"]
    pairs = [("execution_time_s", report["execution_time_s"],
              golden["execution_time_s"])]
    pairs += [(name, report["memory"][key] / GIB, memory[name])
              for name, key in (("weights", "weights_bytes"),
                                ("kv_cache", "kv_cache_bytes"))]
    return [f"{name}: {ours!r}, reference {reference!r}"
            for name, ours, reference in pairs
            if differs(ours, reference, CLOSE)]


def check(tool, models, path, more, is_close):
    golden = json.loads(path.read_text())
    # `.derived` says where a config is from; the model has the rest.
    config = models / golden["config"].replace(".derived.json", ".json")
    try:
        report = run(tool, config, golden["options"], *more)
        if is_close:
            return close_problems(report, golden)
        by_launch = run(tool, config, golden["options"], "--dump-input-shapes",
                        *more)
    except RuntimeError as error:
        return [str(error)]
    return (total_problems(report, golden) + operator_problems(report, golden)
            + launch_problems(by_launch, golden))


def main():
    is_close = sys.argv[1] == "--close"
    arguments = sys.argv[1 + is_close:]
    tool, more = arguments[0], arguments[3:]
    models, goldens = map(pathlib.Path, arguments[1:3])
    paths = sorted(goldens.glob("*.json")) if goldens.is_dir() else [goldens]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(
            lambda path: check(tool, models, path, more, is_close), paths))
    for path, problems in zip(paths, results):
        print(f"{path.stem}: {'differs' if problems else 'agrees'}")
        for problem in problems:
            print(f"  {problem}")
    sys.exit(any(results))


if __name__ == "__main__":
    main()
