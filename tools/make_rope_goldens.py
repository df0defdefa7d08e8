#!/usr/bin/env python3
"""Makes testdata/models/rope/goldens.json: RoPE frequencies and attention factors as transformers has them.

    pip download --no-deps transformers==5.24.0 && unzip transformers-*.whl transformers/modeling_rope_utils.py
    apt install python3-torch
    tools/make_rope_goldens.py transformers/modeling_rope_utils.py testdata/models/rope

Only that one file of transformers is loaded, with stand-ins for the two things it imports, so that the
torch of Debian 12 (1.13) serves. Each case is a config.json's worth of keys, the sequence length that
transformers was told, and the result.
"""

import importlib.util
import json
import logging
import sys
import types
from pathlib import Path

import torch

LLAMA = {"hidden_size": 2048, "num_attention_heads": 32, "head_dim": 64, "max_position_embeddings": 131072}
QWEN = {"hidden_size": 1024, "num_attention_heads": 16, "head_dim": 128, "max_position_embeddings": 32768}
SMALL = {"hidden_size": 48, "num_attention_heads": 4, "head_dim": 12, "max_position_embeddings": 2048}
LONG = {
    "rope_type": "longrope",
    "rope_theta": 10000.0,
    "short_factor": [1.0, 1.1, 1.2, 1.3, 1.4, 1.5],
    "long_factor": [1.0, 2.0, 4.0, 8.0, 16.0, 32.0],
    "original_max_position_embeddings": 512,
}
LLAMA3 = {
    "rope_type": "llama3",
    "rope_theta": 500000.0,
    "factor": 32.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}
YARN = {"rope_type": "yarn", "rope_theta": 1e6, "factor": 4.0, "original_max_position_embeddings": 32768}

CASES = [
    ("linear", QWEN, {"rope_type": "linear", "rope_theta": 10000.0, "factor": 4.0}, None),
    ("linear, half the head", QWEN, {"rope_type": "linear", "rope_theta": 10000.0, "factor": 2.5,
                                     "partial_rotary_factor": 0.5}, None),
    ("dynamic, short", SMALL, {"rope_type": "dynamic", "rope_theta": 10000.0, "factor": 2.0}, 100),
    ("dynamic, long", SMALL, {"rope_type": "dynamic", "rope_theta": 10000.0, "factor": 2.0}, 4096),
    ("llama 3.2 1B", LLAMA, LLAMA3, None),
    ("llama 3.1 8B", LLAMA | {"head_dim": 128}, LLAMA3 | {"factor": 8.0}, None),
    ("yarn, qwen", QWEN, YARN, None),
    ("yarn, other betas", QWEN, YARN | {"beta_fast": 16.0, "beta_slow": 2.0, "factor": 8.0}, None),
    ("yarn, not truncated", QWEN, YARN | {"truncate": False}, None),
    ("yarn, attention factor", QWEN, YARN | {"attention_factor": 1.5}, None),
    ("yarn, mscale", QWEN, YARN | {"mscale": 1.0, "mscale_all_dim": 0.5, "factor": 40.0}, None),
    ("yarn, small head", SMALL, YARN | {"original_max_position_embeddings": 256, "factor": 8.0}, None),
    ("longrope, short", SMALL, LONG, 512),
    ("longrope, long", SMALL, LONG, 513),
    ("longrope, factor and attention factor", SMALL, LONG | {"factor": 3.0, "attention_factor": 1.19}, 2048),
    ("longrope, factor", SMALL, LONG | {"factor": 3.0}, 2048),
]


def load_rope_functions(path):
    """modeling_rope_utils.py alone, as a module of a package made up for it."""
    package = types.ModuleType("stand_in")
    package.__path__ = []
    utils = types.ModuleType("stand_in.utils")
    utils.is_torch_available = lambda: True
    utils.logging = types.SimpleNamespace(get_logger=logging.getLogger)
    sys.modules |= {"stand_in": package, "stand_in.utils": utils}
    spec = importlib.util.spec_from_file_location("stand_in.modeling_rope_utils", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.ROPE_INIT_FUNCTIONS


class Config(types.SimpleNamespace):
    """What the functions ask of a config; the dictionaries above are complete already."""

    def standardize_rope_params(self):
        pass


def main():
    functions = load_rope_functions(sys.argv[1])
    out = []
    for name, measures, rope, length in CASES:
        config = Config(rope_parameters=dict(rope), per_layer_config={}, **measures)
        frequencies, factor = functions[rope["rope_type"]](config, torch.device("cpu"), seq_len=length)
        out.append({
            "name": name,
            "config": measures | {"rope_parameters": rope},
            "seq_len": length,
            "inv_freq": [float(f) for f in frequencies],
            "attention_factor": float(factor),
        })
    path = Path(sys.argv[2]) / "goldens.json"
    path.write_text("[\n" + ",\n".join(json.dumps(case) for case in out) + "\n]\n")


if __name__ == "__main__":
    main()
