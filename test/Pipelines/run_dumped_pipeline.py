#!/usr/bin/env python3
"""Checks that a named pipeline does what its printed passes do.

    run_dumped_pipeline.py TC_OPT MODEL.mlir PIPELINE_OPTION
"""

import subprocess
import sys


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout, done.stderr


def main():
    tool, model, option = sys.argv[1:]
    expected, dump = run(tool, model, option, "--dump-pass-pipeline")
    # The first line says how many passes there are.
    pipeline = dump.split("\n", 1)[1]
    got, _ = run(tool, model, f"--pass-pipeline={pipeline}")
    if got != expected or not got:
        sys.exit(f"another module from {pipeline}")


if __name__ == "__main__":
    main()
