#!/usr/bin/env python3
"""Runs every recorded command line at once and in pieces.

    run_in_pieces.py TC_IMPORT TC_OPT TENSORCAST MODELS GOLDENS REFERENCE

GOLDENS is a folder of golden files, of which only the model and the options are
used. What `tensorcast text-generate` prints must be, byte for byte, what
importer, pipeline and report give that read and write text.
"""

import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys

# Options of text-generate that are called otherwise in pipelines.
RENAMED = {"num-queries": "queries", "num-devices": "devices",
           "tp-size": "tp", "dp-size": "dp", "pp-size": "pp",
           "o-proj-tp-size": "o-proj-tp",
           "mlp-tp-size": "mlp-tp", "lmhead-tp-size": "lmhead-tp",
           "dcp-size": "dcp", "vision-tp-size": "vision-tp",
           "ep-size": "ep", "moe-tp-size": "moe-tp", "moe-dp-size": "moe-dp"}
FLAGS = {"compile", "decode", "no-repetition", "enable-redundant-experts",
         "enable-shared-expert-tp", "enable-external-shared-experts",
         "host-external-shared-experts"}
LISTS = {"compilation-config"}
# Those that say how many layers to import, and those that do nothing.
OF_IMPORT = {"num-hidden-layers-override", "num-mtp-tokens"}
WITHOUT_EFFECT = {"quantize-lmhead", "compile-allow-graph-break"}


def run(*command, text=None):
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.decode().strip())
    return done.stdout


def parse(options):
    """Pairs of an option's name and value; None for flags."""
    words, pairs = shlex.split(options), []
    while words:
        name = words.pop(0).removeprefix("--")
        if name in FLAGS | WITHOUT_EFFECT:
            pairs.append((name, None))
            continue
        pairs.append((name, words.pop(0)))
        while name in LISTS and words and not words[0].startswith("--"):
            pairs.append((name, words.pop(0)))
    return pairs


def translate(options):
    """Options of the importer, the name of the pipeline and its options."""
    imported, pipeline, lists, name = [], [], {}, "eager"
    for option, value in options:
        if option == "compile":
            name = "compile"
        elif option in OF_IMPORT:
            imported.append(f"--{option}={value}")
        elif option in LISTS:
            lists.setdefault(option, []).append(value)
        elif option in FLAGS:
            pipeline.append(f"{option}=true")
        elif option not in WITHOUT_EFFECT:
            pipeline.append(f"{RENAMED.get(option, option)}={value}")
    # In a decode step, what was seen is in the cache.
    names = {option for option, _ in options}
    if "image-batch-size" in names and "decode" not in names:
        imported.append("--images")
    pipeline += [f"{option}={','.join(values)}"
                 for option, values in lists.items()]
    return imported, name, pipeline


def check(tools, models, path, reference):
    tc_import, tc_opt, tensorcast = tools
    golden = json.loads(path.read_text())
    config = models / golden["config"].replace(".derived.json", ".json")
    try:
        imported, name, options = translate(parse(golden["options"]))
        at_once = run(tensorcast, "text-generate", config,
                      *golden["options"].split(), "--format", "json",
                      "--reference", reference)
        module = run(tc_import, config, *imported)
        options.append(f"reference={reference}")
        priced = run(tc_opt, f"--tensorcast-{name}={' '.join(options)}",
                     text=module)
        in_pieces = run(tensorcast, "report", "--format", "json", text=priced)
    except RuntimeError as error:
        return str(error)
    return None if at_once == in_pieces else "other bytes in pieces"


def main():
    tools, reference = sys.argv[1:4], sys.argv[6]
    models, goldens = map(pathlib.Path, sys.argv[4:6])
    paths = sorted(goldens.glob("*.json"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = list(pool.map(
            lambda path: check(tools, models, path, reference), paths))
    for path, problem in zip(paths, problems):
        print(f"{path.stem}: {problem or 'same bytes'}")
    sys.exit(any(problems))


if __name__ == "__main__":
    main()
