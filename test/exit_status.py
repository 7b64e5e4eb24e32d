#!/usr/bin/env python3
"""Runs a program that must end with a certain exit status.

    exit_status.py STATUS COMMAND...
"""

import subprocess
import sys


def main():
    expected, command = int(sys.argv[1]), sys.argv[2:]
    status = subprocess.run(command).returncode
    if status != expected:
        sys.exit(f"expected exit status {expected}, but got {status}")


if __name__ == "__main__":
    main()
