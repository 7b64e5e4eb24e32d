"""What the example patterns save in models of full size, beside docs/patterns.md.

Arguments: the root of the sources, a folder for modules.
"""

import json
import os
import re
import subprocess
import sys

MODELS = {"Qwen/Qwen3-32B": 64, "meta-llama/Meta-Llama-3.1-70B": 80}
MIXTURE = "deepseek-ai/DeepSeek-V3.2"
STEP = ["--num-queries=2", "--query-length=3500"]
EIGHT = ["--num-devices=8", "--tp-size=8"]
SHORT = {"Qwen/Qwen3-32B": "Qwen3-32B",
         "meta-llama/Meta-Llama-3.1-70B": "Llama-3.1-70B",
         MIXTURE: "DeepSeek-V3.2"}

# (file, quantization, more options, matches in each layer)
CASES = [
    ("norm-linear", "DISABLED", [], {"NormLinear": 1, "AddNormLinear": 1}),
    ("add-norm-quantize", "W8A8_STATIC", [], {"AddNormQuantize": 1}),
    ("add-norm-quantize", "W8A8_DYNAMIC", [], {"AddNormDynamicQuantize": 1}),
    ("swiglu-down", "DISABLED", [], {"SwigluDown": 1}),
    ("swiglu-down", "W8A8_STATIC", [], {"SwigluQuantizedDown": 1}),
    ("swiglu-down", "MXFP4", [], {"SwigluGroupQuantizedDown": 1}),
    ("rope-cache", "DISABLED", [], {"RopePairCache": 1}),
    ("add-all-reduce", "DISABLED", EIGHT,
     {"AllReduceAdd": 1, "AllReduceAddNorm": 1}),
]

# The same for files that say more about other models: (file, quantization,
# model, matches in the model, launches that each of them takes away).
MORE = [
    ("gate-up-swiglu", "DISABLED", "Qwen/Qwen3-32B", {"GateUpSwiglu": 64}, 1),
    ("gate-up-swiglu", "W8A8_DYNAMIC", "Qwen/Qwen3-32B",
     {"QuantizedGateUpSwiglu": 64}, 1),
    ("gate-up-swiglu", "W8A8_DYNAMIC", MIXTURE,
     {"QuantizedGateUpSwiglu": 61}, 1),
    ("linear-add", "DISABLED", "Qwen/Qwen3-32B", {"LinearAdd": 64}, 1),
    ("linear-add", "W8A8_DYNAMIC", "Qwen/Qwen3-32B",
     {"QuantizedLinearAdd": 64}, 1),
    ("linear-add", "W8A8_DYNAMIC", MIXTURE, {"QuantizedLinearAdd": 61}, 1),
    ("norm-rope", "W8A8_DYNAMIC", "Qwen/Qwen3-32B", {"NormRope": 64}, 2),
    # The rows that come back are copied together first, each time.
    ("expert-combine", "W8A8_DYNAMIC", MIXTURE, {"ExpertCombine": 58}, 3),
    ("indexer-attention", "W8A8_DYNAMIC", MIXTURE, {"IndexerAttention": 61}, 1),
    ("swiglu-down", "W8A8_STATIC", MIXTURE, {"SwigluQuantizedDown": 61}, 2),
]

# The compiled form without the built-in fusion of a norm and a quantization,
# for a model whose norms have the eps that the fusion is for.
PIPELINE = (
    "builtin.module(transformer-dedup-layers,"
    "func.func(transformer-quantize{{linear-action=W8A8_STATIC}}),"
    "transformer-bind-workload{{queries=2 query-length=3500}},"
    "func.func(transformer-decompose,transformer-fuse-norm,"
    "transformer-fuse-attention,transformer-fuse-ffn,"
    "transformer-fuse-quant{{norm={norm}}},transformer-merge-linears{more}),"
    "convert-transformer-to-ascend{{compiled=true "
    "kernel-set=reference-2026.08}},ascend-estimate{{device=TEST_DEVICE}})")


