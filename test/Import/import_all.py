#!/usr/bin/env python3
"""Imports and compiles every preset that standard input lists.

    tc-import --list | import_all.py TC_IMPORT TC_OPT
"""

import subprocess
import sys


def run(*command, text=None):
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    # What is not modelled of a preset is a warning.
    problems = [line for line in done.stderr.splitlines()
                if b"warning: " not in line]
    if done.returncode != 0 or problems:
        sys.exit(f"{' '.join(command)}: {done.stderr.decode()}")
    return done.stdout


def main():
    tc_import, tc_opt = sys.argv[1:]
    names = [line.split()[0] for line in sys.stdin]
    for name in names:
        # Reduced models have the structure of the large ones.
        module = run(tc_import, name, "--reduced")
        run(tc_opt, "--tensorcast-eager=queries=2 query-length=7", text=module)
    print(f"{len(names)} presets")


if __name__ == "__main__":
    main()
