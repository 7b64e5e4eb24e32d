"""Runs many comparisons in one process: each is a line of output."""

import json
import os
import subprocess
import sys

FAMILIES = {
    "qwen3": "Qwen__Qwen3-32B",
    "qwen2": "Qwen__Qwen2.5-72B-Instruct",
    "llama": "meta-llama__Meta-Llama-3.1-8B",
    "mistral": "mistralai__Mistral-7B-v0.3",
    "tied": "Qwen__Qwen2.5-0.5B-Instruct",
    "deepseek_v32": "deepseek-ai__DeepSeek-V3.2",
}

# Mixtures of experts, whose configs are beside this file.
MIXTURES = {"qwen3_moe": "qwen3-moe", "glm4_moe": "glm4-moe"}

# All fusions of the compiled form, in its order.
FUSIONS = ("transformer-fuse-comm,transformer-fuse-norm,"
           "transformer-fuse-attention,transformer-fuse-ffn,"
           "transformer-fuse-quant,transformer-merge-linears")


class Cases:
    """`root` holds the models, `folder` takes what is made of them."""

    def __init__(self, root, folder):
        self.root, self.folder = root, folder
        self.count = self.failures = 0
        os.makedirs(folder, exist_ok=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def model(self, family, layers=1, **changes):
        """A reduced model of the family, with changes to its config."""
        path = self.path("-".join([family, str(layers), *changes]) + ".mlir")
        if os.path.exists(path):
            os.remove(path)
        folder = os.path.join(self.root, "models")
        if family in MIXTURES:
            folder = os.path.dirname(__file__)
        name = MIXTURES.get(family) or FAMILIES[family]
        with open(os.path.join(folder, name + ".json")) as file:
            config = json.load(file)
        config.update(changes)
        with open(path + ".json", "w") as file:
            json.dump(config, file)
        self.run("tc-import", path + ".json", "--reduced", "-o", path,
                 f"--num-hidden-layers-override={layers}", check=True)
        return path

    @staticmethod
    def run(*command, check=False):
        result = subprocess.run(command, capture_output=True, text=True)
        if check and result.returncode:
            sys.exit(f"{' '.join(command)}\n{result.stderr}")
        return result

    def rewrite(self, source, name, pipeline):
        path = self.path(name + ".mlir")
        self.run("tc-opt", source, f"--pass-pipeline={pipeline}", "-o", path,
                 check=True)
        return path

    def verify(self, what, *arguments, pipeline=None, differs=None,
               min_cosine=None):
        """Expects two modules to agree, or to differ as `differs` says.

        `min_cosine` is what the program must have asked for.
        """
        if pipeline:
            arguments += (f"--pipeline={pipeline}",)
        result = self.run("tc-verify", *arguments, "--format=json")
        self.count += 1
        if result.returncode > 1 or not result.stdout:
            return self.fail(what, result.stderr.strip())
        report = json.loads(result.stdout)
        worst = min(r["cosine"] for r in report["results"])
        line = f"{what}: cosine {worst:.5f}"
        if not report["quantized"]:
            error = max(r["relative_error"] for r in report["results"])
            line += f", relative error {error:.1e}"
        if differs:
            first = report.get("first_difference", {})
            found = f"{first.get('layer')} {first.get('op')}"
            line += f", first difference at {found}"
            if report["equal"] or found != differs:
                return self.fail(line, f"expected {differs}")
        elif min_cosine not in (None, report["min_cosine"]):
            return self.fail(line, f"asked for {report['min_cosine']}")
        elif not report["equal"]:
            return self.fail(line, str(report.get("first_difference")))
        print(line)

    def expect_op(self, what, source, passes, op):
        """Expects that passes leave an op; layers that stay are functions."""
        # The nesting of passes follows from their names.
        nested = []
        for name in passes.split(",transformer-"):
            name = name if name.startswith("transformer-") else (
                "transformer-" + name)
            is_module_pass = name.startswith(("transformer-inline-layers",
                                              "transformer-shard"))
            nested.append(name if is_module_pass else f"func.func({name})")
        result = self.run("tc-opt", source, "--pass-pipeline=builtin.module("
                          + ",".join(nested) + ")", check=True)
        if f"transformer.{op} " not in result.stdout:
            self.fail(what, f"expected transformer.{op} after {passes}")

    def fail(self, what, why):
        self.failures += 1
        print(f"FAILED {what}: {why}")

    def finish(self):
        print(f"{self.count} cases, {self.failures} failed")
        sys.exit(self.failures > 0)
