#!/usr/bin/env python3
"""Runs random pipelines on random reduced models, which must stay equal.

    random_pipelines.py TC_IMPORT TC_OPT TC_VERIFY MODELS [COUNT [SEED]]

Each case is a preset of the folder MODELS with 1 to 3 layers, and 10 passes in
any order; a pass may come twice. Passes refuse what they cannot do with a
diagnostic (a second sharding, say): they are then left out of the case, after
which the rest has to agree. A crash, a pass that fails without a word, and a
model that computes something else are failures, printed with the command that
shows them. `COUNT` is 50 if left out; cases depend on SEED and their number
alone.
"""

import concurrent.futures
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

FUSIONS = ["transformer-fuse-attention", "transformer-fuse-comm",
           "transformer-fuse-ffn", "transformer-fuse-moe",
           "transformer-fuse-norm", "transformer-fuse-quant",
           "transformer-merge-linears", "canonicalize", "cse"]
PARTS = ["transformer-decompose"]
WHOLE = ["transformer-dedup-layers", "transformer-inline-layers",
         "transformer-mark-layers{disable=fuse-norm,fuse-attention@*.0,"
         "fuse-ffn.swiglu@*.1,merge-linears@*.[02]}",
         "transformer-shard{tp=2}", "transformer-sequence-parallel",
         "symbol-dce"]
LENGTH = 10
# What nothing computes yet (docs/verify.md).
NOT_RUN = re.compile("op cannot be executed: ")
# Their norms of whole queries and keys are split without a sum over devices, as
# the reference does it (docs/fidelity.md): sharded, they are other models.
NOT_SHARDED = "MiniMaxAI"


def pick_passes(random_source):
    passes = []
    for _ in range(LENGTH):
        kind = random_source.random()
        if kind < 0.6:
            passes.append("func.func(%s)" % random_source.choice(FUSIONS))
        elif kind < 0.75:
            passes.append("func.func(%s)" % random_source.choice(PARTS))
        else:
            passes.append(random_source.choice(WHOLE))
    return passes


class Runner:
    def __init__(self, tc_import, tc_opt, tc_verify, models, folder):
        self.tc_import, self.tc_opt = tc_import, tc_opt
        self.tc_verify, self.folder = tc_verify, pathlib.Path(folder)
        self.models = sorted(pathlib.Path(models).glob("*.json"))

    @staticmethod
    def run(*command):
        return subprocess.run([str(part) for part in command],
                              capture_output=True, text=True, check=False)

    def keep_accepted(self, module, passes):
        """The passes that do not refuse the module; or a crash, as text."""
        kept = []
        for one in passes:
            result = self.run(self.tc_opt, module, "-o", os.devnull,
                              "--pass-pipeline=builtin.module(%s)" %
                              ",".join(kept + [one]))
            if result.returncode == 0:
                kept.append(one)
            elif result.returncode != 1 or "error:" not in result.stderr:
                return kept, f"{one} ends with {result.returncode}"
        return kept, None

    def case(self, number, seed):
        """`equal`, `not run`, or what is wrong and how to see it."""
        source = random.Random(f"{seed}/{number}")
        config = source.choice(self.models)
        layers = source.randint(1, 3)
        passes = pick_passes(source)
        if config.stem.startswith(NOT_SHARDED):
            passes = [one for one in passes if "shard" not in one]
        module = self.folder / f"{number}.mlir"
        done = self.run(self.tc_import, config, "--reduced",
                        f"--num-hidden-layers-override={layers}", "-o", module)
        if done.returncode != 0:
            return f"{config.stem}: {done.stderr}"
        kept, problem = self.keep_accepted(module, passes)
        what = (f"case {number}: tc-import {config.stem} --reduced "
                f"--num-hidden-layers-override={layers} | tc-verify - "
                f"--f32 --pipeline='{','.join(kept)}'")
        if problem:
            return f"{what}\n  {problem}"
        result = self.run(self.tc_verify, module, "--f32",
                          "--pipeline=" + ",".join(kept))
        if result.returncode == 0:
            return "equal"
        if result.returncode == 1 and NOT_RUN.search(result.stderr):
            return "not run"
        return f"{what}\n  {(result.stderr or result.stdout).strip()}"


def main():
    count = int(sys.argv[5]) if len(sys.argv) > 5 else 50
    seed = sys.argv[6] if len(sys.argv) > 6 else "0"
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runner = Runner(*sys.argv[1:5], folder)
        verdicts = list(pool.map(lambda number: runner.case(number, seed),
                                 range(count)))
    wrong = [verdict for verdict in verdicts
             if verdict not in ("equal", "not run")]
    for verdict in wrong:
        print(verdict)
    print(f"{verdicts.count('equal')} equal, {verdicts.count('not run')} not "
          f"run, {len(wrong)} wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
