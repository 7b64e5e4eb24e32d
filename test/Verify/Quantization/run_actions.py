"""Quantized models against the models with floats, by the cosine of results.

Arguments: the root of the sources, a folder for modules.

Rounding leaves an error that no program avoids. Of normal weights, 8-bit
integers keep cosines of 0.9999 per layer; the two bits that f8E5M2 has for the
mantissa keep 0.9982, and 4 bits 0.984. Over the seven layers of a decoder layer
the errors add up, so the limits for whole models are lower.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "Inputs"))
from cases import Cases  # noqa: E402

# The least cosine of the result of one layer, and of a model.
ACTIONS = {
    "W8A16_STATIC": (0.999, 0.999),
    "W8A16_DYNAMIC": (0.999, 0.999),
    "W8A8_STATIC": (0.999, 0.999),
    "W8A8_DYNAMIC": (0.999, 0.999),
    "FP8": (0.998, 0.985),
    "W4A8_STATIC": (0.98, 0.92),
    "W4A8_DYNAMIC": (0.98, 0.92),
    "MXFP4": (0.98, 0.92),
}

# Layers of the widths that reduced models have, each on an input of its own.
WIDTHS = [(128, 64), (16, 64), (64, 128), (192, 64), (64, 192)]


def linears():
    results = ", ".join(f"tensor<10x{n}xf16>" for n, _ in WIDTHS)
    inputs = ", ".join(f"%x{i}: tensor<10x{k}xf16>"
                       for i, (_, k) in enumerate(WIDTHS))
    types = ", ".join(f"tensor<10x{k}xf16>" for _, k in WIDTHS)
    arguments = ", ".join(f"%x{i}" for i in range(len(WIDTHS)))
    values = ", ".join(f"%y{i}" for i in range(len(WIDTHS)))
    body = "".join(
        f'    %w{i} = transformer.weight "linear{i}.weight" : '
        f"tensor<{n}x{k}xf16>\n"
        f"    %y{i} = transformer.linear %x{i}, %w{i} : tensor<10x{k}xf16>, "
        f"tensor<{n}x{k}xf16> -> tensor<10x{n}xf16>\n"
        for i, (n, k) in enumerate(WIDTHS))
    return (f"module {{\n  func.func private @layer({inputs}) -> ({results}) "
            f"{{\n{body}    return {values} : {results}\n  }}\n"
            f"  func.func @main({inputs}) -> ({results}) {{\n"
            f"    %r:{len(WIDTHS)} = transformer.layer @layer({arguments}) "
            f'name("layers.0") : ({types}) -> ({results})\n'
            f"    return {', '.join(f'%r#{i}' for i in range(len(WIDTHS)))} : "
            f"{results}\n  }}\n}}\n")


def main():
    cases = Cases(*sys.argv[1:])
    layers = cases.path("layers.mlir")
    with open(layers, "w") as file:
        file.write(linears())

    def verify(what, model, options, least):
        cases.verify(what, model, "--f32", f"--min-cosine={least}",
                     f"--pipeline=transformer-quantize{{{options}}}")

    for action, (least, _) in ACTIONS.items():
        verify(f"layers {action}", layers, f"linear-action={action}", least)
    verify("layers MXFP4, groups that end early", layers,
           "linear-action=MXFP4 group-size=48", 0.98)
    for family in ("qwen3", "qwen2", "llama", "mistral"):
        model = cases.model(family)
        for action, (_, least) in ACTIONS.items():
            # The two names of weights of 8 bits alone mean the same.
            if action != "W8A16_DYNAMIC" or family == "qwen3":
                verify(f"{family} {action}", model, f"linear-action={action}",
                       least)
        for action in ("INT8", "FP8"):
            verify(f"{family} attention {action}", model,
                   f"linear-action=DISABLED attention-action={action}", 0.999)
    verify("qwen3 MXFP4, rows share scales", cases.model("qwen3"),
           "linear-action=MXFP4 shared-group-scales=true", 0.92)
    # Nothing is quantized, and so nothing may change.
    cases.verify("qwen3 DISABLED", cases.model("qwen3"), "--tolerance=0",
                 "--pipeline=transformer-quantize{linear-action=DISABLED}")
    cases.finish()


main()
