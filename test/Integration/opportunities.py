#!/usr/bin/env python3
"""Tries what `tensorcast text-generate --opportunities` finds.

    opportunities.py TENSORCAST MODEL [OPTION...]

For each chain of the list: the pattern that `--emit-pdll` writes loads and
matches as often as the chain runs, and then saves what the list says. Counted
apart are patterns that match more, or ops of other sizes in the same place, and
chains that no pattern can describe.
"""

import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

COUNT = 12


def run(*args):
    return subprocess.run([str(arg) for arg in args], capture_output=True,
                          text=True, check=False)


def classify(command, chain, rank, folder):
    """`same`, `wider`, `none`, or what is wrong with a chain's pattern."""
    path = pathlib.Path(folder) / f"{rank}.pdll"
    emitted = run(*command, "--opportunities", "--emit-pdll", path, "--rank",
                  rank)
    if emitted.returncode != 0:
        if re.search("a chain that no pattern describes", emitted.stderr):
            return "none"
        return emitted.stderr
    priced = run(*command, "--patterns", path, "--format", "json")
    if priced.returncode != 0:
        return priced.stderr
    result = json.loads(priced.stdout)
    fused = sum(entry["fused"] for entry in result["fusions"]["fusions"]
                if entry["category"] == "apply-patterns")
    if fused < chain["runs"]:
        return f"fuses {fused} of {chain['runs']}"
    saved = -result["totals"]["execution_time_s"]["change"]
    if fused == chain["runs"] and abs(
            saved - chain["saving_s"]) < 1e-9:
        return "same"
    if fused == chain["runs"] and saved > chain["saving_s"]:
        return f"saves {saved} s, not {chain['saving_s']} s"
    return "wider"


def main():
    command = [*sys.argv[1:2], "text-generate", *sys.argv[2:]]
    listed = run(*command, "--opportunities", "--format", "json", "--top",
                 COUNT)
    chains = json.loads(listed.stdout)["opportunities"]
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        kinds = list(pool.map(
            lambda pair: classify(command, pair[1], pair[0], folder),
            enumerate(chains, start=1)))
    counts = collections.Counter()
    for chain, kind in zip(chains, kinds):
        if kind not in ("same", "wider", "none"):
            print(f"{chain['chain']}: {kind}")
            kind = "wrong"
        counts[kind] += 1
    print(", ".join(f"{counts[kind]} {kind}"
                    for kind in ("same", "wider", "none", "wrong")))


if __name__ == "__main__":
    main()
