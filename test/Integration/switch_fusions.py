#!/usr/bin/env python3
"""Takes fusions apart again, and switches them off one by one.

    switch_fusions.py TC_IMPORT TC_OPT TENSORCAST MODELS FAMILIES ENCODER

For each preset in the folder MODELS, small, and for the module ENCODER:
composites that are decomposed and won back by the fusions, in any order of the
passes, are the module as it was, byte for byte. So is ENCODER with activations in
the kernels of its layers, which are taken out and put back. For one preset of each dense family that the file FAMILIES
describes, sharded and quantized, and for ENCODER with physical kernels: with a
fusion switched off, the report has exactly the kernels that it would have
joined, for people as well as for programs, and nothing else changes; the price
rises by what these kernels cost. It makes no difference whether an option of the
pass switches it off or a mark of the functions, and then the fusion report says
for each place that it was.
"""

import collections
import concurrent.futures
import itertools
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

# What wins back what decomposition took apart, in whatever order.
RAISING = ("transformer-fuse-norm{residual=false layer-norm-residual=false}",
           "transformer-fuse-attention{rope-pair=false}",
           "transformer-fuse-ffn{linear-activation=false}",
           "transformer-fuse-moe{grouped-swiglu=false grouped-quantize=false "
           "dispatch-ffn-combine=false}")
# The fusion passes, in the order of `tensorcast-compile`, and their switches.
PASSES = [("fuse-comm", ["share", "linear-all-reduce"]),
          ("fuse-norm",
           ["rms-norm", "residual", "layer-norm", "layer-norm-residual"]),
          ("fuse-attention", ["rope", "rope-pair"]),
          ("fuse-ffn", ["swiglu", "gelu", "linear-activation"]),
          ("fuse-quant", ["share", "norm"]),
          ("merge-linears", ["linears"])]
# A preset of each dense family; that of qwen2 has biases.
PRESETS = {"llama": "meta-llama__Meta-Llama-3.1-8B",
           "mistral": "mistralai__Mistral-7B-v0.3",
           "qwen2": "Qwen__Qwen2.5-7B-Instruct", "qwen3": "Qwen__Qwen3-0.6B"}
PIECES_OF_NORM = {"cast": 2, "pow": 1, "mean": 1, "add_scalar": 1, "rsqrt": 1,
                  "mul": 2}
PIECES_OF_ROPE = {"mul": 2, "neg": 1, "concat": 1, "add": 1}


def expect(norms_queries_and_keys):
    """Launches of one layer more (or less) than with all fusions, by switch.

    A layer has a norm before attention and before the MLP, some families one of
    queries and one of keys, and the model has a last one; four tensors are
    quantized, for seven linear layers, of which two sum over devices.
    """
    # Those that nothing is joined with: the last, of queries, of keys.
    alone = 3 if norms_queries_and_keys else 1
    return {
        # Nothing in this plan gathers one tensor twice.
        ("fuse-comm", "share"): {},
        ("fuse-comm", "linear-all-reduce"): {
            "quantized_matmul_all_reduce": -2, "quantized_matmul": 2,
            "all_reduce": 2},
        # Without a norm there is nothing for residual and quantization to join.
        ("fuse-norm", "rms-norm"): {
            "rms_norm": -alone, "rms_norm_dynamic_quantize": -1,
            "add_rms_norm_dynamic_quantize": -1, "dynamic_quantize": 2,
            "add": 1, **{name: (alone + 2) * count
                         for name, count in PIECES_OF_NORM.items()}},
        ("fuse-norm", "residual"): {
            "add_rms_norm_dynamic_quantize": -1, "rms_norm_dynamic_quantize": 1,
            "add": 1},
        ("fuse-attention", "rope"): {
            "rope_pair": -1,
            **{name: 2 * count for name, count in PIECES_OF_ROPE.items()}},
        ("fuse-attention", "rope-pair"): {"rope_pair": -1, "rope": 2},
        ("fuse-ffn", "swiglu"): {"swiglu": -1, "silu": 1, "mul": 1},
        # Queries, keys and values have a quantization each, gate and up too;
        # then norms have several readers, and layers different inputs.
        ("fuse-quant", "share"): {
            "rms_norm_dynamic_quantize": -1,
            "add_rms_norm_dynamic_quantize": -1, "rms_norm": 1,
            "add_rms_norm": 1, "dynamic_quantize": 5, "quantized_matmul": 3},
        ("fuse-quant", "norm"): {
            "rms_norm_dynamic_quantize": -1,
            "add_rms_norm_dynamic_quantize": -1, "rms_norm": 1,
            "add_rms_norm": 1, "dynamic_quantize": 2},
        ("merge-linears", "linears"): {"quantized_matmul": 3},
    }


