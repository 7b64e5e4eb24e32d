"""Runs passes on each function of a file, and compares what it computes.

Arguments: a file with functions, a folder for modules of one each, passes.
"""

import os
import re
import subprocess
import sys


def main():
    source, folder, passes = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    failed = 0
    with open(source) as file:
        functions = re.findall(r"^func\.func @(\w+)(\(.*?^}\n)", file.read(),
                               re.MULTILINE | re.DOTALL)
    for name, rest in functions:
        path = os.path.join(folder, name + ".mlir")
        with open(path, "w") as file:
            file.write("func.func @main" + rest)
        run = subprocess.run(
            ["tensorcast", "verify", path, "--f32", "--pipeline=" + passes],
            capture_output=True, text=True)
        failed += run.returncode != 0
        print(name + ": " + ("equal" if run.returncode == 0 else
                             "FAILED\n" + run.stdout + run.stderr))
    print(len(functions), "cases,", failed, "failed")
    return 1 if failed else 0


sys.exit(main())
