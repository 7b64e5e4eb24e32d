#!/usr/bin/env python3
"""Measures how long the tools take, as ratios that hold on any machine.

    startup.py [--build BUILD] [--runs 21]

Runs on request and is no part of the tests. All commands take turns, so that
a slow second of the machine hits each of them alike; compared are medians.
Exit status 1 if a ratio misses its target.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
MLIR_OPT = "/usr/lib/llvm-22/bin/mlir-opt"
DENSE = ROOT / "models" / "meta-llama__Meta-Llama-3.1-8B.json"
MIXTURE = ROOT / "models" / "deepseek-ai__DeepSeek-V3.2.json"
# The founding case: one layer of 256 experts stands for 58.
FOUNDING = ["--num-queries", "16", "--query-length", "1", "--context-length",
            "4096", "--device", "ATLAS_800_A3_752T_128G_DIE",
            "--quantize-linear-action", "FP8", "--num-devices", "16",
            "--ep-size", "16", "--compile"]
WORKLOAD = ["--num-queries", "2", "--query-length", "3500",
            "--device", "TEST_DEVICE"]
COMPILED = ("--tensorcast-compile=queries=2 query-length=3500 "
            "device=TEST_DEVICE")
PIPELINE = "--tensorcast-eager=queries=2 query-length=3500 device=TEST_DEVICE"


MIXTURES = {
    "61 layers": {},
    "8 layers": {"num_hidden_layers": 8},
    "16 experts": {"n_routed_experts": 16},
}


def write_config(directory, base, **changes):
    """Writes the config `base` with other values, as the numbers of layers."""
    config = json.loads(base.read_text())
    config.update(changes)
    name = "-".join([base.stem, *(f"{k}{v}" for k, v in changes.items())])
    path = pathlib.Path(directory) / name / "config.json"
    path.parent.mkdir()
    path.write_text(json.dumps(config))
    return str(path)


def commands(bin_dir, scratch):
    """Returns name -> list of commands, which run one after the other."""
    empty = pathlib.Path(scratch) / "empty.mlir"
    empty.write_text("module {}\n")
    tool = lambda name: str(bin_dir / name)
    table = {
        "mlir-opt, empty module": [[MLIR_OPT, str(empty)]],
        "tc-opt, empty module": [[tool("tc-opt"), str(empty)]],
        "text-generate Qwen3-32B": [
            [tool("tensorcast"), "text-generate", "Qwen/Qwen3-32B", *WORKLOAD]],
    }
    # A pattern that matches in every layer; the cache has it after one turn.
    pattern = ROOT / "examples" / "patterns" / "swiglu-down.pdll"
    ir = str(pathlib.Path(scratch) / "qwen.mlir")
    compiled = f"{COMPILED} quantize-linear-action=DISABLED"
    table["text-generate Qwen3-32B --compile"] = [
        [tool("tensorcast"), "text-generate", "Qwen/Qwen3-32B", *WORKLOAD,
         "--compile"]]
    table["tc-import Qwen3-32B"] = [
        [tool("tc-import"), "Qwen/Qwen3-32B", "-o", ir]]
    table["tc-opt, compiled"] = [
        [tool("tc-opt"), ir, compiled, "-o", "/dev/null"]]
    table["tc-opt, compiled with a pattern"] = [
        [tool("tc-opt"), ir, f"{compiled} patterns={pattern}", "-o",
         "/dev/null"]]
    for layers in (32, 126):
        config = write_config(scratch, DENSE, num_hidden_layers=layers)
        ir = str(pathlib.Path(scratch) / f"layers{layers}.mlir")
        table[f"text-generate, {layers} layers"] = [
            [tool("tensorcast"), "text-generate", config, *WORKLOAD]]
        table[f"tc-import, {layers} layers"] = [
            [tool("tc-import"), config, "-o", ir]]
        table[f"tc-opt, {layers} layers"] = [
            [tool("tc-opt"), ir, PIPELINE, "-o", "/dev/null"]]
    for name, changes in MIXTURES.items():
        config = write_config(scratch, MIXTURE, **changes)
        table[f"text-generate DeepSeek-V3.2, {name}"] = [
            [tool("tensorcast"), "text-generate", config, *FOUNDING]]
    return table


def run_once(sequence):
    start = time.perf_counter()
    for command in sequence:
        done = subprocess.run(command, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            sys.exit(f"failed: {' '.join(command)}\n{done.stderr}")
    return time.perf_counter() - start


def measure(table, runs):
    times = {name: [] for name in table}
    for turn in range(runs + 1):
        for name, sequence in table.items():
            seconds = run_once(sequence)
            if turn:  # the first turn fills the file cache
                times[name].append(seconds)
    return {name: statistics.median(values) for name, values in times.items()}


def ratios(median):
    """Yields (what, ratio, target)."""
    yield ("text-generate / mlir-opt on an empty module",
           median["text-generate Qwen3-32B"] / median["mlir-opt, empty module"],
           0.3)
    yield ("text-generate --compile / mlir-opt on an empty module",
           median["text-generate Qwen3-32B --compile"] /
           median["mlir-opt, empty module"], 0.3)
    yield ("tc-opt compiled with a pattern that matches / without",
           median["tc-opt, compiled with a pattern"] /
           median["tc-opt, compiled"], 1.2)
    empty = median["tc-opt, empty module"]
    for programs in (["text-generate"], ["tc-import", "tc-opt"]):
        few, many = (
            sum(median[f"{program}, {layers} layers"] for program in programs)
            - empty for layers in (32, 126))
        yield (f"{' + '.join(programs)}: 126 layers / 32 layers, above an "
               "empty module", many / few if few > 0 else float("inf"), 3.0)
    mixture = {name: median[f"text-generate DeepSeek-V3.2, {name}"]
               for name in MIXTURES}
    yield ("text-generate DeepSeek-V3.2 --compile / mlir-opt on an empty module",
           mixture["61 layers"] / median["mlir-opt, empty module"], 0.5)
    for name, target in (("8 layers", 3.0), ("16 experts", 1.2)):
        yield (f"DeepSeek-V3.2: 61 layers of 256 experts / {name}, above an "
               "empty module",
               (mixture["61 layers"] - empty) / (mixture[name] - empty), target)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--runs", type=int, default=21)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        median = measure(commands(options.build / "bin", scratch), options.runs)
    for name, seconds in median.items():
        print(f"{1e3 * seconds:8.2f} ms  {name}")
    missed = False
    for what, ratio, target in ratios(median):
        missed |= ratio > target
        verdict = "MISSED" if ratio > target else "ok"
        print(f"{ratio:8.2f}     {what} (at most {target}): {verdict}")
    sys.exit(missed)


if __name__ == "__main__":
    main()
