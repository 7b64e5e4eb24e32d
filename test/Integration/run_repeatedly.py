#!/usr/bin/env python3
"""Checks that tc-opt writes the same bytes in every run.

    run_repeatedly.py TC_OPT MODEL.mlir...
"""

import pathlib
import subprocess
import sys

RUNS = 8
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples/patterns"
PIPELINES = [
    # All layers stay, so that there is work for several threads.
    ["--tensorcast-eager=queries=2 query-length=100 no-repetition"],
    ["--transformer-dedup-layers", "--remarks-filter=dedup",
     "--remark-policy=all"],
    ["--transformer-fuse-norm",
     "--transformer-apply-patterns=file="
     f"{EXAMPLES / 'norm-linear.pdll'},{EXAMPLES / 'rope-cache.pdll'}",
     "--remarks-filter=apply-patterns", "--remark-policy=all"],
]


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr.decode()}")
    return done.stdout, done.stderr


def main():
    tool = sys.argv[1]
    for model in sys.argv[2:]:
        for pipeline in PIPELINES:
            command = [tool, model, *pipeline]
            expected = run(*command, "--mlir-disable-threading")
            if not expected[0]:
                sys.exit(f"{' '.join(command)}: no output")
            for _ in range(RUNS):
                if run(*command) != expected:
                    sys.exit(f"{' '.join(command)}: another output")


if __name__ == "__main__":
    main()
