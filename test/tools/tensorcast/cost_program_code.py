#!/usr/bin/env python3
"""Compares the prices of a cost program with those of the code that it prints.

    cost_program_code.py TENSORCAST CC MODULE FOLDER

Random workloads are priced by `tensorcast cost-program`, with `--jit`, and by the
C source of `--emit-c`, compiled by CC. All numbers must be the same to the bit.
"""

import json
import pathlib
import random
import subprocess
import sys

# Reads batches, each a line of requests (number, new and all tokens, decode),
# and prints times, bytes, and the calls and seconds of kernels.
MAIN = r"""
#include <stdio.h>
#include "program.c"

int main(void) {
  struct tensorcast_requests requests[16];
  struct tensorcast_kernel kernels[TENSORCAST_NUM_KERNELS + 1];
  struct tensorcast_price price;
  double features[TENSORCAST_NUM_FEATURES + 1], time, bytes;
  const double *columns[TENSORCAST_NUM_FEATURES + 1];
  int count, i;
  while (scanf("%d", &count) == 1) {
    const char *mistake;
    for (i = 0; i < count; ++i)
      if (scanf("%lf %lf %lf %lf", &requests[i].requests,
                &requests[i].new_tokens, &requests[i].total_tokens,
                &requests[i].decode) != 4)
        return 1;
    tensorcast_features(requests, (size_t)count, 0, features);
    mistake = tensorcast_price(features, &price, kernels);
    if (mistake)
      return puts(mistake), 1;
    for (i = 0; i < TENSORCAST_NUM_FEATURES; ++i)
      columns[i] = &features[i];
    if (tensorcast_prices(columns, 1, &time, &bytes) != 0)
      return 1;
    printf("%.17g %.17g %.17g %.17g %.17g %.17g %.17g\n",
           price.execution_time_s, price.kernel_time_s, price.weights_bytes,
           price.kv_cache_bytes, price.activation_bytes, time, bytes);
    for (i = 0; i < TENSORCAST_NUM_KERNELS; ++i)
      printf("%s %.17g %.17g\n", tensorcast_kernel_names[i], kernels[i].calls,
             kernels[i].total_s);
    puts("");
  }
  return 0;
}
"""


def run(*command, text=None):
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, encoding="utf-8")
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.stdout}{done.stderr}")
    return done.stdout


def random_requests(generator):
    decode = generator.random() < 0.5
    return {"queries": generator.randint(1, 300),
            "query_length": (generator.randint(1, 4) if decode
                             else int(10 ** generator.uniform(0, 4))),
            "context_length": int(10 ** generator.uniform(0, 5)),
            "decode": decode,
            "prefix_cache_hit_rate": generator.choice([0, 0.25])}


def random_workload(generator):
    workload = random_requests(generator)
    if generator.random() < 0.4:
        workload["more_requests"] = [random_requests(generator) for _ in range(3)]
    return workload


def to_line(workload, data_parallel):
    """A workload as the C program reads it."""
    groups = [workload, *workload.get("more_requests", [])]
    numbers = [len(groups)]
    for group in groups:
        length = group["query_length"]
        found = (0 if group["decode"]
                 else int(length * group["prefix_cache_hit_rate"]))
        numbers += [-(-group["queries"] // data_parallel), length - found,
                    group["context_length"] + length, int(group["decode"])]
    return " ".join(map(str, numbers)) + "\n"


def check(price, text):
    """Compares a price with the lines of the C program."""
    first, *lines = text.splitlines()
    memory = price["memory"]
    used = memory["device_bytes"] - memory["available_bytes"]
    expected = [price["execution_time_s"], price["kernel_time_s"],
                memory["weights_bytes"], memory["kv_cache_bytes"],
                memory["activation_bytes"], price["execution_time_s"], used]
    # Sums of memory in another order are rounded otherwise.
    found = [float(number) for number in first.split()]
    assert found[:-1] == expected[:-1], (found, expected)
    assert abs(found[-1] - used) <= 1e-12 * used, (found, expected)
    kernels = []
    for line in lines:
        name, calls, seconds = line.split()
        if float(calls) != 0:
            kernels.append((name, float(calls), float(seconds)))
    assert sorted(kernels) == sorted(
        (kernel["name"], kernel["calls"], kernel["total_s"])
        for kernel in price["kernels"])


def main():
    tensorcast, compiler, module, folder = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(exist_ok=True)
    generator = random.Random(20260801)
    workloads = [random_workload(generator) for _ in range(203)]
    steps = folder / "steps.json"
    steps.write_text(json.dumps(workloads))
    common = [tensorcast, "cost-program", module]
    options = ["--workloads", str(steps), "--format", "json"]
    text = run(*common, *options, "--kernels")
    for more in ([], ["--kernels"]):
        interpreted = run(*common, *options, *more)
        compiled = run(*common, *options, *more, "--jit")
        assert interpreted == compiled, "the JIT prices otherwise"
    prices = json.loads(text)["prices"]
    print(f"JIT: {len(prices)} prices are the same")

    source = run(*common, "--emit-c")
    (folder / "program.c").write_text(source)
    (folder / "main.c").write_text(MAIN)
    program = str(folder / "program")
    run(compiler, "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror",
        "-ffp-contract=off", str(folder / "main.c"), "-o", program, "-lm")
    parallel = int(source.split("#define TENSORCAST_DATA_PARALLEL ")[1].split()[0])
    lines = "".join(to_line(workload, parallel) for workload in workloads)
    results = run(program, text=lines).strip().split("\n\n")
    assert len(results) == len(prices)
    for price, result in zip(prices, results):
        check(price, result)
    print(f"C: {len(results)} prices are the same")


if __name__ == "__main__":
    main()
