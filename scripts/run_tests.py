#!/usr/bin/env python3
"""Runs every check against a finished build and counts the results.

    run_tests.py BUILD

The last line is `N passed, N failed`: the tests that lit runs (programs and
GoogleTest), and one for each of the checks below. Exit status 1 if any failed.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What lit skips, it skips because time ran out.
FAILED = {"FAIL", "XPASS", "TIMEOUT", "UNRESOLVED", "SKIPPED"}
PASSED = {"PASS", "XFAIL", "FLAKYPASS"}


def run(*command):
    """Runs a command; returns (succeeded, output)."""
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace")
    return done.returncode == 0, done.stdout


def run_lit(build):
    """Returns (passed, failed) of the suites that lit knows."""
    lit = (shutil.which("lit-22") or shutil.which("lit")
           or "/usr/lib/llvm-22/bin/lit")
    results = build / "test" / "results.json"
    results.unlink(missing_ok=True)
    _, output = run(lit, "--verbose", "--no-progress-bar", "--succinct",
                    "--order=smart", "--max-time=1800", "--output", str(results),
                    str(build / "test"), str(build / "test" / "unit"))
    if not results.exists():
        print(output)
        return 0, 1
    tests = json.loads(results.read_text())["tests"]
    codes = [test["code"] for test in tests]
    failed = sum(code in FAILED for code in codes)
    if failed or not tests:
        print(output)
    skipped = len(codes) - failed - sum(code in PASSED for code in codes)
    if skipped:
        print(f"{skipped} tests are not supported here")
    # No test at all means that lit found none, which is no success.
    return sum(code in PASSED for code in codes), failed or not tests


def check_format(build):
    files = [str(path.relative_to(ROOT))
             for top in ("include", "lib", "tools", "test", "cmake")
             for path in sorted((ROOT / top).rglob("*"))
             if path.suffix in {".h", ".cpp"}]
    succeeded, output = run("clang-format-22", "--dry-run", "-Werror", *files)
    unformatted = sorted(set(re.findall(r"^(\S+):\d+:\d+: error", output,
                                        re.MULTILINE)))
    if unformatted:
        output = "to mend it: clang-format-22 -i " + " ".join(unformatted)
    return succeeded, output


def check_lint(build):
    return run(sys.executable, "scripts/lint.py")


def check_docs(build):
    succeeded, output = run("ninja", "-C", str(build), "check-tensorcast-doc")
    if not succeeded:
        output += "to mend it: ninja -C build tensorcast-doc\n"
    return succeeded, output


def compilers(build):
    """Returns the options by which CMake takes the compilers of a build."""
    cache = (build / "CMakeCache.txt").read_text()
    return [f"-D{name}={path}" for name, path in re.findall(
        r"^(CMAKE_C(?:XX)?_COMPILER):\w+=(.*)$", cache, re.MULTILINE)]


def check_package(build):
    """Installs the project and builds a project outside of it against that."""
    prefix, outside = build / "package" / "prefix", build / "package" / "build"
    shutil.rmtree(prefix, ignore_errors=True)
    output = ""
    for command in (
            ("cmake", "--install", str(build), "--prefix", str(prefix)),
            ("cmake", "-G", "Ninja", "-S", "examples/out-of-tree", "-B", str(outside),
             f"-DCMAKE_PREFIX_PATH={prefix}", *compilers(build),
             "-DCMAKE_BUILD_TYPE=Release"),
            ("ninja", "-C", str(outside), "check"),
            # Installed tools find what patterns include beside them.
            (str(prefix / "bin" / "tc-opt"), "examples/out-of-tree/test.mlir",
             "--transformer-apply-patterns="
             "file=examples/patterns/norm-linear.pdll",
             "-o", str(outside / "patterned.mlir"))):
        succeeded, text = run(*command)
        output += text
        if not succeeded:
            return False, output
    return True, output


CHECKS = [
    ("clang-format", check_format),
    ("lint", check_lint),
    ("generated docs are current", check_docs),
    ("outside project builds against the package", check_package),
]


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    passed, failed = run_lit(build)
    print(f"lit: {passed} passed, {int(failed)} failed", flush=True)
    for name, check in CHECKS:
        succeeded, output = check(build)
        if not succeeded:
            print(output, end="" if output.endswith("\n") else "\n")
        print(f"{name}: {'passed' if succeeded else 'FAILED'}", flush=True)
        passed += succeeded
        failed += not succeeded
    print(f"{passed} passed, {int(failed)} failed")
    sys.exit(failed != 0)


if __name__ == "__main__":
    os.environ.setdefault("LC_ALL", "C.UTF-8")
    main()
