#!/usr/bin/env python3
"""Checks that a search of several devices finds what searches of each do.

    check_devices.py ALL.json ONE.json...

ONE.json are of the devices of ALL.json, in their order.
"""

import json
import sys


def plans_of(path):
    with open(path) as file:
        plans = json.load(file)["plans"]
    by_device = {}
    for plan in plans:
        by_device.setdefault(plan.pop("device"), []).append(plan)
    return by_device


def main():
    together = plans_of(sys.argv[1])
    count = 0
    for number, path in enumerate(sys.argv[2:]):
        alone = plans_of(path)[0]
        for ours, expected in zip(together[number], alone):
            if ours != expected:
                sys.exit(f"{path}: {ours['plan']} differs")
            count += 1
        if len(alone) != len(together[number]):
            sys.exit(f"{path}: {len(alone)} plans")
    print(f"{count} plans are the same")


if __name__ == "__main__":
    main()