class Savings:
    def __init__(self, root, folder):
        self.root, self.folder = root, folder
        self.count = self.failures = 0
        with open(os.path.join(root, "docs", "patterns.md")) as file:
            self.page = file.read()

    def run(self, *command):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{' '.join(command)}\n{done.stderr}")
        return done.stdout

    def pattern(self, name):
        return os.path.join(self.root, "examples", "patterns", name + ".pdll")

    def expect(self, what, condition, why):
        if not condition:
            self.failures += 1
            print(f"FAILED {what}: {why}")

    def check_falls(self, what, totals, falls):
        for name in ("execution_time_s", "launches", "write_backs"):
            change = totals[name]["change"]
            self.expect(what, (change < 0) if falls else (change == 0),
                        f"{name} changes by {change}")

    def check_layers(self, model, name, action, options, expected):
        # What is built in already leaves nothing to do.
        built_in = name == "add-norm-quantize" and "Qwen" in model
        wanted = {} if built_in else {
            pattern: MODELS[model] * count
            for pattern, count in expected.items()}
        self.check(model, name, action, options, wanted,
                   2 if name == "swiglu-down" and action != "DISABLED" else 1)

    def check(self, model, name, action, options, wanted, fewer):
        self.count += 1
        what = f"{model} {name} {action}"
        report = json.loads(self.run(
            "tensorcast", "text-generate", model, *STEP, "--compile",
            "--quantize-linear-action=" + action, *options,
            "--patterns=" + self.pattern(name), "--format=json"))
        matches = {entry["name"]: entry["fused"]
                   for entry in report["fusions"]["fusions"]
                   if entry["category"] == "apply-patterns" and entry["fused"]}
        self.expect(what, matches == wanted,
                    f"expected matches {wanted}, but got {matches}")
        totals = report["totals"]
        self.check_falls(what, totals, bool(wanted))
        number = sum(wanted.values())
        self.expect(
            what, totals["launches"]["change"] == -number * fewer,
            f"launches change by {totals['launches']['change']}")
        time = totals["execution_time_s"]
        percent = 100 * time["change"] / time["before"]
        line = (f"| {name} | {action} | {SHORT[model]} | "
                f"{totals['launches']['before']} → "
                f"{totals['launches']['after']} | "
                f"{totals['write_backs']['before']} → "
                f"{totals['write_backs']['after']} | {percent:.2f} % |")
        print(line)
        if wanted:
            self.expect(what, line in self.page, "the page says otherwise")

    def compare(self):
        """The pattern saves where the built-in fusion would, and does not run.

        A kernel of the pattern takes as long as one of the built-in fusion.
        """
        self.count += 1
        model = "Qwen/Qwen3-32B"
        source = os.path.join(self.folder, "model.mlir")
        self.run("tc-import", model, "-o", source)
        apply = (",transformer-apply-patterns{file="
                 + self.pattern("add-norm-quantize") + "}")
        for name, norm, more in (("apart", "false", ""),
                                 ("fused", "false", apply),
                                 ("built-in", "true", "")):
            self.run("tc-opt", source, "-o",
                     os.path.join(self.folder, name + ".mlir"),
                     "--pass-pipeline=" + PIPELINE.format(norm=norm, more=more))
        reports = {}
        for name in ("fused", "built-in"):
            reports[name] = json.loads(self.run(
                "tensorcast", "compare", os.path.join(self.folder, "apart.mlir"),
                os.path.join(self.folder, name + ".mlir"), "--format=json"))
            self.check_falls(name, reports[name]["totals"], True)
        # The first norm of each layer has no residual in front: it is the
        # built-in fusion that takes it as well.
        calls = {op["name"]: op["after"]["calls"]
                 for op in reports["fused"]["ops"]}
        self.expect("fused", calls.get("add_norm_quantize") == MODELS[model],
                    f"kernels {calls}")
        def average(name, kernel):
            return next(op["after"]["total_s"] / op["after"]["calls"]
                        for op in reports[name]["ops"] if op["name"] == kernel)
        times = (average("fused", "add_norm_quantize"),
                 average("built-in", "add_rms_norm_quantize"))
        self.expect("fused", abs(times[0] / times[1] - 1) < 1e-9,
                    f"kernels take {times}")
        print("compared")

    def check_page(self):
        """Every row of savings on the page is one that was checked."""
        rows = re.findall(r"^\| [\w-]+ \| [A-Z0-9_]+ \| .* % \|$", self.page,
                          re.MULTILINE)
        checked = 2 * len(CASES) - 2 + len(MORE)
        self.expect("docs/patterns.md", len(rows) == checked,
                    f"expected {checked} rows, but got {len(rows)}")


def main():
    savings = Savings(*sys.argv[1:])
    os.makedirs(savings.folder, exist_ok=True)
    for case in CASES:
        for model in MODELS:
            savings.check_layers(model, *case)
    for name, action, model, wanted, fewer in MORE:
        savings.check(model, name, action, [], wanted, fewer)
    savings.compare()
    savings.check_page()
    print(f"{savings.count} cases, {savings.failures} failed")
    sys.exit(savings.failures > 0)


main()
