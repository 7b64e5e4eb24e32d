"""Decomposed and fused again, models compute what they did.

Arguments: the root of the sources, a folder for modules.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "Inputs"))
from cases import FUSIONS, Cases  # noqa: E402

# Each fusion alone, its switches one by one, and an op that it leaves.
ALONE = [
    ("transformer-fuse-norm{residual=false}", "rms_norm"),
    ("transformer-fuse-norm", "add_rms_norm"),
    ("transformer-fuse-attention{rope-pair=false}", "rope"),
    ("transformer-fuse-attention", "rope_pair"),
    ("transformer-fuse-ffn", "swiglu"),
    ("transformer-merge-linears", "concat_weights"),
]
# What needs quantized layers.
QUANTIZED = [
    ("transformer-fuse-quant{norm=false},transformer-merge-linears",
     "concat_weights"),
    ("transformer-fuse-norm{residual=false},transformer-fuse-quant",
     "rms_norm_quantize"),
    ("transformer-fuse-norm,transformer-fuse-quant", "add_rms_norm_quantize"),
]
ALL = (FUSIONS, "concat_weights")
# The switches for what an encoder has.
OF_ENCODER = [
    ("transformer-fuse-norm{layer-norm-residual=false}", "layer_norm"),
    ("transformer-fuse-norm", "add_layer_norm"),
    ("transformer-fuse-attention{rope-pair=false}", "rope"),
    ("transformer-fuse-attention", "rope_pair"),
    ("transformer-fuse-ffn", "gelu"),
    (FUSIONS, "add_layer_norm"),
]


def verify(cases, what, model, passes, op):
    """The passes must leave the op, and change nothing."""
    cases.expect_op(what, model, "transformer-decompose," + passes, op)
    cases.verify(what, model, "--f32",
                 "--pipeline=transformer-decompose," + passes)


def main():
    cases = Cases(*sys.argv[1:])
    for family in ("qwen3", "qwen2", "llama", "mistral"):
        plain = cases.model(family)
        quantized = cases.rewrite(
            plain, family + "-quantized",
            "builtin.module(func.func(transformer-quantize))")
        # The graphs of llama and mistral have nothing that qwen2 has not.
        has_more = family.startswith("qwen")
        alone = ALONE if has_more else ALONE[1::2] + ALONE[4:]
        for name, model, fusions in (("", plain, alone),
                                     (" W8A8", quantized,
                                      QUANTIZED if has_more else [])):
            for passes, op in fusions:
                verify(cases, f"{family}{name} {passes}", model, passes, op)
            verify(cases, f"{family}{name} all", model, *ALL)
        # Without layers, the residual of one is fused with the norm of the
        # next.
        deep = cases.model(family, layers=2)
        verify(cases, f"{family} all across layers", deep,
               "transformer-inline-layers," + FUSIONS, "add_rms_norm")
    # In three layers other fusions each.
    marked = cases.model("qwen3", layers=3)
    cases.verify("qwen3 marked layers", marked, "--f32",
                 "--pipeline=transformer-mark-layers{disable=fuse-norm@*.1,"
                 "fuse-ffn@*.2,merge-linears@*.[12]},transformer-decompose,"
                 + FUSIONS)
    encoder = os.path.join(cases.root, "test", "Integration", "Inputs",
                           "encoder.mlir")
    for passes, op in OF_ENCODER:
        verify(cases, f"encoder {passes}", encoder, passes, op)
    # In half, where the pieces round and the kernels do not.
    cases.verify("encoder in half all", encoder,
                 "--pipeline=transformer-decompose," + FUSIONS)
    cases.finish()


main()
