#!/usr/bin/env python3
"""Checks the front of a search against all its batches.

    check_front.py REPORT.json [PAGE.html]

The front is computed anew from the batches of the plans. A page is well formed,
links to nothing, and has a dot for each batch.
"""

import html.parser
import json
import sys

VOID = {"meta", "br"}


def front_of(report):
    """(tokens/s/user, tokens/s/device, batch) of the batches on the front."""
    plans = report["plans"]
    devices = lambda plan: plan["sizes"]["tp"] * plan["sizes"]["dp"]
    is_ratio = report["request"]["mode"] == "ratio"
    # Requests per second of a device in prefill.
    prefill = max((point["requests_per_second"] / devices(plan)
                   for plan in plans if plan["phase"] == "prefill"
                   for point in plan["points"]), default=0)
    points = []
    for plan in plans:
        if plan["phase"] == "prefill":
            continue
        for point in plan["points"]:
            count = devices(plan)
            if is_ratio:
                count += point["requests_per_second"] / prefill
            points.append((1e3 / point["tpot_ms"],
                           point["tokens_per_second"] / count,
                           point["batch"]))
    return [point for point in points
            if not any(other != point and other[0] >= point[0] and
                       other[1] >= point[1] and other[:2] != point[:2]
                       for other in points)], len(points)


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.dots = [], 0

    def handle_starttag(self, tag, attrs):
        if tag in ("script", "link", "img") or {"src", "href"} & set(
                dict(attrs)):
            sys.exit(f"<{tag}> needs another file")
        self.dots += tag == "circle"
        if tag not in VOID and not self.get_starttag_text().endswith("/>"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in ("circle", "line", "polyline") and tag not in self.open:
            return
        if not self.open or self.open.pop() != tag:
            sys.exit(f"</{tag}> closes nothing")


def main():
    with open(sys.argv[1]) as file:
        report = json.load(file)
    expected, count = front_of(report)
    ours = [(row["tokens_per_second_per_user"],
             row["tokens_per_second_per_device"], row["batch"])
            for row in report["front"]]
    if not ours or ours != sorted(ours, reverse=True):
        sys.exit("the front is not in order")
    # Equal batches of different plans are shown once.
    near = lambda a, b: all(abs(x - y) <= 1e-9 * x for x, y in zip(a, b))
    for point in ours:
        if not any(near(point, other) for other in expected):
            sys.exit(f"{point} is not on the front")
    for point in expected:
        if not any(near(point[:2], other[:2]) for other in ours):
            sys.exit(f"{point} is missing")
    if len(sys.argv) > 2:
        page = Page()
        with open(sys.argv[2]) as file:
            page.feed(file.read())
        if page.open or page.dots != count:
            sys.exit(f"open: {page.open}, {page.dots} dots for {count} batches")


if __name__ == "__main__":
    main()
