#!/usr/bin/env python3
"""Checks that every ```mlir example of the generated pages parses.

    check_examples.py TC_OPT DOCS

DOCS is the folder with the pages generated from the .td files. Every op,
attribute and type must have an example. Values that an example uses and does
not define are arguments of a function around it; their types are those that the
parser says it expects.
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

# Of an op, `dialect.op` (class), an attribute or a type.
HEADING = re.compile(r"^### (?:`(\S+)` \(\S+\)|(\w+(?:Attr|Type)))$",
                     re.MULTILINE)
EXAMPLE = re.compile(r"```mlir\n(.*?)```", re.DOTALL)
EXPECTED_TYPE = re.compile(
    r"use of value '(%\w+)' expects different type than prior uses: "
    r"'(.*)' vs 'index'$", re.MULTILINE)


def tc_opt(tool, text):
    done = subprocess.run([tool], input=text, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    return done.returncode, done.stderr


def wrap(example, types):
    """Puts ops into a function, and types where they are parsed."""
    if re.search(r"^(module|func\.func)\b", example, re.MULTILINE):
        return example
    outside, inside = [], []
    for line in example.splitlines():
        if re.match(r"!\w+\.\w+", line):
            outside.append(f"func.func private @type_{len(outside)}({line})")
        elif inside or re.match(r"%|\w+\.", line):
            inside.append(line)
        else:
            outside.append(line)
    arguments = ", ".join(f"{name}: {kind}" for name, kind in types.items())
    return "\n".join([*outside, f"func.func @example({arguments}) {{", *inside,
                      "return", "}"])


def free_values(example):
    """The values that are used before they are defined, or never are."""
    defined, free = set(), {}
    for line in example.splitlines():
        results = re.match(r"\s*((?:%\w+(?:, )?)+) = ", line)
        names = re.findall(r"%\w+", line)
        new = re.findall(r"%\w+", results.group(1)) if results else []
        # Arguments of a region are defined where they get their value.
        inner = re.findall(r"(%\w+) = %", line)
        defined.update(inner)
        for name in names[len(new):]:
            if name not in defined:
                free[name] = "index"
        defined.update(new)
    return free


def problem(tool, example):
    """Returns what the parser says about an example, or None."""
    types = free_values(example)
    while True:
        status, message = tc_opt(tool, wrap(example, types))
        if status == 0:
            return None
        mistaken = EXPECTED_TYPE.search(message)
        if not mistaken or types.get(mistaken.group(1)) != "index":
            return message
        types[mistaken.group(1)] = mistaken.group(2)


def sections(text):
    """Yields the name and text of what each heading of a page is about."""
    headings = list(HEADING.finditer(text))
    ends = [heading.start() for heading in headings[1:]] + [len(text)]
    for heading, end in zip(headings, ends):
        yield heading.group(1) or heading.group(2), text[heading.end():end]


def dedent(example):
    """Takes off the indentation that some generators leave."""
    return re.sub(r"^    ", "", example, flags=re.MULTILINE) \
        if example.startswith("    ") else example


def main():
    tool, docs = sys.argv[1], pathlib.Path(sys.argv[2])
    problems, examples = [], []
    for page in sorted(docs.rglob("*.md")):
        for name, text in sections(page.read_text()):
            found = [dedent(example) for example in EXAMPLE.findall(text)]
            # A heading of an attribute or type is not what it is written as.
            if not any(name in example or "." not in name
                       for example in found):
                problems.append(f"{name}: no example")
            examples += [(name, example) for example in found]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda each: problem(tool, each[1]), examples)
    for (name, example), message in zip(examples, results):
        if message:
            problems.append(f"{name}: {message}in\n{example}")
    if not examples:
        problems.append(f"no examples in {docs}")
    print(*problems, f"{len(examples)} examples", sep="\n")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
