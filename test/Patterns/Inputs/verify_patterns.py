"""Proves the example patterns on reduced models.

Arguments: the root of the sources, a folder for modules.
"""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..",
                                "Verify", "Inputs"))
from cases import Cases  # noqa: E402

STATIC = "func.func(transformer-quantize{linear-action=W8A8_STATIC})"
GROUPS = "func.func(transformer-quantize{linear-action=MXFP4})"
DYNAMIC = "func.func(transformer-quantize)"
CACHE = "func.func(transformer-quantize{attention-action=INT8})"
FUSIONS = ("transformer-fuse-norm,transformer-fuse-attention,"
           "transformer-fuse-ffn,transformer-fuse-quant{norm=%s},"
           "transformer-merge-linears")

# What is done to the model, what else is fused, the file, and how often each
# of its patterns must match in a layer.
CASES = [
    ("", "true", "norm-linear", {"NormLinear": 1, "AddNormLinear": 1}),
    (STATIC, "true", "norm-linear",
     {"NormQuantizedLinear": 1, "AddNormQuantizedLinear": 1}),
    (STATIC, "false", "add-norm-quantize", {"AddNormQuantize": 1}),
    (DYNAMIC, "false", "add-norm-quantize", {"AddNormDynamicQuantize": 1}),
    ("", "true", "swiglu-down", {"SwigluDown": 1}),
    (STATIC, "true", "swiglu-down", {"SwigluQuantizedDown": 1}),
    (GROUPS, "true", "swiglu-down", {"SwigluGroupQuantizedDown": 1}),
    ("", "true", "rope-cache", {"RopePairCache": 1}),
    ("", "true", "gate-up-swiglu", {"GateUpSwiglu": 1}),
    (STATIC, "true", "gate-up-swiglu", {"QuantizedGateUpSwiglu": 1}),
    ("", "true", "linear-add", {"LinearAdd": 1}),
    (STATIC, "true", "linear-add", {"QuantizedLinearAdd": 1}),
    ("", "true", "norm-rope", {"NormRope": 1}),
]
# Patterns for mixtures with sparse attention.
MIXTURE = [
    ("", "true", "expert-combine", {"ExpertCombine": 1}),
    ("", "true", "indexer-attention", {"IndexerAttention": 1}),
]
# Patterns for models that are sharded, or not fused.
MORE = [
    (CACHE, "true", "rope-cache", {"RopeQuantizedCache": 1}),
    ("", None, "rope-cache", {"RopeCache": 1}),
    ("transformer-shard{tp=2}", "true", "add-all-reduce",
     {"AllReduceAdd": 1, "AllReduceAddNorm": 1}),
    ("transformer-shard{tp=2}", None, "add-all-reduce", {"AllReduceAdd": 2}),
]


def prove(cases, family, layers, before, norm, name, expected, **changes):
    model = cases.model(family, layers, **changes)
    file = os.path.join(cases.root, "examples", "patterns", name + ".pdll")
    fusions = f"transformer-decompose,{FUSIONS % norm}," if norm else ""
    passes = (before + "," if before else "") + (
        f"func.func({fusions}transformer-apply-patterns{{file={file}}})")
    what = " ".join([family, name, *sorted(expected)])
    result = cases.run("tc-opt", model, "--remarks-filter=apply-patterns",
                       f"--pass-pipeline=builtin.module({passes})",
                       "--mlir-print-debuginfo",
                       "-o", cases.path("fused.mlir"), check=True)
    counts = {}
    for pattern in re.findall(r"\[Passed\] (\w+)", result.stderr):
        counts[pattern] = counts.get(pattern, 0) + 1
    wanted = {pattern: layers * count for pattern, count in expected.items()}
    if counts != wanted:
        cases.fail(what, f"expected matches {wanted}, but got {counts}")
    reference = model
    # A quantized model is compared with one that is quantized as well.
    if "quantize" in before:
        reference = cases.rewrite(model, "before", f"builtin.module({before})")
    cases.verify(what, reference, cases.path("fused.mlir"), "--f32")


def main():
    cases = Cases(*sys.argv[1:])
    for case in CASES:
        prove(cases, "qwen3", 1, *case)
    for case in MORE:
        prove(cases, "qwen3", 2, *case)
    for case in CASES[:2] + CASES[4:5] + MORE[2:3]:
        prove(cases, "llama", 2, *case)
    for case in MIXTURE:
        prove(cases, "deepseek_v32", 1, *case, first_k_dense_replace=0)
    cases.finish()


main()
