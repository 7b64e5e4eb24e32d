#!/usr/bin/env python3
"""Runs the commands of a page, so that the page stays true.

    run_page.py PAGE

Runs what is in ```sh blocks, one command after the other, in the current folder.
A command must succeed, or exit as a comment behind it says: `# exits 1`.
"""

import re
import subprocess
import sys


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        blocks = re.findall(r"^```sh\n(.*?)^```", file.read(),
                            re.DOTALL | re.MULTILINE)
    count = failed = 0
    for block in blocks:
        for command in block.replace("\\\n", " ").splitlines():
            expected = re.search(r"# exits (\d+)$", command)
            done = subprocess.run(command, shell=True, text=True,
                                  stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)
            print(f"$ {command}\n{done.stdout}")
            if done.returncode != (int(expected.group(1)) if expected else 0):
                print(f"FAILED with {done.returncode}")
                failed += 1
            count += 1
    print(f"{count} commands, {failed} failed")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
