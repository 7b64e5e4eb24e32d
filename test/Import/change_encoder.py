"""Writes configs of an encoder that each have one key with a value not modelled.

Arguments: a config, the start of the names of the files.
"""

import json
import sys

CHANGES = {"hidden_act": "relu", "position_embedding_type": "relative_key",
           "is_decoder": True, "num_attention_heads": 7,
           "layer_norm_eps": "small"}


def main():
    source, start = sys.argv[1:]
    with open(source) as file:
        config = json.load(file)
    for key, value in CHANGES.items():
        with open(f"{start}.{key}.json", "w") as file:
            json.dump({**config, key: value}, file)


main()
