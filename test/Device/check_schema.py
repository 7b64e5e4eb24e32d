#!/usr/bin/env python3
"""Checks every device profile in a folder against the JSON schema.

usage: check_schema.py SCHEMA FOLDER
"""

import json
import pathlib
import sys

import jsonschema


def distinct(pairs):
    """An object from its members; the standard reader drops duplicates."""
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("an object has a duplicate key")
    return members


def problems(path, validator):
    """Yields what is wrong with the profile at `path`, one line each."""
    try:
        profile = json.loads(path.read_text(), object_pairs_hook=distinct)
    except ValueError as error:
        yield str(error)
        return
    for error in validator.iter_errors(profile):
        pointer = "".join(f"/{part}" for part in error.absolute_path)
        yield f"{pointer or '/'}: {error.message}"
    if isinstance(profile, dict) and profile.get("name") != path.stem:
        yield f"/name: expected '{path.stem}' as the file is called"


def main():
    if len(sys.argv) != 3:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    schema_path, folder = map(pathlib.Path, sys.argv[1:])
    schema = json.loads(schema_path.read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)

    paths = sorted(
        path
        for path in folder.glob("*.json")
        if path.resolve() != schema_path.resolve()
    )
    failed = not paths
    if not paths:
        print(f"no profiles in {folder}", file=sys.stderr)
    for path in paths:
        for problem in problems(path, validator):
            print(f"{path.name}: {problem}", file=sys.stderr)
            failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
