#!/usr/bin/env python3
"""Makes one layer of an imported Qwen3-32B differ from the others.

    odd_layer.py LAYER eps|kv_heads < MODEL.mlir > ODD.mlir
"""

import re
import sys

CHANGES = {
    "eps": [("eps(1.0e-06)", "eps(1.0e-05)")],
    # 4 heads for keys and values instead of 8, of 128 features each.
    "kv_heads": [("tensor<1024x5120xf16>", "tensor<512x5120xf16>"),
                 ("tensor<?x1024xf16", "tensor<?x512xf16"),
                 ("tensor<?x8x128xf16", "tensor<?x4x128xf16"),
                 ("<2x8x128xf16,", "<2x4x128xf16,")],
}


def main():
    layer, what = sys.argv[1:]
    functions = re.split(r"(?=^  func\.func )", sys.stdin.read(),
                         flags=re.MULTILINE)
    changed = 0
    for index, function in enumerate(functions):
        if not function.startswith(f"  func.func private @layer_{layer}("):
            continue
        for old, new in CHANGES[what]:
            changed += function.count(old)
            function = function.replace(old, new)
        functions[index] = function
    if not changed:
        sys.exit(f"no {what} in layer {layer}")
    sys.stdout.write("".join(functions))


if __name__ == "__main__":
    main()
