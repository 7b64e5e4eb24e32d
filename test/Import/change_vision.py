#!/usr/bin/env python3
"""Imports a config with one mistake after the other, and prints what is said.

    change_vision.py TC_IMPORT MODEL FILE

MODEL is a config with a vision tower; FILE is overwritten by its changed copies.
"""

import copy
import json
import pathlib
import subprocess
import sys

REMOVED = object()
# What is changed of the config of the tower.
CHANGES = {
    "no heads": {"num_heads": REMOVED},
    "heads that do not divide": {"num_heads": 3},
    "odd quarters": {"num_heads": 512},
    "depth": {"depth": 0},
    "no square": {"num_position_embeddings": 2305},
    "activation": {"hidden_act": "relu"},
    "output": {"out_hidden_size": 1024},
    "patch": {"patch_size": [16, 14]},
    "deep layers": {"deepstack_visual_indexes": [5, 24]},
    "deep words": {"deepstack_visual_indexes": ["5"]},
    "merge": {"spatial_merge_size": 65},
}


def main():
    tc_import, model, name = sys.argv[1:]
    config = json.loads(pathlib.Path(model).read_text())
    cases = {"as it is": config}
    without = copy.deepcopy(config)
    del without["vision_config"]
    cases["no tower"] = without
    cases["an array"] = {**config, "vision_config": [1]}
    for case, changes in CHANGES.items():
        changed = copy.deepcopy(config)
        for key, value in changes.items():
            if value is REMOVED:
                del changed["vision_config"][key]
            else:
                changed["vision_config"][key] = value
        cases[case] = changed
    stem = pathlib.Path(name).stem
    for case, changed in cases.items():
        pathlib.Path(name).write_text(json.dumps(changed))
        done = subprocess.run([tc_import, name, "--images", "-o", "-"],
                              capture_output=True, text=True)
        said = done.stderr.replace(name, "CONFIG").replace(stem, "CONFIG")
        said = said.replace("tc-import: ", "").strip()
        if done.returncode == 0 and not said:
            said = "imported"
        for line in said.splitlines():
            print(f"{case}: {line}")


if __name__ == "__main__":
    main()
