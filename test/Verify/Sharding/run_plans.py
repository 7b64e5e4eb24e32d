"""All ranks of sharded models against the whole models.

Arguments: the root of the sources, a folder for modules.
"""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "Inputs"))
from cases import FUSIONS, Cases  # noqa: E402

COMPILED = ",transformer-decompose," + FUSIONS
# Tokens split between norms, in the order of the compiled form.
SPLIT = COMPILED.replace("transformer-fuse-norm,",
                         "transformer-fuse-norm,transformer-sequence-parallel,")
SPLIT = SPLIT.replace("transformer-fuse-comm",
                      "transformer-fuse-comm{linear-all-reduce=false}")

# Groups that are the tensor-parallel one, parts of it, and more than it. Ten
# tokens are no multiple of four, so ranks have padded shares of them.
PLANS = {
    "tp=2": "",
    "tp=4": COMPILED,
    "tp=2 dp=2 word-embedding-tp=col": "",
    "tp=4 o-proj-tp=2 mlp-tp=1 lmhead-tp=2": "",
    "tp=2 dp=2 word-embedding-tp=row": SPLIT,
    "tp=4 word-embedding-tp=row": SPLIT,
    "tp=2 dp=2 o-proj-tp=4 mlp-tp=4 lmhead-tp=4": COMPILED,
}


def drop_exchange(source, target, op, layer, keep):
    """Uses what an exchange of a layer gets instead of what it gives."""
    with open(source) as file:
        functions = re.split(r"(?=  func\.func )", file.read())
    text = functions[layer + 1]
    found = re.findall(rf"( +(%\w+) = transformer\.{op} (%\w+) .*\n)", text)
    line, result, operand = found[keep]
    text = re.sub(re.escape(result) + r"\b", operand, text.replace(line, ""))
    functions[layer + 1] = text
    with open(target, "w") as file:
        file.write("".join(functions))


def main():
    cases = Cases(*sys.argv[1:])
    for family in ("qwen3", "qwen2", "llama", "mistral", "tied"):
        model = cases.model(family)
        for plan, passes in PLANS.items():
            # The smallest model has 14 heads; mistral is llama but for sizes.
            if family == "tied" and plan.startswith("tp=4") or (
                    family == "mistral" and passes != COMPILED):
                continue
            cases.verify(f"{family} {plan}", model, "--f32",
                         f"--pipeline=transformer-shard{{{plan}}}{passes}")

    def verify(what, model, plan, *arguments, passes=""):
        cases.verify(what, model, *arguments,
                     f"--pipeline=transformer-shard{{{plan}}}{passes}")

    qwen3 = cases.model("qwen3")
    verify("one token in f16", qwen3, "tp=4 o-proj-tp=2", "--num-queries=1",
           "--query-length=1", "--decode")
    verify("groups of many replicas", qwen3,
           "tp=1 dp=3 o-proj-tp=3 mlp-tp=3 lmhead-tp=3", "--f32")
    # Heads that have the words of the embedding, or others.
    tied = cases.model("tied")
    for head in (1, 2, 4):
        verify(f"tied head of {head}", tied,
               f"devices=4 tp=2 word-embedding-tp=row lmhead-tp={head}",
               "--f32", passes=SPLIT)
    verify("looked up piece by piece", tied, "tp=2 word-embedding-tp=row",
           "--f32", passes=",transformer-decompose{level=primitive}")
    # Fewer tokens than devices, and layers that are dissolved.
    verify("one token, split", qwen3, "tp=4 word-embedding-tp=row",
           "--num-queries=1", "--query-length=1", "--decode", "--f32",
           passes=",transformer-inline-layers" + SPLIT)
    verify("split by groups", qwen3, "tp=2 dp=2 o-proj-tp=4 mlp-tp=1", "--f32",
           passes=SPLIT)
    verify("split of W8A8", qwen3, "tp=2", passes=",transformer-quantize{"
           "linear-action=W8A8_DYNAMIC}" + SPLIT)
    # Each device quantizes what it has, so scales differ from the whole ones.
    verify("W8A8", qwen3, "tp=2", passes=",transformer-quantize{"
           "linear-action=W8A8_DYNAMIC attention-action=INT8}" + COMPILED)
    # Biases of layers that are summed are added once.
    biased = cases.model("llama", attention_bias=True, mlp_bias=True)
    verify("biases", biased, "tp=2 mlp-tp=1", "--f32", passes=COMPILED)
    verify("biases, split", biased, "tp=2", "--f32", passes=SPLIT)

    # What is wrong is found, and where.
    sharded = cases.path("sharded.mlir")
    deep = cases.model("qwen3", layers=2)
    cases.run("tc-opt", deep, "--transformer-shard=tp=2",
              "--mlir-print-debuginfo", "-o", sharded, check=True)
    for place, op in enumerate(("self_attn.o_proj", "mlp.down_proj")):
        wrong = cases.path("wrong.mlir")
        drop_exchange(sharded, wrong, "all_reduce", 1, place)
        cases.verify(f"dropped sum of {op}", deep, wrong, "--f32",
                     differs=f"model.layers.1 {op}")
    cases.finish()


main()