# The same of the two layers of the encoder with physical kernels. A layer has two
# norms, one of them with a bias, behind residuals; a GELU of each form; and a
# rotation of queries and one of keys.
EXPECTED_OF_ENCODER = {
    ("fuse-norm", "layer-norm"): {
        "add_layer_norm_bias": -2, "add_layer_norm_discard": -2, "add": 6,
        "mean": 8, "sub": 4, "pow": 4, "add_scalar": 4, "sqrt": 4, "div": 4,
        "mul": 4},
    ("fuse-norm", "layer-norm-residual"): {
        "add_layer_norm_bias": -2, "add_layer_norm_discard": -2, "add": 4,
        "layer_norm_bias": 2, "layer_norm": 2},
    ("fuse-attention", "rope"): {
        "rope_pair": -2,
        **{name: 4 * count for name, count in PIECES_OF_ROPE.items()}},
    ("fuse-attention", "rope-pair"): {"rope_pair": -2, "rope": 4},
    # One of the two is behind a linear layer, in its kernel.
    ("fuse-ffn", "gelu"): {
        "quantized_matmul_gelu_erf": -2, "quantized_matmul": 2, "gelu_tanh": -2,
        "mul_scalar": 10, "erf": 2, "pow": 2, "add": 2, "tanh": 2,
        "add_scalar": 4, "mul": 4},
    ("fuse-ffn", "linear-activation"): {
        "quantized_matmul_gelu_erf": -2, "quantized_matmul": 2, "gelu_erf": 2},
}


def run(*command, text=None):
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stderr}")
    return done.stdout


def is_dense(family):
    """Mixtures, latent and linear attention are made of other launches; families
    that nest or resemble another are made of that one's."""
    return not any(family.get(key) for key in
                   ("encoder", "mixture", "latent_attention", "linear_attention",
                    "text_config", "like"))


