#!/usr/bin/env python3
"""Checks that IR read back from bytecode prints as the IR it was written from.

    round_trip.py TC_OPT DIRECTORY

Takes every .mlir file of the directory's tree whose RUN lines say that it is
valid input, each part of it by itself where they split it.
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys


def valid_parts(path):
    """Returns the modules of a test file; none if it is meant to be invalid."""
    text = path.read_text()
    run_lines = "\n".join(re.findall(r"//\s*RUN:.*", text))
    if ("%s" not in run_lines or "split-file" in run_lines
            or re.search(r"\bnot\s+\w", run_lines)):
        return []
    parts = (re.split(r"^// -----.*$", text, flags=re.MULTILINE)
             if "split-input-file" in run_lines else [text])
    return [part for part in parts if "expected-error" not in part]


def tc_opt(tool, text, *options):
    done = subprocess.run([tool, "-", *options], input=text,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.decode(errors="replace").strip())
    return done.stdout


def difference(tool, part):
    """Returns what is wrong with the round trip of a module, or None."""
    # Unregistered ops are no error here: the test's own RUN lines judge them.
    options = ["--allow-unregistered-dialect", "--mlir-print-debuginfo"]
    try:
        expected = tc_opt(tool, part, *options)
        bytecode = tc_opt(tool, part, options[0], "--emit-bytecode")
        got = tc_opt(tool, bytecode, *options)
    except RuntimeError as error:
        return str(error)
    if got != expected:
        before, after = expected.splitlines(), got.splitlines()
        for one, other in zip(before, after):
            if one != other:
                return (f"text: {one.decode()}\nbytecode: {other.decode()}")
        return f"{len(before)} lines became {len(after)}"
    return None


def main():
    tool, directory = sys.argv[1], pathlib.Path(sys.argv[2])
    modules = [(path, number, part.encode())
               for path in sorted(directory.rglob("*.mlir"))
               for number, part in enumerate(valid_parts(path), 1)]
    if not modules:
        sys.exit(f"no valid .mlir file under {directory}")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda m: difference(tool, m[2]), modules))
    failed = 0
    for (path, number, _), problem in zip(modules, results):
        if problem:
            failed += 1
            print(f"{path}, part {number}:\n{problem}\n", file=sys.stderr)
    print(f"{len(modules)} modules, {failed} differ")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
