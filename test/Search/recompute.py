#!/usr/bin/env python3
"""Checks searches against prices of single steps, put together by hand.

    recompute.py TENSORCAST MODEL OPTIONS...

Searches with OPTIONS (which have input and output lengths and a budget), and
prices the prefill waves and the decode step of each plan's best batch with
text-generate. Time to first token, time per token and throughput have to follow
from those to rounding, and the plan's memory has to be that of the decode step.
"""

import json
import subprocess
import sys

ROUNDING = 1e-9
# Options of a search that are not of a step.
OWN = {"--input-length": 1, "--output-length": 1, "--tpot-limits": 1,
       "--ttft-limits": 1, "--max-batched-tokens": 1, "--batch-range": 2,
       "--tp-sizes": 0, "--ep-sizes": 0, "--moe-dp-sizes": 0, "--dcp-sizes": 0,
       "--num-mtp-tokens": 0, "--prefix-cache-hit-rate": 1}
RATES = [0.9, 0.6, 0.4, 0.2]


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def split_options(options):
    """What is for steps too, and the values of the others."""
    common, own = [], {}
    at = 0
    while at < len(options):
        name = options[at]
        end = at + 1
        while end < len(options) and not options[end].startswith("--"):
            end += 1
        if name in OWN:
            own[name] = options[at + 1:end]
        else:
            common += options[at:end]
        at = end
    return common, own


def check(name, ours, expected, problems):
    if abs(ours - expected) > ROUNDING * abs(expected):
        problems.append(f"{name}: {ours!r}, expected {expected!r}")


def main():
    tool, model, *options = sys.argv[1:]
    common, own = split_options(options)
    length = lambda name: int(own[name][0])
    input_length, output_length = (length("--input-length"),
                                   length("--output-length"))
    hit_rate = own.get("--prefix-cache-hit-rate", ["0"])[0]
    search = run(tool, "throughput-optimizer", model, *options, "--format",
                 "json")
    if not search["results"]:
        sys.exit("no results")
    sizes = {plan["plan"]: plan["sizes"] for plan in search["plans"]}
    failed = False
    for row in search["results"]:
        plan = sizes[row["plan"]]
        drafts = plan["mtp"]
        groups = ["--tp-size", plan["tp"], "--dp-size", plan["dp"],
                  "--num-mtp-tokens", drafts]
        if "ep" in plan:
            groups += ["--ep-size", plan["ep"], "--moe-tp-size",
                       plan["moe_tp"], "--moe-dp-size", plan["moe_dp"]]

        def step(queries, *more):
            if queries == 0:
                return None
            report = run(tool, "text-generate", model, *common,
                         "--reserved-memory-gb", "10", "--num-queries",
                         str(queries), *map(str, groups), *map(str, more),
                         "--format", "json")
            return report["execution_time_s"] * 1e3, report["memory"]

        new_tokens = input_length - int(input_length * float(hit_rate))
        wave = length("--max-batched-tokens") * plan["dp"] // new_tokens
        waves, rest = divmod(row["concurrency"], wave)
        prefill = ("--query-length", input_length, "--prefix-cache-hit-rate",
                   hit_rate)
        wave_ms = step(wave if waves else 0, *prefill)
        rest_ms = step(rest, *prefill)
        wave_ms = wave_ms[0] if wave_ms else 0
        rest_ms = rest_ms[0] if rest_ms else 0
        ttft = (wave * wave_ms * waves * (waves + 1) / 2 +
                rest * (waves * wave_ms + rest_ms)) / row["concurrency"]
        decode_ms, memory = step(
            row["concurrency"], "--query-length", drafts + 1,
            "--context-length", input_length + output_length // 2, "--decode",
            "--dcp-size", plan["dcp"])
        decode_ms /= 1 + sum(RATES[:drafts])
        tpot = ttft / output_length + decode_ms
        problems = []
        check("ttft_ms", row["ttft_ms"], ttft, problems)
        check("tpot_ms", row["tpot_ms"], tpot, problems)
        check("output_tokens_per_second", row["output_tokens_per_second"],
              1e3 * row["concurrency"] / tpot, problems)
        for key in memory:
            check(key, row["memory"][key], memory[key], problems)
        print(f"{row['plan']}: {'differs' if problems else 'agrees'}")
        for problem in problems:
            print(f"  {problem}")
        failed |= bool(problems)
    sys.exit(failed)


if __name__ == "__main__":
    main()
