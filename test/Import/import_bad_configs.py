#!/usr/bin/env python3
"""Imports configs with a mistake each, and prints what is said about them.

    import_bad_configs.py TC_IMPORT FOLDER

Whatever the mistake: the exit status is 1, within two seconds, after an error
that names the file; nothing is left of the output.
"""

import json
import pathlib
import subprocess
import sys
import time

GOOD = {"model_type": "qwen3", "hidden_size": 64, "num_hidden_layers": 1,
        "num_attention_heads": 8, "num_key_value_heads": 2,
        "intermediate_size": 96, "vocab_size": 256}
TEXT = json.dumps(GOOD)
DEEP = 2000000


def change(**members):
    """The good config with other members; None removes one."""
    config = {**GOOD, **members}
    return json.dumps({key: value for key, value in config.items()
                       if value is not None})


CASES = {
    "empty": "",
    "blank": " \n\n",
    "truncated": TEXT[:40],
    "truncated string": TEXT[:5],
    "words": "hidden size 64",
    "binary": b"\x00\xff\xfe\x80" * 8,
    "no text": b'{"model_type": "\xff"}',
    "array": "[1, 2]",
    "number": "64",
    "two values": TEXT + TEXT,
    "duplicate key": TEXT[:-1] + ', "hidden_size": 65}',
    "nested arrays": "[" * DEEP + "]" * DEEP,
    "nested objects": '{"a":' * DEEP + "1" + "}" * DEEP,
    "unclosed arrays": "[" * DEEP,
    "large file": "[" + "0," * (40 << 20) + "0]",

    "no keys": "{}",
    "no model type": change(model_type=None, architectures=["Qwen3ForCausalLM"]),
    "structural keys missing": '{"model_type": "qwen3"}',
    "one key missing": change(vocab_size=None),
    "near model type": change(model_type="qwen_3"),
    "far model type": change(model_type="mamba"),
    "model type is a number": change(model_type=3),

    "word": change(hidden_size="x"),
    "zero": change(hidden_size=0),
    "negative": change(hidden_size=-1),
    "huge": change(hidden_size=1e30),
    "2^63": change(hidden_size=1 << 63),
    "2^64": change(hidden_size=1 << 64),
    "fraction": change(hidden_size=64.5),
    "boolean": change(hidden_size=True),
    "object": change(hidden_size={}),
    "null": TEXT.replace("64", "null"),
    "several": change(hidden_size="x", vocab_size=0, num_hidden_layers=[]),
    "layers": change(num_hidden_layers=1 << 40),

    "heads that do not divide": change(num_key_value_heads=3),
    "hidden size that heads do not divide":
        change(model_type="llama", hidden_size=65),
    "odd head": change(head_dim=7),
    "eps": change(rms_norm_eps=0),
    "nan": TEXT[:-1] + ', "rms_norm_eps": NaN}',
    "theta": change(rope_theta=-1),
    "inner theta": change(rope_parameters={"rope_theta": "x"}),
    "tie": change(tie_word_embeddings=1),
    "padding": change(pad_token_id=256),

    "activation": change(hidden_act="gelu"),
    "window": change(sliding_window=0, use_sliding_window=True),
    "window of text": change(model_type="mistral", sliding_window="all"),
    "layer types": change(layer_types=["full_attention", "sliding_attention"]),
    "rotation": change(partial_rotary_factor=0.5),
    "nested config": change(text_config=GOOD),
    "no text model": json.dumps({"model_type": "qwen3_vl"}),
    "bad text": json.dumps({"model_type": "qwen3_vl", "text_config": [GOOD]}),
    "key of the text": json.dumps(
        {"model_type": "internvl", "text_config": {**GOOD, "head_dim": 7}}),
    "text in text": json.dumps(
        {"model_type": "internvl", "text_config": {"model_type": "qwen3_vl"}}),
}


def main():
    tool, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    config, output = folder / "config.json", folder / "out.mlir"
    for name, text in CASES.items():
        config.write_bytes(text if isinstance(text, bytes) else text.encode())
        begin = time.monotonic()
        done = subprocess.run([tool, str(config), "-o", str(output)],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        seconds = time.monotonic() - begin
        lines = done.stderr.decode(errors="replace").splitlines()
        errors = [line for line in lines if "error: " in line]
        if done.returncode != 1:
            print(f"{name}: exit status {done.returncode}")
        if seconds > 2:
            print(f"{name}: took {seconds:.1f} s")
        if done.stdout or output.exists():
            print(f"{name}: left output")
        if not errors:
            print(f"{name}: no error")
        for line in errors:
            place = line.replace(str(config), "CONFIG")
            print(f"{name}: {place.removeprefix('tc-import: ')}")


if __name__ == "__main__":
    main()
