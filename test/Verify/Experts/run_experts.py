"""Mixtures of experts: on many devices, quantized, in parts and fused.

Arguments: the root of the sources, a folder for modules, what to run, the
family of the model: one without a shared expert, both of whose layers are
mixtures, or one with, whose first layer is dense and whose experts are in
groups.
"""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "Inputs"))
from cases import Cases  # noqa: E402

FUSED = (",transformer-decompose,transformer-fuse-ffn,transformer-fuse-quant,"
         "transformer-merge-linears,transformer-fuse-moe")

# Tokens split between norms; experts take the shares that devices have.
SPLIT = FUSED.replace("transformer-fuse-ffn",
                      "transformer-fuse-norm,transformer-sequence-parallel,"
                      "transformer-fuse-ffn")

# There are ten tokens, which four devices do not divide.
PLANS = {
    "tp=1 dp=2 ep=2": "",
    "tp=2 dp=1 ep=2": FUSED,
    "tp=4 dp=1 ep=4": ",transformer-decompose",
    "tp=2 dp=2 ep=2": "",
    "tp=1 dp=4 ep=2 moe-dp=2": "",
    "tp=1 dp=2 ep=1": "",
    "tp=2 dp=1 ep=1": FUSED,
    "tp=2 dp=1 ep=2 redundant-experts": "",
}
SHARED = {
    "tp=2 dp=1 ep=2": FUSED,
    "tp=2 dp=2 ep=1": "",
    "tp=2 dp=1 ep=2 shared-expert-tp": "",
    "tp=2 dp=2 ep=4 shared-expert-tp mlp-tp=4": "",
    "tp=2 dp=2 ep=2 moe-dp=2": "",
    "tp=1 dp=4 ep=4 redundant-experts": "",
}

# What the program must ask for, by the fewest bits of an action.
ACTIONS = {
    "W8A16_DYNAMIC": 0.999,
    "W8A8_STATIC": 0.999,
    "W8A8_DYNAMIC": 0.999,
    "FP8": 0.999,
    "W4A8_STATIC": 0.98,
    "W4A8_DYNAMIC": 0.98,
    "MXFP4": 0.98,
}


def run_plans(cases, family):
    model = cases.model(family, layers=2)
    for plan, passes in (PLANS if family == "qwen3_moe" else SHARED).items():
        cases.verify(f"{family} {plan}", model, "--f32",
                     pipeline=f"transformer-shard{{{plan}}}{passes}")
    for plan in ("tp=2 dp=1 ep=2", "tp=4 dp=1 ep=4", "tp=2 dp=2 ep=4"):
        cases.verify(f"{family} {plan}, split", model, "--f32",
                     pipeline=f"transformer-shard{{{plan}}}{SPLIT}")


def run_wrong(cases, family):
    model = cases.model(family, layers=2)

    def break_plan(what, plan, pattern, text, differs):
        """The text that is broken must be there, and nothing else is."""
        source = cases.path(what.replace(" ", "-") + ".mlir")
        cases.run("tc-opt", model, "--mlir-print-debuginfo", "-o", source,
                  f"--transformer-shard={plan}", check=True)
        with open(source) as file:
            edited, count = re.subn(pattern, text, file.read())
        if not count:
            cases.fail(what, f"expected '{pattern}' in {source}")
        with open(source, "w") as file:
            file.write(edited)
        cases.verify(what, model, source, "--f32", differs=differs)

    # Partial sums of the matrices of experts are used as they are.
    break_plan("sum left out", "tp=2 dp=1 ep=1",
               r"all_reduce (%\w+) over <2>( : tensor<\?x64xf16, #dims\w*>)",
               r"spread_tokens \1\2",
               "model.layers.0 mlp.experts.down_proj")
    # Devices take others for their neighbours than those they share with.
    break_plan("placement in steps", "tp=1 dp=4 ep=2 moe-dp=2",
               r"(placement<experts = 8, devices = 2)", r"\1, step = 2",
               "model.layers.0 mlp.experts")
    # Devices that share matrices have tokens of other requests.
    cases.verify("sum over other tokens", model, "--f32",
                 pipeline="transformer-shard{tp=1 dp=4 ep=2}",
                 differs="model.layers.0 mlp.experts")


def run_actions(cases, family):
    model = cases.model(family, layers=2)
    for action, least in ACTIONS.items():
        cases.verify(f"{family} {action}", model, min_cosine=least,
                     pipeline=f"transformer-quantize{{linear-action={action}}}")
    for action in ("W8A8_STATIC", "MXFP4"):
        cases.verify(
            f"{family} tp=2 ep=2 {action}", model, min_cosine=ACTIONS[action],
            pipeline="transformer-shard{tp=2 dp=1 ep=2},"
            f"transformer-quantize{{linear-action={action}}}{FUSED}")


def run_forms(cases, family):
    model = cases.model(family, layers=2)
    for seed in range(2):
        cases.verify(f"{family} decomposed, values {seed}", model,
                     f"--seed={seed}", pipeline="transformer-decompose")
    primitive = "transformer-decompose{level=primitive}"
    cases.verify(f"{family} primitive", model, "--f32", pipeline=primitive)
    cases.verify(f"{family} fused", model, "--f32",
                 pipeline=FUSED.removeprefix(","))
    cases.verify(f"{family} decode", model, "--f32", "--decode",
                 "--num-queries=3", "--query-length=1", pipeline=primitive)
    for action in ("W8A8_DYNAMIC", "W4A8_DYNAMIC", "MXFP4"):
        quantized = cases.rewrite(
            model, f"{family}-{action}", "builtin.module(func.func("
            f"transformer-quantize{{linear-action={action}}}))")
        cases.verify(f"{family} {action} fused", quantized, "--f32",
                     pipeline=FUSED.removeprefix(","))


def main():
    root, folder, what, family = sys.argv[1:]
    cases = Cases(root, folder)
    {"plans": run_plans, "wrong": run_wrong, "actions": run_actions,
     "forms": run_forms}[what](cases, family)
    cases.finish()


main()
