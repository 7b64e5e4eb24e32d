#!/usr/bin/env python3
"""Writes a golden file with a small mistake in each of its parts.

    change_golden.py GOLDEN.json OUTPUT.json
"""

import json
import pathlib
import sys

golden = json.loads(pathlib.Path(sys.argv[1]).read_text())
golden["execution_time_s"] *= 1 + 1e-6
golden["memory_gib"]["weights"] += 1e-3
golden["memory_gib"]["kv_cache"] = 0.0371
golden["breakdown_s"]["memory_bound"] = 0.01168
next(op for op in golden["ops"] if op["name"] == "aten.mul")["calls"] += 1
next(launch for launch in golden["groups"]
     if launch["op"] == "aten.mul")["calls"] += 1
pathlib.Path(sys.argv[2]).write_text(json.dumps(golden))
