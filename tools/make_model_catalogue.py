#!/usr/bin/env python3
"""Writes src/cost/known_models.json, the models that brigada's planner knows by name.

Sources: the config.json files in testdata/models/configs and the measures in
testdata/cost/partial_geometries.json. Only fields that src/cost/read names are kept; a test compares
what comes out with what the whole files give. Run it from anywhere after adding a config or a field.
"""

import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
CONFIGS = ROOT / "testdata/models/configs"
PARTIAL = ROOT / "testdata/cost/partial_geometries.json"
OUT = ROOT / "src/cost/known_models.json"

# Files whose name does not say which model it is, or says more than people type.
NAMES = {
    "c4ai-command-r-v01": "command-r-35b",
    "gemma-3": "gemma-3-27b",
    "gemma-3-text": "gemma-3-1b",
    "Mistral-Small-3-24B-family": "mistral-small-3.2-24b",
    "Mistral-7B-Instruct": "mistral-7b-v0.3",
    "Mistral-7B-v0.1": "mistral-7b-v0.1",
    "Meta-Llama-3-70B": "llama-3-70b",
    "Qwen3-30B-A3B-Instruct-2507": "qwen3-30b-a3b-2507",
    "Llama-4-Maverick-17B-128E-Instruct": "llama-4-maverick",
    "Llama-4-Scout-17B-16E-Instruct": "llama-4-scout",
    "NVIDIA-Nemotron-3-Nano-30B-A3B-BF16": "nemotron-3-nano-30b-a3b",
    "NVIDIA-Nemotron-3-Super-120B-A12B-FP8": "nemotron-3-super-120b-a12b-fp8",
    "Nemotron-H-56B-Base-8K": "nemotron-h-56b",
    "Llama-3_3-Nemotron-Super-49B-v1": "nemotron-super-49b",
    "Kimi-K2-Instruct": "kimi-k2",
    "Gemma-4-31B-IT-NVFP4": "gemma-4-31b-nvfp4",
    "Phi-3-mini": "phi-3-mini-128k",
    "gemma-2-2b-it": None,  # as gemma-2-2b
}
# The same measures under another name.
ALSO = {
    "llama-3.1-70b": ["llama-3.3-70b"],
    "mistral-small-3.2-24b": ["devstral-small"],
}
# Llama 3 is 3.1 without the scaling of its context.
LLAMA_3_8B = ("llama-3.1-8b", "llama-3-8b", {"max_position_embeddings": 8192})
# Their quantisation stands in a file of its own beside config.json.
BESIDE = {
    "nemotron-3-super-120b-a12b-fp8": {"quant_method": "modelopt", "quant_algo": "FP8"},
    "deepseek-v3.1-nvfp4": {
        "quant_method": "modelopt",
        "quant_algo": "NVFP4",
        "exclude_modules": ["lm_head", "*self_attn*"],
    },
}
# What the measures do not say, from the models' cards.
PARTIAL_NAMES = {
    "Qwen/Qwen3-Next-80B-A3B": ("qwen3-next-80b-a3b", {"max_position_embeddings": 262144}),
    "zai-org/GLM-4.5 (355B-A32B; GLM-4.6 the same geometry)": (
        "glm-4.5",
        {"model_type": "glm4_moe", "max_position_embeddings": 131072, "attention_bias": True},
    ),
    "HuggingFaceTB/SmolLM3-3B": ("smollm3-3b", {}),
    "tiiuae/Falcon-H1-7B": ("falcon-h1-7b", {}),
    "nvidia/Nemotron-Nano-9B-v2": (
        "nemotron-nano-9b-v2",
        {"model_type": "nemotron_h", "max_position_embeddings": 131072},
    ),
}


def fields_read():
    """Every word in quotes in the readers' source that may be a field."""
    text = "".join(path.read_text() for path in sorted((ROOT / "src/cost/read").glob("*.cc")))
    return set(re.findall(r'"([a-z0-9_]+)"', text))


def kept(value, fields):
    """The value with the fields that are read, without null and empty things."""
    if isinstance(value, list):
        return [kept(each, fields) for each in value]
    if not isinstance(value, dict):
        return value
    out = {
        key: kept(each, fields)
        for key, each in value.items()
        if key in fields or key.startswith("group_")
    }
    return {key: each for key, each in out.items() if each not in (None, {}, [])}


def name_of(stem):
    model = stem.split("__")[1]
    if model in NAMES:
        return NAMES[model]
    return re.sub(r"-(hf|instruct|2407|v0\.1)(?=-|$)", "", model.lower())


def catalogue(fields):
    models = {}
    for path in sorted(CONFIGS.glob("*__*.json")):
        name = name_of(path.stem)
        if name is None:
            continue
        assert name not in models, name
        models[name] = kept(json.loads(path.read_text()), fields)
    for name, quantisation in BESIDE.items():
        models[name]["quantization_config"] = quantisation
    for source, (name, more) in PARTIAL_NAMES.items():
        models[name] = kept(json.loads(PARTIAL.read_text())["models"][source], fields) | more
    for name, others in ALSO.items():
        models |= {other: models[name] for other in others}
    base, name, more = LLAMA_3_8B
    models[name] = {k: v for k, v in models[base].items() if k != "rope_scaling"} | more
    return models


def main():
    models = catalogue(fields_read())
    lines = [
        f"{json.dumps(name)}:{json.dumps(models[name], separators=(',', ':'))}"
        for name in sorted(models)
    ]
    OUT.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(len(models), "models,", OUT.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
