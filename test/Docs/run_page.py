#!/usr/bin/env python3
"""Runs the commands of a page, so that the page stays true.

    run_page.py PAGE

Goes through the page's blocks in order, in the current folder. What is in ```sh
blocks runs, one command after the other: a command must succeed, or exit as a
comment behind it says: `# exits 1`. Another block that begins with the name of a
file as its comment, as in `// mine.mlir`, becomes that file.
"""

import re
import subprocess
import sys


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        blocks = re.findall(r"^```(\w+)\n(.*?)^```", file.read(),
                            re.DOTALL | re.MULTILINE)
    count = failed = 0
    for language, block in blocks:
        if language != "sh":
            name = re.match(r"(?://|#) (\w[\w-]*\.\w+)$", block, re.MULTILINE)
            if name:
                # JSON has no comments.
                text = (block.split("\n", 1)[1]
                        if name.group(1).endswith(".json") else block)
                with open(name.group(1), "w", encoding="utf-8") as file:
                    file.write(text)
            continue
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
