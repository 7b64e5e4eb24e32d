#!/usr/bin/env python3
"""The house rules that a program can check.

    lint.py [FILE...]       default: every file of the repository

Prints `file:line: what is wrong` for each finding; exit status 1 if any.
Needs nothing but Python; clang-format is run by scripts/test.sh.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MAX_LINES = 1000
CXX = {".cpp", ".h"}
GENERATED = ("docs/Dialects/", "docs/Passes/")
DATA = {".json", ".csv", ".mlirbc", ".gz"}

# What the reference calls its operators stays with the code that mimics it.
REFERENCE_NAMES = re.compile(r"\b(aten|prims|tensor_cast)\.")
REFERENCE_PLACES = ("lib/Conversion/TransformerToAscend/Reference/", "test/",
                    "docs/", "scripts/lint.py")

# What programs consist of beside a main function: it speaks to the terminal.
PROGRAM_PLACES = ("lib/Tools/",)

# (pattern, message) for code that user input reaches.
LIBRARY_RULES = [
    (re.compile(r"(?<!static_)\bassert\("), "assert: emit a diagnostic"),
    (re.compile(r"\bllvm_unreachable\b"),
     "llvm_unreachable: return a value or emit a diagnostic"),
    (re.compile(r"\breport_fatal_error\b"),
     "report_fatal_error: emit a diagnostic"),
    (re.compile(r"\b(llvm::)?errs\(\)"), "errs(): emit a diagnostic"),
    (re.compile(r"\bStatistic\b"),
     "Statistic: inert in Debian's MLIR; report by remarks"),
    (re.compile(r"^\s*static (llvm::)?cl::"),
     "global command line option: use a pass option"),
]
IOSTREAM = re.compile(r"#include <iostream>")
LEFT_FOR_LATER = re.compile(r"\b(TODO|FIXME|XXX)\b")
# Libraries that throw stay behind two wrappers.
EXCEPTION_RULE = re.compile(r"^\s*(\} )?(try \{|catch \(|throw\b)"
                            r"|#include [<\"]nlohmann/")
EXCEPTION_PLACES = ("lib/Support/Json.cpp", "lib/Support/Yaml.cpp",
                    "include/tensorcast/Support/Json.h")

ABSOLUTE_PATH = re.compile(r"(?<![\w.$})/])/(home|root|tmp|work|opt)/\w")
CHECKS = re.compile(r"FileCheck|-verify-diagnostics|\bdiff\b|\bcmp\b|\bnot\b"
                    r"|%python|\bcount\b")
BANNER = re.compile(r"//===- (\S+) - .+===//$|//===- (\S+) -+\*- .+ -\*-===//$"
                    r"|//===- (\S+) - .+-\*- .+ -\*-===//$")


def tracked_files():
    # The files may belong to another user than the one who checks them.
    listing = subprocess.run(
        ["git", "-C", str(ROOT), "-c", "safe.directory=*", "ls-files", "-co",
         "--exclude-standard", "-z"],
        check=True, capture_output=True, text=True).stdout
    return [ROOT / name for name in listing.split("\0") if name]


def line_findings(name, suffix, number, line):
    """Yields what is wrong with one line."""
    if suffix not in DATA:
        if line != line.rstrip():
            yield "trailing whitespace"
        if "\t" in line:
            yield "tab"
        if ABSOLUTE_PATH.search(line):
            yield "a path of one machine"
    if REFERENCE_NAMES.search(line) and not name.startswith(REFERENCE_PLACES):
        yield f"name of the reference outside {REFERENCE_PLACES[0]}"
    if suffix not in CXX | {".td"}:
        return
    if LEFT_FOR_LATER.search(line):
        yield "left for later: do it"
    if IOSTREAM.search(line):
        yield "<iostream>: use raw_ostream"
    if name.startswith(("lib/", "include/")) and not name.startswith(
            PROGRAM_PLACES):
        code = line.split("//")[0]  # comments may speak of asserts
        if EXCEPTION_RULE.search(code) and name not in EXCEPTION_PLACES:
            yield "exceptions and nlohmann::json stay behind lib/Support"
        for pattern, message in LIBRARY_RULES:
            if pattern.search(code):
                yield message


def run_line_findings(lines):
    """Yields (line, what) for a test whose RUN lines cannot fail on output."""
    commands, start = [], 0
    for number, line in enumerate(lines, 1):
        if line.strip() == "END.":  # lit reads no further either
            break
        match = re.search(r"(?://|#|;|^)\s*RUN:\s*(.*)", line)
        if not match:
            continue
        if not commands or not commands[-1][1].endswith("\\"):
            commands.append((number, ""))
        start, text = commands[-1]
        commands[-1] = (start, text.rstrip("\\") + match.group(1))
    if commands and not any(CHECKS.search(text) for _, text in commands):
        yield commands[0][0], "RUN lines check nothing"
        return
    for number, text in commands:
        # A line that writes a file serves the lines after it.
        if not CHECKS.search(text) and not re.search(r"%t|\brm\b|mkdir|>", text):
            yield number, "RUN line checks nothing"


def findings(path):
    name = path.relative_to(ROOT).as_posix()
    suffix = path.suffix
    data = path.read_bytes()
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return
    if not text or "\0" in text:
        return
    lines = text.split("\n")
    if lines[-1] and suffix not in DATA:
        yield len(lines), "no newline at the end of the file"
    if lines[-1] == "":
        lines.pop()
    generated = name.startswith(GENERATED)
    if len(lines) > MAX_LINES and suffix not in DATA and not generated:
        yield 1, f"{len(lines)} lines; a file is about one thing"
    if suffix in CXX | {".td"}:
        match = BANNER.match(lines[0])
        if not match:
            yield 1, "no banner '//===- File - What it is for -----===//'"
        elif path.name not in match.groups():
            yield 1, f"the banner names another file than {path.name}"
        elif suffix in CXX and len(lines[0]) > 80:
            yield 1, "banner wider than 80 columns"
    if name.startswith("test/") and suffix in {".mlir", ".test", ".pdll"}:
        yield from run_line_findings(lines)
    if generated or name == "LICENSE":
        return
    for number, line in enumerate(lines, 1):
        for message in line_findings(name, suffix, number, line):
            yield number, message


def main():
    paths = [pathlib.Path(p).resolve() for p in sys.argv[1:]] or tracked_files()
    count = 0
    for path in paths:
        if path.is_file():
            for number, message in findings(path):
                print(f"{path.relative_to(ROOT)}:{number}: {message}")
                count += 1
    sys.exit(count != 0)


if __name__ == "__main__":
    main()
