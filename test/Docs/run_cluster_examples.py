#!/usr/bin/env python3
"""Runs the page's examples for clusters, with stand-ins for the clusters.

    run_cluster_examples.py PAGE

In the current folder: GNU parallel, Slurm and Ray are replaced by programs that do
what the examples ask of them, one task after the other. All three have to end
with the page that one search writes.
"""

import os
import pathlib
import re
import subprocess
import sys

PARALLEL = """#!/usr/bin/env python3
import subprocess, sys
split = sys.argv.index(":::")
for value in sys.argv[split + 1:]:
    subprocess.run([part.replace("{}", value) for part in sys.argv[1:split]],
                   check=True)
"""
RAY = """
def init(): pass
def get(values): return values
def remote(**_):
    def decorate(function):
        function.remote = function
        return function
    return decorate
"""


def main():
    page = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
    blocks = re.findall(r"^```(?:bash|python)\n(.*?)^```", page,
                        re.DOTALL | re.MULTILINE)
    find = lambda word: next(block for block in blocks if word in block)
    pathlib.Path("parallel").write_text(PARALLEL)
    pathlib.Path("parallel").chmod(0o755)
    pathlib.Path("ray.py").write_text(RAY)
    environment = dict(os.environ, PATH=f".:{os.environ['PATH']}")

    def run(*command, **more):
        subprocess.run(command, check=True, env=dict(environment, **more))

    def finish(name):
        pathlib.Path("front.html").rename(name + ".html")
        for path in pathlib.Path(".").glob("shard-*.json"):
            path.unlink()

    run("bash", "-e", "-c", find("parallel tensorcast"))
    finish("parallel")
    for task in range(1, 17):
        run("bash", "-c", find("#SBATCH"), SLURM_CPUS_PER_TASK="2",
            SLURM_ARRAY_TASK_ID=str(task), SLURM_ARRAY_TASK_COUNT="16")
    run("bash", "-c",
        "tensorcast merge shard-*.json --format html -o front.html")
    finish("slurm")
    run(sys.executable, "-c", find("import ray"), PYTHONPATH=".")
    finish("ray")
    run("tensorcast", "throughput-optimizer", "Qwen/Qwen3-8B",
        "--num-devices", "8", "--input-length", "3500", "--output-length",
        "500", "--pareto", "--device", "all", "--format", "html", "-o",
        "front.html")
    whole = pathlib.Path("front.html").read_text()
    for name in ("parallel", "slurm", "ray"):
        same = pathlib.Path(name + ".html").read_text() == whole
        print(f"{name}: {'the same' if same else 'DIFFERS'}")


if __name__ == "__main__":
    main()
