#!/usr/bin/env python3
"""Interrupts a long search as Ctrl-C does, and checks what it leaves behind.

    interrupt.py TENSORCAST
"""

import json
import signal
import subprocess
import sys


def main():
    tool = sys.argv[1]
    search = subprocess.Popen(
        [tool, "throughput-optimizer", "deepseek-ai/DeepSeek-V3.1", "--device",
         "all", "--num-devices", "64", "--input-length", "4096",
         "--output-length", "512", "--tp-sizes", "--ep-sizes", "--moe-dp-sizes",
         "--precisions", "--fusions", "--pareto", "--jobs", "2", "--progress",
         "--max-search-combinations", "0", "--format", "json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    first = search.stderr.readline()
    if not first.startswith("1 of "):
        sys.exit(f"expected progress, but got {first!r}")
    search.send_signal(signal.SIGINT)
    output, errors = search.communicate(timeout=100)
    if search.returncode != 1 or "error: interrupted after " not in errors:
        sys.exit(f"status {search.returncode}: {errors[-500:]}")
    report = json.loads(output)
    plans = report["plans"]
    skipped = [plan for plan in plans if plan["skipped"]]
    if not report["interrupted"] or not 0 < len(skipped) < len(plans):
        sys.exit(f"{len(skipped)} of {len(plans)} plans were skipped")


if __name__ == "__main__":
    main()
