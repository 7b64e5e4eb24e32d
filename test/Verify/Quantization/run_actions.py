"""Quantized models against the models with floats, by the cosine of results.

Arguments: the root of the sources, a folder for modules.

Nothing says what cosine to ask for: the program must ask for what its own page
promises, and the models must keep it with all the layers that they have.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "Inputs"))
from cases import Cases  # noqa: E402

# What the program must ask for, by the fewest bits of an action.
ACTIONS = {
    "W8A16_STATIC": 0.999,
    "W8A16_DYNAMIC": 0.999,
    "W8A8_STATIC": 0.999,
    "W8A8_DYNAMIC": 0.999,
    "FP8": 0.999,
    "W4A8_STATIC": 0.98,
    "W4A8_DYNAMIC": 0.98,
    "MXFP4": 0.98,
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

    def verify(what, model, options, least, *more):
        cases.verify(what, model, *more, min_cosine=least,
                     pipeline=f"transformer-quantize{{{options}}}")

    for action, least in ACTIONS.items():
        verify(f"layers {action}", layers, f"linear-action={action}", least)
    verify("layers MXFP4, groups that end early", layers,
           "linear-action=MXFP4 group-size=48", 0.98)
    for family in ("qwen3", "qwen2", "llama", "mistral"):
        model = cases.model(family, layers=2)
        for action, least in ACTIONS.items():
            # The two names of weights of 8 bits alone mean the same.
            if action != "W8A16_DYNAMIC" or family == "qwen3":
                verify(f"{family} {action}", model, f"linear-action={action}",
                       least)
        for action in ("INT8", "FP8"):
            verify(f"{family} attention {action}", model,
                   f"linear-action=DISABLED attention-action={action}", 0.999)
    model = cases.model("qwen3", layers=2)
    verify("qwen3 MXFP4, rows share scales", model,
           "linear-action=MXFP4 shared-group-scales=true", 0.98)
    for action in ("FP8", "MXFP4"):
        verify(f"qwen3 {action}, other values, in f32", model,
               f"linear-action={action}", ACTIONS[action], "--seed=1", "--f32")
    # Nothing is quantized, and so nothing may change.
    cases.verify("qwen3 DISABLED", cases.model("qwen3"), "--tolerance=0",
                 "--pipeline=transformer-quantize{linear-action=DISABLED}")
    cases.finish()


main()
