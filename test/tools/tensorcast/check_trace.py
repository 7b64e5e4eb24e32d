#!/usr/bin/env python3
"""Checks a Chrome trace as a viewer would take it, and says what is in it.

    check_trace.py TRACE.json

Events are sorted; on each track they are within each other or apart, and
kernels are apart; the last event ends with the run.
"""

import json
import sys

# Times are decimals of nanoseconds in doubles of microseconds.
ROUNDING_US = 1e-6


def check_track(events):
    around = []
    for event in events:
        while around and around[-1]["end"] <= event["ts"] + ROUNDING_US:
            around.pop()
        for outer in around:
            assert outer["cat"] in ("layer", "stage"), (outer, event)
            assert event["end"] <= outer["end"] + ROUNDING_US, (outer, event)
        around.append(event)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        trace = json.load(file)
    events = [e for e in trace["traceEvents"] if e["ph"] == "X"]
    named = {(e["name"], e["pid"], e["tid"]): e["args"]["name"]
             for e in trace["traceEvents"] if e["ph"] == "M"}
    assert all(e["ph"] in "XM" for e in trace["traceEvents"])
    assert events == sorted(events, key=lambda e: e["ts"])
    tracks = {}
    for event in events:
        assert event["ts"] >= 0 and event["dur"] >= 0, event
        assert event["cat"] in ("kernel", "layer", "stage"), event
        event["end"] = event["ts"] + event["dur"]
        tracks.setdefault((event["pid"], event["tid"]), []).append(event)
    for (process, thread), track in tracks.items():
        assert ("process_name", process, 0) in named
        assert ("thread_name", process, thread) in named
        check_track(track)
    end = max(event["end"] for event in events)
    run = 1e6 * trace["otherData"]["execution_time_s"]
    assert abs(end - run) <= 1e-9 * run + 1e-3, (end, run)
    kernels = sum(e["cat"] == "kernel" for e in events)
    busy = sum(e["dur"] for e in events if e["cat"] == "kernel")
    total = 1e6 * trace["otherData"]["kernel_time_s"]
    assert abs(busy - total) <= 1e-3 * kernels, (busy, total)
    layers = sum(e["cat"] == "layer" for e in events)
    print(f"{kernels} kernels, {layers} layers, end {end:.3f} us")


if __name__ == "__main__":
    main()