class Tools:
    def __init__(self, tc_import, tc_opt, tensorcast):
        self.tc_import, self.tc_opt = tc_import, tc_opt
        self.tensorcast = tensorcast

    def load(self, path):
        if path.suffix == ".mlir":
            return path.read_text(encoding="utf-8")
        return run(self.tc_import, path, "--reduced")

    def has_identity(self, path):
        module = self.load(path)
        whole = run(self.tc_opt, "--mlir-print-debuginfo", text=module)
        # A module of which nothing was taken apart would prove nothing.
        apart = run(self.tc_opt, "--mlir-print-debuginfo",
                    "--transformer-decompose", text=module)
        if apart == whole:
            print(f"{path.stem}: nothing is taken apart")
            return False
        for order in itertools.permutations(RAISING):
            passes = ",".join(("transformer-decompose", *order))
            if run(self.tc_opt, "--mlir-print-debuginfo",
                   f"--pass-pipeline=builtin.module(func.func({passes}))",
                   text=module) != whole:
                print(f"{path.stem}: {passes} is not the identity")
                return False
        return True

    def has_identity_of_epilogues(self, path):
        fuse = ("transformer-decompose,transformer-fuse-norm,"
                "transformer-fuse-ffn")

        def rewrite(passes, module):
            return run(self.tc_opt, "--mlir-print-debuginfo",
                       f"--pass-pipeline=builtin.module(func.func({passes}))",
                       text=module)

        fused = rewrite(fuse, self.load(path))
        apart = rewrite("transformer-decompose{level=primitive ops=fused}",
                        fused)
        return ('fused "matmul_gelu_erf"' in fused
                and "transformer.fused" not in apart
                and rewrite(fuse, apart) == fused)

    def price(self, module, off, kernels, disable=None):
        """Prices a compiled module with one switch off: (pass, switch).

        `disable` is a fusion that functions are marked with.
        """
        passes = []
        for name, switches in PASSES:
            values = [f"{switch}={'false' if off == (name, switch) else 'true'}"
                      for switch in switches]
            passes.append(f"transformer-{name}{{{' '.join(values)}}}")
        mark = f"{{disable={disable}}}" if disable else ""
        pipeline = ("transformer-dedup-layers,"
                    f"transformer-mark-layers{mark},transformer-shard{{tp=2}},"
                    "func.func(transformer-quantize),"
                    "transformer-bind-workload{queries=2 query-length=7},"
                    "func.func(transformer-decompose," + ",".join(passes) + "),"
                    "convert-transformer-to-ascend{compiled=true "
                    f"kernel-set={kernels}}},"
                    "ascend-estimate{device=TEST_DEVICE}")
        with tempfile.TemporaryDirectory() as folder:
            fusions = pathlib.Path(folder, "fusions.json")
            priced = run(self.tc_opt, f"--fusion-report={fusions}",
                         f"--pass-pipeline=builtin.module({pipeline})",
                         text=module)
            fused = json.loads(fusions.read_text(encoding="utf-8"))["fusions"]
        report = json.loads(run(self.tensorcast, "report", "--format", "json",
                                text=priced))
        table = run(self.tensorcast, "report", text=priced)
        launches, seconds = collections.Counter(), collections.Counter()
        for op in report["ops"]:
            launches[op["name"]] += op["calls"]
            seconds[op["name"]] += op["total_s"]
        rows = {(row["category"], row["name"]): row for row in fused}
        return launches, seconds, report["execution_time_s"], table, rows

    def problem(self, module, full, off, kernels, expected):
        launches, seconds, total, table, _ = self.price(module, off, kernels)
        full_launches, full_seconds, full_total, _, full_rows = full
        name = ".".join(off)
        marked = self.price(module, None, kernels, disable=name)
        if marked[:3] != (launches, seconds, total):
            return "is not what a mark of functions makes"
        row, full_row = marked[4].get(off), full_rows.get(off)
        missed = sum(miss["count"] for miss in row["near_misses"]
                     if miss["reason"] == f"switched off by '{name}'"
                     ) if row else 0
        # Places without the fusion are all where it was, and may be more: the
        # second norm of a sum is fused because the first one was not.
        if missed < (full_row["fused"] if full_row else 0) or (
                row and row["fused"] > 0):
            return f"is reported as {row}, but was {full_row}"
        names = set(launches) | set(full_launches)
        change = {name: launches[name] - full_launches[name]
                  for name in names if launches[name] != full_launches[name]}
        rows = [line.split() for line in table.splitlines()]
        for name in change:
            # Counted from the right: physical kernels have no name of the
            # reference.
            calls = [row[-8] for row in rows
                     if len(row) > 8 and row[0] == name]
            if calls != [str(int(launches[name]))] * (launches[name] > 0):
                return f"has {name} in the table {calls} times"
        if change != expected:
            return f"changes launches by {dict(sorted(change.items()))}"
        if not change:
            return None if total == full_total else "changes the price"
        # Kernels that a fusion has nothing to do with cost what they did.
        moved = sum(seconds[name] - full_seconds[name] for name in change)
        if not math.isclose(total - full_total, moved, rel_tol=1e-9):
            return "changes the price of other kernels"
        return None if total > full_total else "does not raise the price"


def check(tools, pool, name, module, kernels, expected):
    """Prints what each switch does to a module; whether all is as expected."""
    full = tools.price(module, None, kernels)
    problems = list(pool.map(
        lambda off: tools.problem(module, full, off, kernels, expected[off]),
        expected))
    for (fusion, switch), problem in zip(expected, problems):
        print(f"{name}, {fusion} {switch or 'off'}: {problem or 'as expected'}")
    return not any(problems)


def main():
    tools, models = Tools(*sys.argv[1:4]), pathlib.Path(sys.argv[4])
    families = json.loads(pathlib.Path(sys.argv[5]).read_text())
    encoder = pathlib.Path(sys.argv[6])
    paths = sorted(models.glob("*.json")) + [encoder]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        same = list(pool.map(tools.has_identity, paths))
        same.append(tools.has_identity_of_epilogues(encoder))
        if not same[-1]:
            print("activations in kernels of layers are not won back")
        print(f"{sum(same)} of {len(same)} modules are won back")
        agree = []
        # A dense family without a preset here is an error.
        for name, family in families.items():
            if not is_dense(family):
                continue
            config = models / f"{PRESETS[name]}.json"
            module = run(tools.tc_import, config, "--reduced",
                         "--num-hidden-layers-override", "1")
            agree.append(check(tools, pool, config.stem, module,
                               "reference-2026.08",
                               expect(family["qk_norm"])))
        agree.append(check(tools, pool, "encoder", tools.load(encoder),
                           "ascend", EXPECTED_OF_ENCODER))
    sys.exit(not all(same) or not all(agree))


if __name__ == "__main__":
    main()
