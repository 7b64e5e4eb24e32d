#!/usr/bin/env python3
"""Breaks one op of one function, to see that it is found.

    edit.py FILE FUNCTION PATTERN REPLACEMENT

Prints FILE with the first match of PATTERN, a regular expression, in the body
of @FUNCTION replaced. It is an error if there is none.
"""

import re
import sys


def main():
    path, function, pattern, replacement = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        text = file.read()
    start = re.search(rf"func\.func .*@{re.escape(function)}\(", text)
    if not start:
        sys.exit(f"expected a function @{function} in {path}, but got none")
    end = text.find("\n  func.func", start.end())
    body = text[start.end():end if end >= 0 else len(text)]
    edited, count = re.subn(pattern, replacement, body, count=1)
    if not count:
        sys.exit(f"expected '{pattern}' in @{function}, but got none")
    sys.stdout.write(text.replace(body, edited, 1))


if __name__ == "__main__":
    main()
