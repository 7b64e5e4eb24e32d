"""Compiles patterns again and again, with something done to what is kept.

Argument: a folder for files.
"""

import os
import pathlib
import shutil
import subprocess
import sys

MODULE = """func.func @f(%x: tensor<7x8xf16>) -> tensor<7x8xf16> {
  %0 = transformer.neg %x : tensor<7x8xf16>
  return %0 : tensor<7x8xf16>
}
"""
PATTERN = """#include "Transformer.pdll"
Pattern P {
  let root = op<transformer.neg>(x: Value);
  rewrite root with { replace root with Fuse(attr<"\\"NAME\\"">, root.0); };
}
"""


def main():
    folder = pathlib.Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    cache = folder / "cache"
    (folder / "m.mlir").write_text(MODULE)
    (folder / "outer.pdll").write_text('#include "inner.pdll"\n')
    count = failures = 0

    def fail(what, why):
        nonlocal failures
        failures += 1
        print(f"FAILED {what}: {why}")

    def run(what, name, **environment):
        nonlocal count
        count += 1
        done = subprocess.run(
            ["tc-opt", "m.mlir",
             "--transformer-apply-patterns=file=outer.pdll include=."],
            cwd=folder, capture_output=True, text=True,
            env={**os.environ, "XDG_CACHE_HOME": str(cache), **environment})
        if f'transformer.fused "{name}"' not in done.stdout or done.stderr:
            fail(what, done.stdout + done.stderr)

    def change(what, edit):
        """Does something to every entry; there must be one."""
        entries = [path for path in cache.rglob("*") if path.is_file()]
        if not entries:
            fail(what, "nothing is kept")
        for path in entries:
            path.write_bytes(edit(path.read_bytes()))

    (folder / "inner.pdll").write_text(PATTERN.replace("NAME", "one"))
    run("the first time", "one")
    change("kept", lambda text: text)
    run("kept", "one")
    (folder / "inner.pdll").write_text(PATTERN.replace("NAME", "two"))
    run("an included file has changed", "two")
    for what, edit in (
            ("another kernel", lambda text: text.replace(b'"two"', b'"not"')),
            ("half of it", lambda text: text[:len(text) // 2]),
            ("more", lambda text: text + b"garbage\n"),
            ("nothing", lambda text: b"")):
        change(what, edit)
        run(what, "two")
    (folder / "file").write_text("")
    run("no folder", "two", XDG_CACHE_HOME=str(folder / "file"))
    print(f"{count} runs, {failures} failed")
    sys.exit(failures > 0)


main()
